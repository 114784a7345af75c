// Writes a text to a file, whole or not at all.
//
// The text goes to a temporary file of the same folder, is synced to the disk, and takes the name
// asked for in one step: whoever reads the file sees the old one or the new one, never half. What
// is not a regular file (a pipe) and what stands under /dev is written in place.
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
  std::string_view kind;  // what messages call it, such as "result file"; a literal
};

// The message names the file, the step that failed, the reason, and what to do.
class FileError : public std::runtime_error {
 public:
  FileError(const WantedFile& file, const std::string& step, int number);

  std::filesystem::path path;
  int error_number;  // of errno
};

// Throws FileError. A file that was there before is then still there and unchanged, and no
// temporary file is left.
void write_atomically(const WantedFile& wanted, std::string_view text);

// Bytes that check_can_write() writes: one block, which a full disk cannot store.
inline constexpr std::size_t room_checked = 4096;

// Throws FileError if write_atomically() could not begin, or if the disk has no room for
// `room_checked` bytes. To be called before hours of work whose result is to be written. Leaves no
// file behind and changes none.
void check_can_write(const WantedFile& wanted);

}  // namespace drover::file
