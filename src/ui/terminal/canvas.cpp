#include "ui/terminal/canvas.h"

#include <algorithm>
#include <array>

#include "text/utf8.h"

namespace drover::ui {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Whole blocks of wide characters, so that the table is short. Some characters in them are narrow.
constexpr std::array wide = {
    Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0xa4cf},
    Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
    Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f},
    Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};

// Combining marks, joiners, variation selectors, marks of direction, tags.
constexpr std::array joining = {
    Range{0xad, 0xad},     Range{0x300, 0x36f},     Range{0x483, 0x489},    Range{0x591, 0x5bd},
    Range{0x610, 0x61a},   Range{0x64b, 0x65f},     Range{0x200b, 0x200f},  Range{0x2060, 0x206f},
    Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f},   Range{0xfe20, 0xfe2f},  Range{0xfeff, 0xfeff},
    Range{0xfff9, 0xfffb}, Range{0x1f3fb, 0x1f3ff}, Range{0xe0000, 0xe0fff}};

template <class Ranges>
bool among(const Ranges& ranges, char32_t point) {
  return std::ranges::any_of(
      ranges, [point](const Range& range) { return point >= range.first && point <= range.last; });
}

}  // namespace

int cells_of(char32_t point) {
  if (point < 0x80) return 1;
  if (among(joining, point)) return 0;
  return among(wide, point) ? 2 : 1;
}

int cells_of(std::string_view text) {
  int cells = 0;
  while (!text.empty()) {
    const text::Utf8Character character = text::first_character(text);
    cells += character.valid ? cells_of(character.point) : 1;
    text.remove_prefix(character.bytes);
  }
  return cells;
}

Canvas::Canvas(int rows, int columns, bool unicode)
    : rows_(std::clamp(rows, 1, side_most)),
      columns_(std::clamp(columns, 1, side_most)),
      unicode_(unicode),
      cells_(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_)) {}

int Canvas::put(int row, int column, std::string_view text, Style style, int width) {
  const int room = columns_ - std::max(column, 0);
  const int end = column + std::min(width, std::max(room, 0));
  const int begin = column;
  int word_end = begin;
  bool blank = true;
  while (!text.empty()) {
    const text::Utf8Character character = text::first_character(text);
    const char32_t point = character.valid ? character.point : U'?';
    const int cells = unicode_ ? cells_of(point) : 1;
    if (column + cells > end) {
      const int mark = word_end > begin ? word_end + 1 : end - 1;
      fill({row, mark, 1, end - mark}, U' ', style);
      put_point(row, mark, unicode_ ? U'…' : U'>', style);
      return end;
    }
    // After a word that ends here, there is room for a blank and the mark.
    if (point == U' ' && column + 1 < end) {
      if (!blank) word_end = column;
      blank = true;
    } else {
      blank = false;
    }
    if (cells > 0) put_point(row, column, point, style);
    column += cells;
    text.remove_prefix(character.bytes);
  }
  return column;
}

void Canvas::put_right(int row, int column_end, std::string_view text, Style style) {
  put(row, column_end - cells_of(text), text, style);
}

void Canvas::put_point(int row, int column, char32_t point, Style style) {
  if (row < 0 || row >= rows_ || column < 0 || column >= columns_) return;
  if (!text::is_printable(point)) point = U' ';
  if (!unicode_ && point >= 0x80) point = U'?';
  cells_[index(row, column)] = {point, style};
  if (cells_of(point) == 2 && column + 1 < columns_) cells_[index(row, column + 1)] = {0, style};
}

void Canvas::fill(Area area, char32_t point, Style style) {
  for (int row = area.row; row < area.row + area.rows; ++row) {
    for (int column = area.column; column < area.column + area.columns; ++column) {
      put_point(row, column, point, style);
    }
  }
}

std::string Canvas::text() const {
  std::string text;
  for (int row = 0; row < rows_; ++row) {
    std::string line;
    for (int column = 0; column < columns_; ++column) {
      const char32_t point = at(row, column).point;
      if (point != 0) text::append_utf8(line, point);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += line + '\n';
  }
  return text;
}

}  // namespace drover::ui
