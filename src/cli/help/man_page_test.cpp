#include "cli/help/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Command manual_example(
    const char* description = "Runs \"it\"\\.\n'quoted at the beginning of a line",
    const char* of_option = "How many") {
  static int warehouses = 5;
  Command program("drover", "A program",
                  "Examples:\n  drover run\n\nExit codes: 0 success\n            1 not");
  program.add_command("run", description, "Example:\n  drover run -w 1 …")
      .add_options("What", {{"-w,--warehouses", &warehouses, "W", of_option, in_range(1, 9)}});
  return program;
}

TEST(ManPage, Sections) {
  const std::string page = man_page(manual_example(), "drover 1.2", "2026-01-31");
  EXPECT_THAT(page, StartsWith(".\\\" Made by 'drover man'.\n"
                               ".TH DROVER 1 \"2026-01-31\" \"drover 1.2\" \"User commands\"\n"));
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT",
                              "EXIT STATUS", "EXAMPLES", "SEE ALSO"}) {
    EXPECT_THAT(page, HasSubstr(std::string("\n.SH ") + section + "\n"));
  }
  EXPECT_THAT(page, HasSubstr("\nDROVER_RUN_WAREHOUSES\n"));
  EXPECT_THAT(page, HasSubstr(".B \"DROVER_DATA_HOME\"\n"));
  EXPECT_THAT(page, Not(HasSubstr("Exit codes: 0")));  // they have their section
}

TEST(ManPage, Options) {
  const std::string page = man_page(manual_example(), "drover 1.2", "2026-01-31");
  EXPECT_THAT(page, HasSubstr(".TP\n.BR \"\\-w\" \", \" \"\\-\\-warehouses\" \" \" \"W\"\n"
                              "How many. From 1 to 9. Default: 5.\n"));
  // What every command takes has a section of its own.
  const std::string help = "\\-\\-help\"\nPrint this help";
  EXPECT_EQ(page.find(help), page.rfind(help));
}

TEST(ManPage, NothingInATextIsARequest) {
  const Command program = manual_example(".TH \\fIx\\fR", "'br");
  const std::string page = man_page(program, "drover \"1.2\"", "2026-01-31");
  EXPECT_THAT(page, HasSubstr("\n\\&.TH \\efIx\\efR\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&'br. From"));
  EXPECT_THAT(page, HasSubstr("\"drover \\(dq1.2\\(dq\""));
  EXPECT_THAT(page, HasSubstr(".nf\n  drover run \\-w 1 ...\n.fi\n"));
}

}  // namespace
}  // namespace drover::cli
