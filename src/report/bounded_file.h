// Reads a file that somebody else wrote: whole, but never more than was asked for.
//
// May be called from any thread. Only regular files are read: a pipe could make the reader wait for
// ever, and a device has no end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace drover::report {

// The message names the reason and what to do, but not the file: the caller says what it is for.
class UnreadableFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws UnreadableFile if it is not a regular file, cannot be read, or is above bytes_max. At most
// bytes_max + 1 bytes are ever held.
std::string read_bounded_file(const std::filesystem::path& path, std::size_t bytes_max);

// Text of others within a message: at most bytes_max of it, on one line, with \x.. in place of
// what is not printable, of control characters in UTF-8 (C1, changes of direction) and of quotes.
std::string shown(std::string_view text, std::size_t bytes_max = 60);

// Text of several lines for a terminal: all control characters but the line break become spaces,
// and so does what is not UTF-8.
std::string terminal_text(std::string_view text);

}  // namespace drover::report
