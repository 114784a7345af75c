#include "file/bounded_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace drover::file {

namespace {

[[noreturn]] void refuse(int error_number) {
  throw UnreadableFile(
      fmt::format("cannot read it: {}", std::generic_category().message(error_number)));
}

std::string size_text(std::size_t bytes) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  if (bytes >= mebibyte && bytes % mebibyte == 0) return fmt::format("{} MiB", bytes / mebibyte);
  return fmt::format("{} bytes", bytes);
}

[[noreturn]] void refuse_size(std::size_t bytes_max) {
  throw UnreadableFile(fmt::format("it is larger than {}, the largest size that Drover reads",
                                   size_text(bytes_max)));
}

// Returns true also if the standard input is open only for writing, as in a program started without
// one.
bool is_standard_input_closed() {
  const int flags = fcntl(STDIN_FILENO, F_GETFL);
  return flags < 0 || (flags & O_ACCMODE) == O_WRONLY;
}

FileDescriptor opened(const std::filesystem::path& path) {
  if (is_standard_input(path.native()) && is_standard_input_closed()) {
    throw UnreadableFile("the standard input is closed");
  }
  if (path == "-") return FileDescriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  return FileDescriptor(open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
}

struct Files {
  std::mutex mutex;
  bool remembers = false;
  std::map<std::string, std::string> read;
  std::map<std::string, std::string> in_place;
};

Files& files() {
  static Files all;
  return all;
}

// Returns the text that replaces the file, if any.
std::optional<std::string> in_place_of(const std::filesystem::path& path) {
  const std::lock_guard lock(files().mutex);
  const auto found = files().in_place.find(path.native());
  return found != files().in_place.end() ? std::optional(found->second) : std::nullopt;
}

std::string remembered(const std::filesystem::path& path, std::string text, bool is_file) {
  const std::lock_guard lock(files().mutex);
  if (!is_file) files().in_place.emplace(path.native(), text);
  if (files().remembers) files().read.emplace(path.native(), text);
  return text;
}

}  // namespace

void remember_files() {
  const std::lock_guard lock(files().mutex);
  files().remembers = true;
}

std::map<std::string, std::string> remembered_files() {
  const std::lock_guard lock(files().mutex);
  return files().read;
}

void read_in_place_of_files(std::map<std::string, std::string> all) {
  const std::lock_guard lock(files().mutex);
  files().in_place = std::move(all);
}

bool is_standard_input(std::string_view path) {
  return path == "-" || path == "/dev/stdin" || path == "/dev/fd/0" || path == "/proc/self/fd/0";
}

std::string read_bounded_file(const std::filesystem::path& path, std::size_t bytes_max) {
  if (auto text = in_place_of(path)) {
    if (text->size() > bytes_max) refuse_size(bytes_max);
    return std::move(*text);
  }
  const FileDescriptor file = opened(path);
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0) refuse(errno);
  if (S_ISDIR(status.st_mode)) throw UnreadableFile("it is a folder. Expected a file");
  if (S_ISREG(status.st_mode) && static_cast<std::uintmax_t>(status.st_size) > bytes_max) {
    refuse_size(bytes_max);
  }
  try {
    // The size is only a hint: files below /proc report 0, and other files may grow.
    std::string text = read_up_to(file, bytes_max + 1);
    if (text.size() > bytes_max) refuse_size(bytes_max);
    return remembered(path, std::move(text), S_ISREG(status.st_mode));
  } catch (const std::system_error& error) {
    refuse(error.code().value());
  }
}

std::string read_up_to(const FileDescriptor& file, std::size_t bytes_max) {
  std::string text;
  constexpr std::size_t step = 64 * 1024;
  while (text.size() < bytes_max) {
    const std::size_t before = text.size();
    text.resize(before + std::min(step, bytes_max - before));
    const ssize_t count = read(file.get(), text.data() + before, text.size() - before);
    const int error_number = errno;
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return text;
    if (count < 0 && error_number != EINTR) {
      throw std::system_error(error_number, std::generic_category());
    }
  }
  return text;
}

std::string read_up_to(const std::filesystem::path& path, std::size_t bytes_max) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
  if (!file) throw std::system_error(errno, std::generic_category());
  return read_up_to(file, bytes_max);
}

std::string text_or_nothing(const std::filesystem::path& path) {
  try {
    return read_up_to(path, std::size_t{64} << 20);
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace drover::file
