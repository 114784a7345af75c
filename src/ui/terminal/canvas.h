// Canvas: a grid of styled cells that a layout draws on, before anything knows of a terminal.
//
// Whatever lies outside of the grid is cut off. A canvas that is not unicode holds ASCII only: what
// else is written becomes a question mark. Control characters never get in. Plain values; one
// thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace drover::ui {

// What a text means; how it looks is the painter's.
enum class Style : std::uint8_t {
  normal,
  faint,
  strong,
  title,
  heading,
  good,
  warning,
  throughput,
  latency,
};
inline constexpr std::size_t style_count = 9;

struct Cell {
  char32_t point = U' ';  // 0: the right half of a wide character
  Style style = Style::normal;

  bool operator==(const Cell&) const = default;
};

// A part of the grid.
struct Area {
  int row = 0;
  int column = 0;
  int rows = 0;
  int columns = 0;
};

class Canvas {
 public:
  static constexpr int side_most = 1'000;  // rows or columns; more of them stay empty

  // At least one row and one column.
  Canvas(int rows, int columns, bool unicode);

  int rows() const noexcept { return rows_; }
  int columns() const noexcept { return columns_; }
  bool unicode() const noexcept { return unicode_; }
  Area whole() const noexcept { return {0, 0, rows_, columns_}; }
  const Cell& at(int row, int column) const { return cells_[index(row, column)]; }

  // Writes UTF-8 into at most `width` cells. If it does not fit, it ends with a whole word and a
  // mark; a first word that is too long is cut. Returns the column behind it.
  int put(int row, int column, std::string_view text, Style style = Style::normal,
          int width = std::numeric_limits<int>::max());

  // The same, ending before `column_end`.
  void put_right(int row, int column_end, std::string_view text, Style style = Style::normal);

  void put_point(int row, int column, char32_t point, Style style = Style::normal);

  void fill(Area area, char32_t point, Style style);

  // The cells as lines of UTF-8, without blanks at their ends: for tests.
  std::string text() const;

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }

  int rows_;
  int columns_;
  bool unicode_;
  std::vector<Cell> cells_;
};

// The cells that a character takes: 2 in the scripts of East Asia and for pictures, 0 if it joins
// the one before it.
int cells_of(char32_t point);

// The cells that UTF-8 takes, cut nowhere.
int cells_of(std::string_view text);

}  // namespace drover::ui
