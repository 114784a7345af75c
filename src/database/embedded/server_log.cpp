#include "database/embedded/server_log.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "database/embedded/server_error.h"

namespace drover::database::embedded {
namespace {

namespace fs = std::filesystem;

constexpr size_t tail_lines_max = 20;
constexpr uintmax_t tail_bytes_max = 16 * 1024;

}  // namespace

FileDescriptor open_log(const Layout& layout) {
  std::error_code ignored;  // a log that grows is no reason not to start
  if (log_size(layout) > log_bytes_max) fs::rename(layout.log(), layout.previous_log(), ignored);
  FileDescriptor log(
      ::open(layout.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!log) {
    throw folder_error(fmt::format("cannot open the server's log {}", layout.log().string()),
                       errno);
  }
  return log;
}

uintmax_t log_size(const Layout& layout) {
  std::error_code error;
  const uintmax_t size = fs::file_size(layout.log(), error);
  return error ? 0 : size;
}

std::string log_tail(const Layout& layout, uintmax_t from) {
  const uintmax_t size = log_size(layout);
  std::ifstream file(layout.log());
  file.seekg(static_cast<std::streamoff>(std::max(from, size - std::min(size, tail_bytes_max))));
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
    if (lines.size() > tail_lines_max) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  if (!text.empty()) text.pop_back();
  return text.empty() ? "  (nothing)" : text;
}

}  // namespace drover::database::embedded
