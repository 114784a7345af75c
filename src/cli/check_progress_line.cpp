#include "cli/check_progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "ui/number_text.h"

namespace drover::cli {
namespace {

constexpr std::size_t width_max = 79;

}  // namespace

CheckProgressLine::CheckProgressLine(std::FILE* stream)
    : stream_(stream), terminal_(isatty(fileno(stream)) == 1) {}

CheckProgressLine::~CheckProgressLine() {
  clear();
}

std::string CheckProgressLine::text(const tpcc::CheckProgress& progress) {
  std::string text = fmt::format("checked {}%", progress.done * 100 / progress.total);
  if (progress.left) {
    text += fmt::format(", {} left",
                        ui::clock_text(std::chrono::ceil<std::chrono::seconds>(*progress.left)));
  }
  if (!progress.condition.empty()) text += fmt::format(", now: {}", progress.condition);
  if (text.size() > width_max) text = text.substr(0, width_max - 3) + "...";
  return text;
}

void CheckProgressLine::show(const tpcc::CheckProgress& progress) {
  if (terminal_) write(text(progress));
}

void CheckProgressLine::clear() {
  if (width_ > 0) write("");
}

// Blanks cover what a longer line has left.
void CheckProgressLine::write(const std::string& text) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "\r{:<{}}\r{}", text, width_, text);
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fflush(stream_);
  width_ = text.size();
}

}  // namespace drover::cli
