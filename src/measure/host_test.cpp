#include "measure/host.h"

#include <gtest/gtest.h>

namespace drover::measure {
namespace {

TEST(Host, FindsValuesInBothForms) {
  EXPECT_EQ(value_of_line("processor\t: 0\nmodel name\t: Xeon (R) X\n", "model name"),
            "Xeon (R) X");
  EXPECT_EQ(value_of_line("NAME=x\nPRETTY_NAME=\"Debian 12\"\n", "PRETTY_NAME"), "Debian 12");
  EXPECT_EQ(value_of_line("NAME=x", "NAME"), "x");
  EXPECT_EQ(value_of_line("NAMES=x\n", "NAME"), "");
  EXPECT_EQ(value_of_line("NAME=\n", "NAME"), "");
  EXPECT_EQ(value_of_line("NAME", "NAME"), "");
  EXPECT_EQ(value_of_line("", "NAME"), "");
}

TEST(Host, NamesProcessorsByNumbersWhereTheyHaveNoName) {
  constexpr std::string_view neoverse =
      "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd atomics\n"
      "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
      "CPU revision\t: 1\n";
  EXPECT_EQ(cpu_model(neoverse), "ARM, implementer 0x41, part 0xd0c");
  EXPECT_EQ(cpu_model("processor\t: 0\nmodel name\t: Xeon (R) X\n"), "Xeon (R) X");
  EXPECT_EQ(cpu_model("processor\t: 0\nCPU implementer\t: 0x41\n"), "");
  EXPECT_EQ(cpu_model(""), "");
}

TEST(Host, KnowsThisOne) {
  const Host host = describe_host();
  EXPECT_FALSE(host.hostname.empty());
  EXPECT_NE(host.os.find("Linux"), std::string::npos);
  EXPECT_GE(host.cpus, 1u);
}

}  // namespace
}  // namespace drover::measure
