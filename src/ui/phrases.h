// Phrases: texts that are shown whole or not at all, so that a line that is too narrow for all of
// them loses the least important ones, and never a word or the digits of a number.
//
// Draw on a canvas and nothing else; any thread.
#pragma once

#include <string>
#include <vector>

#include "ui/canvas.h"

namespace drover::ui {

struct Span {
  std::string text;
  Style style = Style::normal;
};
using StyledLine = std::vector<Span>;

int cells_of(const StyledLine& line);

struct Phrase {
  StyledLine spans;
  int rank = 0;  // the highest is left out first; of equals the last
};
using Phrases = std::vector<Phrase>;

// Those for which there is room, at least one, with `gap` blanks between.
StyledLine fitted(Phrases phrases, int width, int gap);

// All of them, on as many lines as it takes.
std::vector<StyledLine> flowed(const Phrases& phrases, int width, int gap);

// A text in lines of at most `width` cells, broken at its blanks; a longer word has a line of its
// own.
std::vector<std::string> wrapped_words(const std::string& text, int width);

}  // namespace drover::ui
