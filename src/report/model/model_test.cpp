#include "report/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace drover::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Table example_table() {
  Table table{.caption = {"", "In Markdown:", "On the page"},
              .columns = {{Wording("name", "Name", "Name"), false},
                          {.title = {"ok", "committed", "Committed"}, .width = 4},
                          {.title = only_page("Unknown")},
                          {.title = {"p50", "p50", "Median"}, .width = 4, .if_room = true},
                          {.title = only_terminal("kind"), .is_number = false, .width = 6}},
              .last_is_total = true,
              .rest = "and 3 more"};
  table.add({name_wording("a|b"), Wording("1234", "1,234"), "7", "5", "x"});
  table.rows.push_back({{"deferred", "1", "", "", ""}});
  table.rows.back().in_markdown = table.rows.back().on_page = false;
  table.add({Wording("all", "**All**", "All"), "1", "2", "3", "4"});
  return table;
}

TEST(ReportModel, ATableInATerminal) {
  EXPECT_EQ(render_terminal({example_table()}),
            "name          ok  p50 kind\n"
            "a|b         1234    5 x\n"
            "deferred       1\n"
            "all            1    3 4\n"
            "  and 3 more\n");
}

TEST(ReportModel, ATableInMarkdown) {
  EXPECT_EQ(render_markdown({example_table()}),
            "In Markdown:\n\n"
            "| Name | committed | p50 |\n"
            "|---|--:|--:|\n"
            "| `a¦b` | 1,234 | 5 |\n"
            "| **All** | 1 | 3 |\n"
            "\nand 3 more\n");
}

TEST(ReportModel, ATableOnAPage) {
  const std::string page = render_page({.title = "t", .content = {example_table()}});
  EXPECT_THAT(page, HasSubstr("<caption>On the page</caption>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\" class=\"n\">Unknown</th>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">a|b</th><td class=\"n\">1,234</td>"));
  EXPECT_THAT(page, HasSubstr("<tfoot><tr><th scope=\"row\">All</th>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"note\">and 3 more</p>"));
  EXPECT_THAT(page, Not(HasSubstr("deferred")));
  EXPECT_THAT(page, Not(HasSubstr("kind")));
}

TEST(ReportModel, AWideTableContinuesBelow) {
  Table table{.columns = {{"name", false}}};
  std::vector<Cell> cells = {"row"};
  for (int i = 0; i < 8; ++i) {
    table.columns.push_back({.title = "c" + std::to_string(i), .width = 9});
    cells.emplace_back(std::to_string(i));
  }
  table.add(cells);
  EXPECT_EQ(render_terminal({table}, 60),
            "name               c0        c1        c2        c3\n"
            "row                 0         1         2         3\n"
            "\n"
            "name               c4        c5        c6        c7\n"
            "row                 4         5         6         7\n");
  table.further_parts = {{.first_column = 3, .caption = "Further"}};
  EXPECT_THAT(render_terminal({table}, 60), HasSubstr("c0        c1\n"));
  EXPECT_THAT(render_terminal({table}, 100), HasSubstr("c1        c2"));
}

TEST(ReportModel, TextIsFoldedAndPartsWithoutWordsAreLeftOut) {
  const std::string words(70, 'w');
  const Blocks blocks = {Heading{1, only_terminal("title")},
                         Gap{},
                         Gap{},
                         Fact{"tpmC", "119.5"},
                         Fact{"note", words + " end"},
                         Paragraph{only_page("hidden")},
                         Items{.items = {"\x1b[2J"}},
                         Details{"More", {Paragraph{"inside"}}}};
  EXPECT_EQ(render_terminal(blocks, 80), "title\n\n  tpmC        119.5\n  note        " +
                                             words.substr(0, 66) +
                                             "\n              wwww end\n-  [2J\ninside\n");
  EXPECT_EQ(render_markdown({Items{.items = {"a", "b"}, .is_numbered = true},
                             Details{"More", {Paragraph{"inside"}}}}),
            "1. a\n2. b\n\n<details><summary>More</summary>\n\ninside\n\n</details>\n");
}

TEST(ReportModel, ACellHasItsPartsOnPagesOnly) {
  Cell cell("2");
  cell.link = "#result-1";
  cell.parts = {{"span.change", "+5%"}};
  Table table{.columns = {{"name", false}, {"value"}}};
  table.add({"row", cell});
  EXPECT_THAT(render_page({.title = "t", .content = {table}}),
              HasSubstr("<td class=\"n\"><a href=\"#result-1\">2</a>"
                        "<span class=\"change\">+5%</span></td>"));
  EXPECT_THAT(render_terminal({table}), Not(HasSubstr("5%")));
}

TEST(MarkdownSentence, EveryCharacterWithAMeaningIsEscaped) {
  EXPECT_EQ(markdown_sentence("a_b [x](http://y) @me #1 <img>"),
            "a\\_b \\[x\\]\\(http&#58;//y\\) &#64;me &#35;1 &lt;img&gt;");
}

}  // namespace
}  // namespace drover::report
