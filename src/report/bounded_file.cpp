#include "report/bounded_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "report/utf8.h"

namespace drover::report {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

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
  throw UnreadableFile(
      fmt::format("it is larger than {}, which no such file of drover's is", size_text(bytes_max)));
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

std::string read_bounded_file(const std::filesystem::path& path, std::size_t bytes_max) {
  // Not blocking, for otherwise to open a pipe waits for who writes to it.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0) refuse(errno);
  struct stat status{};
  if (fstat(file.get(), &status) != 0) refuse(errno);
  if (!S_ISREG(status.st_mode)) {
    throw UnreadableFile(fmt::format("it is {}; expected a file", kind_of(status.st_mode)));
  }
  if (static_cast<std::uintmax_t>(status.st_size) > bytes_max) refuse_size(bytes_max);
  std::string text;
  // The size is a hint only: files below /proc say 0, and others may grow while they are read.
  constexpr std::size_t step = 64 * 1024;
  text.reserve(std::min(static_cast<std::size_t>(status.st_size) + step, bytes_max + 1));
  while (text.size() <= bytes_max) {
    const std::size_t before = text.size();
    text.resize(std::min(before + step, bytes_max + 1));
    const ssize_t count = read(file.get(), text.data() + before, text.size() - before);
    const int error_number = errno;
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return text;
    if (count < 0 && error_number != EINTR) refuse(error_number);
  }
  refuse_size(bytes_max);
}

std::string shown(std::string_view text, std::size_t bytes_max) {
  std::string result;
  while (!text.empty()) {
    const Utf8Character next = first_character(text);
    if (result.size() + std::max<std::size_t>(next.bytes, 4) > bytes_max) return result + "...";
    if (next.valid && is_printable(next.point) && next.point != '"' && next.point != '\\') {
      result += text.substr(0, next.bytes);
    } else {
      for (const char byte : text.substr(0, next.bytes)) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    }
    text.remove_prefix(next.bytes);
  }
  return result;
}

std::string terminal_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character next = first_character(text);
    const bool kept = next.point == '\n' || (next.valid && is_printable(next.point));
    result += kept ? text.substr(0, next.bytes) : std::string_view(" ");
    text.remove_prefix(next.bytes);
  }
  return result;
}

}  // namespace drover::report
