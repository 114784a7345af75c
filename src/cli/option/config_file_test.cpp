#include "cli/option/config_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace drover::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string message_of(std::string_view text) {
  try {
    parse_config(text);
  } catch (const ConfigFileError& error) {
    return error.what();
  }
  return "(it was read)";
}

ConfigEntry only_entry(std::string_view text) {
  const std::vector<ConfigEntry> entries = parse_config(text);
  EXPECT_EQ(entries.size(), 1u) << text;
  return entries.at(0);
}

std::string value_of(std::string_view written) {
  return only_entry(fmt::format("key = {}", written)).values.at(0);
}

TEST(ConfigFile, SectionsAndKinds) {
  const auto entries = parse_config(
      "# for all\n"
      "db = \"host=x dbname=y # no comment\"   # a comment\n"
      "\n"
      "\t[ tpcc . run ]#c\n"
      "duration= '3m'\r\n"
      "pace =2.5\n"
      "no-delays = true\n"
      "pg.start.set = [ \"a=b\", # one\n"
      "   'c,d', 5,\n"
      "\n"
      "]");
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_TRUE(entries[0].section.empty());
  EXPECT_EQ(entries[0].key, "db");
  EXPECT_EQ(entries[0].kind, ConfigKind::text);
  EXPECT_THAT(entries[0].values, ElementsAre("host=x dbname=y # no comment"));
  EXPECT_EQ(entries[0].line, 2u);
  EXPECT_THAT(entries[1].section, ElementsAre("tpcc", "run"));
  EXPECT_THAT(entries[1].values, ElementsAre("3m"));
  EXPECT_EQ(entries[1].line, 5u);
  EXPECT_EQ(entries[2].kind, ConfigKind::number);
  EXPECT_THAT(entries[2].values, ElementsAre("2.5"));
  EXPECT_EQ(entries[3].kind, ConfigKind::truth);
  EXPECT_THAT(entries[4].section, ElementsAre("tpcc", "run", "pg", "start"));
  EXPECT_EQ(entries[4].kind, ConfigKind::list);
  EXPECT_THAT(entries[4].values, ElementsAre("a=b", "c,d", "5"));
}

TEST(ConfigFile, NothingInIt) {
  for (const char* text : {"", "\n", "# only this", "\xef\xbb\xbf", " \t\r\n", "[tpcc]\n[pg]"}) {
    EXPECT_TRUE(parse_config(text).empty()) << text;
  }
}

