#include "ui/phrases.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace drover::ui {
namespace {

void append(StyledLine& line, const StyledLine& spans, int gap) {
  if (!line.empty()) line.push_back({std::string(static_cast<std::size_t>(gap), ' ')});
  line.insert(line.end(), spans.begin(), spans.end());
}

}  // namespace

int cells_of(const StyledLine& line) {
  int cells = 0;
  for (const Span& span : line) cells += cells_of(span.text);
  return cells;
}

StyledLine fitted(Phrases phrases, int width, int gap) {
  for (;;) {
    StyledLine line;
    for (const Phrase& phrase : phrases) append(line, phrase.spans, gap);
    if (phrases.size() < 2 || cells_of(line) <= width) return line;
    const auto least =
        std::max_element(phrases.rbegin(), phrases.rend(),
                         [](const Phrase& a, const Phrase& b) { return a.rank < b.rank; });
    phrases.erase(std::next(least).base());
  }
}

std::vector<StyledLine> flowed(const Phrases& phrases, int width, int gap) {
  std::vector<StyledLine> lines;
  for (const Phrase& phrase : phrases) {
    const bool beside =
        !lines.empty() && cells_of(lines.back()) + gap + cells_of(phrase.spans) <= width;
    if (!beside) lines.emplace_back();
    append(lines.back(), phrase.spans, gap);
  }
  return lines;
}

std::vector<std::string> wrapped_words(const std::string& text, int width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && cells_of(lines.back()) + 1 + cells_of(word) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace drover::ui
