// Writes a text to a file completely or not at all.
//
// The text is written to a temporary file in the same folder, synced to the disk, and renamed: a
// reader sees the old file or the new one. A path that is not a regular file (a pipe), and paths
// under /dev, are written in place.
//
// Thread safety: any thread, one at a time for a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace drover::file {

struct WantedFile {
  std::filesystem::path path;
  std::string_view kind;  // its name in messages, such as "result file"; a literal
};

// The message names the file, the step that failed, the reason, and what to do.
class FileError : public std::runtime_error {
 public:
  FileError(const WantedFile& file, const std::string& step, int number);

  std::filesystem::path path;
  int error_number;  // of errno
};

// Throws FileError. Then an existing file has not changed, and no temporary file is left.
void write_atomically(const WantedFile& wanted, std::string_view text);

// Bytes that check_can_write() writes: one block.
inline constexpr std::size_t room_checked = 4096;

// Throws FileError if write_atomically() could not begin, or the disk has no room for
// `room_checked` bytes. For checks before long work whose result will be written. Leaves and
// changes no file.
void check_can_write(const WantedFile& wanted);

}  // namespace drover::file
