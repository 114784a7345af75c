#include "report/page/html_table.h"

#include <cassert>

namespace drover::report {
namespace {

void write_cells(HtmlWriter& html, const HtmlTable& table, const HtmlRow& row) {
  assert(row.size() == table.columns.size());
  const auto line = html.open("tr");
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == 0) {
      html.line("th", {{"scope", "row"}}, row[i]);
    } else {
      html.line("td", {{"class", table.columns[i].is_number ? "n" : ""}}, row[i]);
    }
  }
}

}  // namespace

std::vector<HtmlColumn> numbers_behind(const char* first,
                                       std::initializer_list<const char*> numbers) {
  std::vector<HtmlColumn> columns = {{first}};
  for (const char* title : numbers) columns.push_back({title, true});
  return columns;
}

HtmlWriter::Element open_table_frame(HtmlWriter& html, const std::string& caption) {
  // Whoever has no pointer scrolls it by the keys, and so has to get there.
  return html.open(
      "div.scroll",
      {{"role", "region"}, {"tabindex", "0"}, {"aria-label", shortened(caption, 100)}});
}

void write_table_head(HtmlWriter& html, const std::vector<HtmlColumn>& columns) {
  const auto head = html.open("thead");
  const auto line = html.open("tr");
  for (const HtmlColumn& column : columns) {
    html.line("th", {{"scope", "col"}, {"class", column.is_number ? "n" : ""}}, column.title);
  }
}

void write_table(HtmlWriter& html, const HtmlTable& table) {
  const auto frame = open_table_frame(html, table.caption);
  const auto element = html.open("table");
  html.line("caption", table.caption);
  write_table_head(html, table.columns);
  const std::size_t body_rows = table.rows.size() - (table.last_is_total ? 1 : 0);
  {
    const auto body = html.open("tbody");
    for (std::size_t i = 0; i < body_rows; ++i) write_cells(html, table, table.rows[i]);
  }
  if (!table.last_is_total) return;
  const auto foot = html.open("tfoot");
  write_cells(html, table, table.rows.back());
}

void write_pairs(HtmlWriter& html, const std::string& caption, const std::vector<HtmlRow>& pairs) {
  write_table(html, {caption, {{"Name"}, {"Value"}}, pairs});
}

void write_heading(HtmlWriter& html, int level, const std::string& text) {
  if (level <= 2) return html.line("h2", text);
  if (level == 3) return html.line("h3", text);
  html.line("h4", text);
}

}  // namespace drover::report
