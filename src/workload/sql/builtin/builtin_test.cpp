#include "workload/sql/builtin/builtin.h"

#include <gtest/gtest.h>

#include <string>

#include "workload/sql/script/script.h"

namespace drover::sql {
namespace {

TEST(Builtin, IsFoundByItsBeginning) {
  EXPECT_EQ(find_builtin("tpcb-like").name, "tpcb-like");
  EXPECT_EQ(find_builtin("t").name, "tpcb-like");
  EXPECT_EQ(find_builtin("si").name, "simple-update");
  EXPECT_EQ(find_builtin("se").name, "select-only");
}

TEST(Builtin, IsRefusedByWhatIsNone) {
  const auto message = [](std::string_view name) -> std::string {
    try {
      return std::string(find_builtin(name).name);
    } catch (const UnknownBuiltin& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message("s"), "several built-in scripts begin with \"s\": simple-update, select-only");
  EXPECT_EQ(message("tpcc"),
            "no built-in script is named \"tpcc\". Expected tpcb-like, simple-update, select-only");
}

TEST(Builtin, CanBeRead) {
  VariableNames names;
  const auto commands = [&](std::string_view name) {
    const BuiltinScript& builtin = find_builtin(name);
    return parse_script(std::string(name), std::string(builtin.text), names).commands().size();
  };
  EXPECT_EQ(commands("tpcb-like"), 11U);
  EXPECT_EQ(commands("simple-update"), 9U);
  EXPECT_EQ(commands("select-only"), 2U);
  EXPECT_TRUE(names.find("scale"));
}

}  // namespace
}  // namespace drover::sql
