// Canvas: a grid of styled cells, on which the layouts draw. Text outside the grid is cut off,
// control characters become blanks, and a canvas without Unicode replaces other characters than
// ASCII by question marks. For one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace drover::ui {

// The meaning of a text. The terminal decides on its colours and attributes.
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

struct Area {
  int row = 0;
  int column = 0;
  int rows = 0;
  int columns = 0;
};

class Canvas {
 public:
  static constexpr int side_most = 1'000;  // largest number of rows and of columns

  // Clamps both numbers to 1 ... side_most.
  Canvas(int rows, int columns, bool unicode);

  int rows() const noexcept { return rows_; }
  int columns() const noexcept { return columns_; }
  bool unicode() const noexcept { return unicode_; }
  Area whole() const noexcept { return {0, 0, rows_, columns_}; }
  const Cell& at(int row, int column) const { return cells_[index(row, column)]; }

  // Writes UTF-8 into at most `width` cells. A longer text is cut after a word, or within its first
  // word, and ends with a mark. Returns the column after the text.
  int put(int row, int column, std::string_view text, Style style = Style::normal,
          int width = std::numeric_limits<int>::max());

  // Writes a text that ends before `column_end`.
  void put_right(int row, int column_end, std::string_view text, Style style = Style::normal);

  void put_point(int row, int column, char32_t point, Style style = Style::normal);

  void fill(Area area, char32_t point, Style style);

  // Returns the lines as UTF-8, without blanks at their ends. For tests.
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

// Returns the number of cells of a character: 2 in the scripts of East Asia and for pictures, 0 for
// a combining character.
int cells_of(char32_t point);
int cells_of(std::string_view text);  // of UTF-8

}  // namespace drover::ui
