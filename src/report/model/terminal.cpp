#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/model/model.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"

namespace drover::report {
namespace {

constexpr std::size_t label_columns = 11;  // of a Fact

// Names from results may hold line breaks and escape sequences, which must not reach a terminal.
std::string printable(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(
      result, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return result;
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

// The columns that a terminal shows, with their widths.
struct ShownColumn {
  std::size_t index = 0;
  std::size_t width = 0;  // with the gap before it
};

std::vector<ShownColumn> shown_columns(const Table& table) {
  std::vector<ShownColumn> shown;
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    if (column.title.terminal.empty()) continue;
    std::size_t width = std::max(column.width, text::text_width(column.title.terminal));
    for (const TableRow& row : table.rows)
      if (row.in_terminal) width = std::max(width, text::text_width(row.cells[i].terminal));
    shown.push_back({i, width + column.gap});
  }
  return shown;
}

std::size_t width_of(const std::vector<ShownColumn>& columns) {
  std::size_t width = 0;
  for (const ShownColumn& column : columns) width += column.width;
  return width;
}

class TableLayout {
 public:
  TableLayout(const Table& table, std::size_t width) : table_(table), width_(width) {
    columns_ = shown_columns(table);
    longest_name_ = text::text_width(table.columns.front().title.terminal);
    for (const TableRow& row : table.rows)
      if (row.in_terminal)
        longest_name_ = std::max(longest_name_, text::text_width(row.cells[0].terminal));
  }

  // Returns the table, or several below each other where it is too wide for the terminal.
  std::string text() {
    if (!fits()) {
      std::erase_if(columns_, [this](const ShownColumn& column) {
        return table_.columns[column.index].if_room;
      });
    }
    std::string out;
    if (fits()) {
      append_columns(out, name_width(width_of(columns_)), columns_);
      return out;
    }
    const std::vector<std::vector<ShownColumn>> parts = parts_of_table();
    std::size_t widest = 0;
    for (const auto& part : parts) widest = std::max(widest, width_of(part));
    const std::size_t names = name_width(parts.size() > 1 ? widest : width_ / 2);
    for (const auto& part : parts) append_part(out, names, part);
    return out;
  }

 private:
  std::size_t name_width(std::size_t width_of_columns) const {
    const std::size_t room = width_ > width_of_columns ? width_ - width_of_columns : 0;
    return std::clamp(longest_name_, table_.name_width_least,
                      std::max(table_.name_width_least, std::min(room, table_.name_width_most)));
  }

  bool fits() const {
    const std::size_t width = width_of(columns_);
    return name_width(width) + width <= width_;
  }

  std::vector<std::vector<ShownColumn>> parts_of_table() const {
    std::vector<std::vector<ShownColumn>> parts(table_.further_parts.size() + 1);
    for (const ShownColumn& column : columns_) {
      const auto part = std::ranges::count_if(table_.further_parts, [&](const TablePart& one) {
        return one.first_column <= column.index;
      });
      parts[static_cast<std::size_t>(part)].push_back(column);
    }
    return parts;
  }

  void append_part(std::string& out, std::size_t name_width,
                   const std::vector<ShownColumn>& part) const {
    std::vector<ShownColumn> block;
    for (const ShownColumn& column : part) {
      if (!block.empty() && name_width + width_of(block) + column.width > width_) {
        append_columns(out, name_width, block);
        block.clear();
      }
      block.push_back(column);
    }
    append_columns(out, name_width, block);
  }

  void append_columns(std::string& out, std::size_t name_width,
                      const std::vector<ShownColumn>& columns) const {
    out += "\n";
    const auto append_row = [&](const auto& text_of) {
      std::string line =
          fmt::format("{:<{}.{}}", printable(text_of(std::size_t{0})), name_width, name_width);
      for (const auto& [index, width] : columns) {
        const TableColumn& column = table_.columns[index];
        const std::string cell = printable(text_of(index));
        line += std::string(column.gap, ' ') +
                (column.is_number ? fmt::format("{:>{}}", cell, width - column.gap)
                                  : fmt::format("{:<{}}", cell, width - column.gap));
      }
      append_line(out, std::move(line));
    };
    append_row([&](std::size_t i) { return table_.columns[i].title.terminal; });
    for (const TableRow& row : table_.rows)
      if (row.in_terminal) append_row([&](std::size_t i) { return row.cells[i].terminal; });
  }

  const Table& table_;
  std::size_t width_;
  std::vector<ShownColumn> columns_;
  std::size_t longest_name_ = 0;
};

class TerminalRenderer {
 public:
  explicit TerminalRenderer(std::size_t width) : width_(width) {}

  std::string render(const Blocks& blocks) {
    write(blocks);
    return std::move(out_);
  }

  void operator()(const Heading& heading) { fold(heading.text.terminal, "  ", 0); }

  void operator()(const Paragraph& paragraph) {
    const std::string& text = paragraph.text.terminal;
    const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
    fold(text, std::string(indent + 2, ' '), indent);
  }

  void operator()(const Gap& /*unused*/) {
    if (!out_.empty() && !out_.ends_with("\n\n")) out_ += "\n";
  }

  void operator()(const Fact& fact) {
    const std::string line = fmt::format("  {:<{}} {}", fact.label, label_columns, fact.text);
    fold(line, std::string(label_columns + 3, ' '), label_columns + 3);
  }

  void operator()(const Items& items) {
    for (const Cell& item : items.items)
      if (!item.terminal.empty()) fold("- " + item.terminal, "  ", 0);
  }

  void operator()(const Table& table) {
    if (table.columns.front().title.terminal.empty()) return;
    const std::string text = TableLayout(table, width_).text();
    out_ += out_.empty() || out_.ends_with("\n\n") ? text.substr(1) : text;
    if (!table.rest.terminal.empty()) fold("  " + table.rest.terminal, "    ", 2);
  }

  void operator()(const Figure& figure) {
    if (!figure.in_terminal) return;
    (*this)(Gap{});
    out_ += chart_in_characters(figure.chart, width_);
  }

  void operator()(const Section& section) { write(section.blocks); }
  void operator()(const Details& details) { write(details.blocks); }
  void operator()(const SideBySide& side_by_side) {
    for (const Blocks& part : side_by_side.parts) write(part);
  }

  void operator()(const auto& /*not in terminals*/) {}

 private:
  void write(const Blocks& blocks) {
    for (const Block& block : blocks) std::visit(*this, block.content);
  }

  // Appends a line, or several where it is too long: `indent` begins the further ones, and the
  // first one is not broken within its first `label` bytes.
  void fold(const std::string& text, const std::string& indent, std::size_t label) {
    if (text.empty()) return;
    const std::string line = printable(text);
    if (text::text_width(line) <= width_)
      append_line(out_, line);
    else
      text::append_folded(out_, line, width_, indent, label);
  }

  std::size_t width_;
  std::string out_;
};

// Draws the first panel of a chart with characters.
class CharacterChart {
 public:
  CharacterChart(const Chart& chart, std::size_t columns)
      : chart_(chart), rows_(row_count, std::string(columns - label_width - 2, ' ')) {
    bool any = false;
    for_each_point([&](const CurvePoint& point) {
      low_ = any ? std::min(low_, point.y) : point.y;
      high_ = any ? std::max(high_, point.y) : point.y;
      any = true;
    });
    // Equal and nearly equal values stand in the middle of the scale.
    const double least = std::max(std::abs(high_) * 0.02, 1e-9);
    if (high_ - low_ < least) {
      const double middle = (low_ + high_) / 2;
      low_ = middle - least / 2;
      high_ = middle + least / 2;
    }
    // Few points stand close together and not at the ends of a wide field.
    constexpr double columns_of_one = 6;
    width_ = std::min(static_cast<double>(rows_.front().size()),
                      (chart.x.high() - chart.x.low()) * columns_of_one);
  }

  std::string draw() {
    draw_curves(false);
    for (const Band& band : chart_.bands)
      for (std::string& row : rows_) row[column_of(band.start)] = ':';
    draw_curves(true);
    std::string out;
    for (std::size_t row = 0; row < row_count; ++row) {
      const bool labelled = row % 3 == 0 || row + 1 == row_count;
      const double value = high_ - (high_ - low_) * static_cast<double>(row) / (row_count - 1);
      append_line(out, fmt::format("{:>{}} |{}", labelled ? number_text(value) : std::string(),
                                   label_width, rows_[row]));
    }
    append_line(out, fmt::format("{:>{}} +{}", "", label_width, labels()));
    return out;
  }

 private:
  static constexpr std::size_t label_width = 10;
  static constexpr std::size_t row_count = 14;

  void for_each_point(const auto& on_point) const {
    for (const Curve& curve : chart_.panels.front().curves)
      for (const auto& piece : curve.pieces) std::ranges::for_each(piece, on_point);
  }

  std::size_t column_of(double x) const {
    const auto column = static_cast<std::size_t>(chart_.x.position(x) * width_);
    return std::min(column, rows_.front().size() - 1);
  }

  std::size_t row_of(double value) const {
    const double share = (high_ - value) / (high_ - low_);
    return static_cast<std::size_t>(std::llround(share * (row_count - 1)));
  }

  void draw_curves(bool are_dots) {
    for (const Curve& curve : chart_.panels.front().curves) {
      for (const auto& piece : curve.pieces) {
        if (are_dots != (piece.size() == 1)) continue;
        std::string& row = rows_[row_of(piece.front().y)];
        const std::size_t first = column_of(piece.front().x);
        const std::size_t last = column_of(piece.back().x);
        std::fill(row.begin() + static_cast<std::ptrdiff_t>(first),
                  row.begin() + static_cast<std::ptrdiff_t>(last) + 1, are_dots ? 'o' : '-');
      }
    }
  }

  std::string labels() const {
    std::string line(rows_.front().size(), '-');
    for (const Band& band : chart_.bands) {
      const std::size_t column =
          std::min(column_of(band.start), line.size() - std::min(line.size(), band.label.size()));
      line.replace(column, band.label.size(), band.label);
    }
    return line;
  }

  const Chart& chart_;
  std::vector<std::string> rows_;
  double low_ = 0;
  double high_ = 0;
  double width_ = 0;  // columns in use
};

}  // namespace

std::string chart_in_characters(const Chart& chart, std::size_t columns) {
  return CharacterChart(chart, columns).draw();
}

std::string render_terminal(const Blocks& blocks, std::size_t width) {
  return TerminalRenderer(width).render(blocks);
}

}  // namespace drover::report