TEST(ConfigFile, Texts) {
  EXPECT_EQ(value_of(R"("")"), "");
  EXPECT_EQ(value_of("''"), "");
  EXPECT_EQ(value_of(R"("a\"b\\c # = [")"), "a\"b\\c # = [");
  EXPECT_EQ(value_of(R"('a"b\c')"), "a\"b\\c");
  EXPECT_EQ(value_of(R"("Gr\u00f6\U0001f411e")"),
            "Gr\xc3\xb6\xf0\x9f\x90\x91"
            "e");
  EXPECT_EQ(value_of("\"Größe\""), "Größe");
}

TEST(ConfigFile, Numbers) {
  for (const auto& [written, read] : std::map<std::string, std::string>{{"0", "0"},
                                                                        {"-1", "-1"},
                                                                        {"+10", "10"},
                                                                        {"1_000_000", "1000000"},
                                                                        {"1.50", "1.50"},
                                                                        {"1e3", "1e3"},
                                                                        {"6.02E-23", "6.02E-23"},
                                                                        {"1e+2", "1e2"}}) {
    const ConfigEntry entry = only_entry("key = " + written);
    EXPECT_EQ(entry.kind, ConfigKind::number) << written;
    EXPECT_THAT(entry.values, ElementsAre(read));
  }
  for (const char* written : {"01", "1_", "_1", "1__0", "1.", ".5", "1e", "0x10", "inf", "nan", "-",
                              "1979-05-27", "yes", "True", "1-2", "1.2.3"}) {
    EXPECT_THAT(message_of(fmt::format("key = {}", written)),
                HasSubstr("line 1: key: expected text in quotes, a decimal number"))
        << written;
  }
}

TEST(ConfigFile, ErrorsNameTheLine) {
  const auto expect = [](std::string_view text, const std::string& message) {
    EXPECT_THAT(message_of(text), testing::StartsWith(message)) << text;
  };
  expect("a = 1\nb", "line 2: expected = after the key");
  expect("b = ", "line 1: b: expected text in quotes");
  expect("b = x", "line 1: b: expected text in quotes");
  expect("= 1", "line 1: expected a section");
  expect("a = 1 2", "line 1: expected the end of the line");
  expect("a = \"x\n", "line 1: the text is not closed");
  expect("a = 'x", "line 1: the text is not closed");
  expect("a = \"x\\", "line 1: expected \\\\");
  expect("a = \"x\\n\"", "line 1: expected \\\\");
  expect("a = \"\\u00\"", "line 1: expected 4 hexadecimal digits after \\u");
  expect("a = \"\\U00110000\"", "line 1: expected a printable character");
  expect("a = \"\\ud800\"", "line 1: expected a printable character");
  expect("a = \"\\u001b\"", "line 1: expected a printable character");
  expect("a = \"\\u009b\"", "line 1: expected a printable character");
  expect("\n\n[tpcc", "line 3: expected ] after the name of the section");
  expect("[tpcc.]", "line 1: expected a section");
  expect("[]", "line 1: expected a section");
  expect("[[tpcc]]", "line 1: lists of sections");
  expect("[tpcc]\n[pg]\n[tpcc]", "line 3: the section [tpcc] is already defined in line 1");
  expect("a = 1\n\na = 2", "line 3: the key a is already set in line 1");
  expect("x.a = 1\n[x]\na = 2", "line 3: the key a is already set in line 1");
  expect("a = [1,\n2", "line 2: a: the list that begins in line 1 is not closed");
  expect("a = [1 2]", "line 1: a: expected a comma or ] in the list");
  expect("a = [,]", "line 1: a: expected a value or ] in the list");
  expect("a = [[1]]", "line 1: a: expected a value or ] in the list");
  expect("a = {b = 1}", "line 1: a: expected text in quotes");
  expect("a = \"\"\"x\"\"\"", "line 1: text of several lines");
  expect("a = '''x'''", "line 1: text of several lines");
  expect("a = 1\nb = \"\x1b[31m\"", "line 2: expected text, found the control character U+001B");
  expect("# \xc2\x9b", "line 1: expected text, found the control character U+009B");
  expect("a = 'b\tc'", "line 1: expected text without tabs, found a tab");
  expect("a = \"b\tc\"", "line 1: expected text without tabs, found a tab");
  expect("a\n\xff", "line 2: expected text in UTF-8");
  expect(std::string_view("a = 1\0", 6),
         "line 1: expected text, found the control character U+0000");
  expect(std::string(101, 'k') + " = 1", "line 1: a name has at most 100 characters");
  expect("a.b.c.d.e.f.g.h.i = 1", "line 1: a name has at most 8 parts");
}

TEST(ConfigFile, MessagesNeverHoldAValue) {
  for (const char* text :
       {"db = s3cret", "db = \"s3cret", "db = 's3cret", "db = [\"s3cret\"",
        "db = \"s3cret\" s3cret", "db = \"s3cret\\", "db = \"s3cret\\q\"", "db = [s3cret]",
        "db = postgresql://u:s3cret@h/x", "db : s3cret", "db s3cret",
        "db = \"s3cret\"\ndb = \"s3cret\"", "db = 1s3cret", "db = 1\ns3cret"}) {
    const std::string message = message_of(text);
    EXPECT_NE(message, "(it was read)") << text;
    EXPECT_THAT(message, testing::Not(HasSubstr("s3cret"))) << text;
  }
}

TEST(ConfigFile, Files) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "drover-config-file-test.toml";
  const auto message = [&path] {
    try {
      read_config_file(path);
    } catch (const ConfigFileError& error) {
      return std::string(error.what());
    }
    return std::string("(it was read)");
  };
  EXPECT_EQ(message(),
            fmt::format("the config file \"{}\": cannot read it: No such file or directory",
                        path.native()));
  std::ofstream(path) << "a = 1\nb";
  EXPECT_EQ(message(),
            fmt::format("the config file \"{}\", line 2: expected = after the key", path.native()));
  std::ofstream(path) << std::string(config_bytes_max, '\n');
  EXPECT_EQ(message(), "(it was read)");
  std::ofstream(path) << std::string(config_bytes_max + 1, '\n');
  EXPECT_THAT(message(), HasSubstr("it is larger than 1 MiB"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace drover::cli
