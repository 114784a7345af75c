#include "cli/standard_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <exception>
#include <stdexcept>
#include <system_error>

#include "file/atomic_file.h"
#include "text/utf8.h"

namespace drover::cli {

void print(std::FILE* out, std::string_view text, std::string_view what) {
  if (std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0) return;
  throw std::runtime_error(fmt::format("cannot write {} to the {}: {}", what,
                                       out == stderr ? "error stream" : "standard output",
                                       std::generic_category().message(errno)));
}

void OutputFile::check() const {
  if (!path.empty() && !is_standard_output()) file::check_can_write({path, kind});
}

void OutputFile::write(const std::function<std::string()>& text) const {
  if (path.empty()) return;
  const std::string document = text();
  if (is_standard_output()) return print(document, "the JSON document");
  file::write_atomically({path, kind}, document);
}

void note_to_stderr(std::string_view line) {
  std::fputs((text::terminal_text(line) + "\n").c_str(), stderr);
}

void write_each(std::initializer_list<std::function<void()>> steps) {
  std::exception_ptr first;
  for (const auto& step : steps) {
    try {
      step();
    } catch (const std::exception&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace drover::cli
