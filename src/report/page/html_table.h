// A table of a report: caption, heads with scopes, and a frame of its own that scrolls where the
// page is too narrow for it. Any thread.
#pragma once

#include <string>
#include <vector>

#include "report/model/html_writer.h"

namespace drover::report {

struct HtmlColumn {
  std::string title;
  bool is_number = false;
};

// A column of text before columns of numbers.
std::vector<HtmlColumn> numbers_behind(const char* first,
                                       std::initializer_list<const char*> numbers);

// The first cell of a row is its head.
using HtmlRow = std::vector<std::string>;

struct HtmlTable {
  std::string caption = {};
  std::vector<HtmlColumn> columns = {};
  std::vector<HtmlRow> rows = {};
  bool last_is_total = false;
};

void write_table(HtmlWriter& html, const HtmlTable& table);

// The frame around a table that is written by hand.
[[nodiscard]] HtmlWriter::Element open_table_frame(HtmlWriter& html, const std::string& caption);
void write_table_head(HtmlWriter& html, const std::vector<HtmlColumn>& columns);

// Two columns of names and values.
void write_pairs(HtmlWriter& html, const std::string& caption, const std::vector<HtmlRow>& pairs);

// <h2> to <h4>.
void write_heading(HtmlWriter& html, int level, const std::string& text);

}  // namespace drover::report
