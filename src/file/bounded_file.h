// Reads foreign files, up to a size. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "file/file_descriptor.h"

namespace drover::file {

// Its message names the reason but not the file, which the caller names.
class UnreadableFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns true for "-" and for the paths of the standard input, such as /dev/stdin.
bool is_standard_input(std::string_view path);

// Returns the whole content of a file, a pipe or a device; "-" is the standard input. Keeps the
// text of a pipe for a second call. Throws UnreadableFile if the file cannot be read or is larger
// than bytes_max.
std::string read_bounded_file(const std::filesystem::path& path, std::size_t bytes_max);

// Returns at most bytes_max bytes from the beginning of a file, or from the position of an open
// one. Throws std::system_error if it cannot be read.
std::string read_up_to(const std::filesystem::path& path, std::size_t bytes_max);
std::string read_up_to(const FileDescriptor& file, std::size_t bytes_max);

// Returns the content of a file of the system, such as those below /proc, or an empty text.
std::string text_or_nothing(const std::filesystem::path& path);

// Files for other hosts. After remember_files(), remembered_files() returns the texts that
// read_bounded_file() has read, by path as written. read_in_place_of_files() sets the texts that
// read_bounded_file() returns instead of the files at these paths. Read files of one host, such as
// those below /proc, tokens and certificates, by read_up_to().
void remember_files();
std::map<std::string, std::string> remembered_files();
void read_in_place_of_files(std::map<std::string, std::string> files);

}  // namespace drover::file
