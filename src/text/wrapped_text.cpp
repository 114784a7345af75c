#include "text/wrapped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace drover::text {
namespace {

// Splits at blanks, except between two equal characters of `quotes`.
std::vector<std::string> words_of(std::string_view text, std::string_view quotes = "") {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  for (const char character : text) {
    if (quote != '\0') {
      if (character == quote) quote = '\0';
    } else if (quotes.find(character) != std::string_view::npos) {
      quote = character;
    } else if (character == ' ' || character == '\n' || character == '\t') {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
      continue;
    }
    word += character;
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

constexpr std::string_view command_beginning = "  drover ";

void append_command(std::string& text, std::string_view line, std::size_t width) {
  constexpr std::string_view continued = " \\";
  std::string current = "  ";
  bool first = true;
  for (const std::string& word : words_of(line, "'\"")) {
    const std::size_t needed = text_width(current) + 1 + text_width(word) + continued.size();
    if (!first && needed > width) {
      text += current + std::string(continued) + "\n";
      current = "      " + word;
    } else {
      current += (first ? "" : " ") + word;
    }
    first = false;
  }
  text += current + "\n";
}

void append_paragraph(std::string& text, std::string& paragraph, std::size_t width) {
  for (const std::string& line : wrapped_lines(paragraph, width)) text += line + "\n";
  paragraph.clear();
}

}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

std::vector<std::string> parts(std::string_view text, char separator) {
  std::vector<std::string> all;
  while (true) {
    const std::size_t end = text.find(separator);
    all.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return all;
    text = text.substr(end + 1);
  }
}

std::string one_paragraph(std::string_view text) {
  return fmt::format("{}", fmt::join(words_of(text), " "));
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : words_of(text)) {
    if (line.empty()) {
      line = word;
    } else if (text_width(line) + 1 + text_width(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(std::exchange(line, word));
    }
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string first_sentence(std::string_view text, std::size_t characters) {
  const std::size_t paragraph = text.find("\n\n");
  std::string sentence = one_paragraph(text.substr(0, paragraph));
  for (const char* end : {". ", "; "}) {
    if (const auto found = sentence.find(end); found != std::string::npos) sentence.resize(found);
  }
  if (sentence.ends_with('.')) sentence.pop_back();
  if (text_width(sentence) <= characters) return sentence;
  return wrapped_lines(sentence, characters - 1).front() + "…";
}

std::string wrapped_paragraphs(std::string_view text, std::size_t width) {
  std::string laid_out;
  std::string paragraph;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line.empty() && line.front() != ' ') {
      paragraph += fmt::format("{} ", line);
      // A heading has its own paragraph.
      if (line.ends_with(':')) append_paragraph(laid_out, paragraph, width);
      continue;
    }
    append_paragraph(laid_out, paragraph, width);
    if (line.starts_with(command_beginning) && text_width(line) > width) {
      append_command(laid_out, line, width);
    } else {
      laid_out += fmt::format("{}\n", line);
    }
  }
  append_paragraph(laid_out, paragraph, width);
  return laid_out;
}

}  // namespace drover::text
