// Reads a file that somebody else wrote: whole, but never more than was asked for. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "file/file_descriptor.h"

namespace drover::file {

// The message names the reason and what to do, but not the file: the caller says what it is for.
class UnreadableFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns true for "-" and for the paths of the standard input, such as /dev/stdin.
bool is_standard_input(std::string_view path);

// Returns the whole content of a file, a pipe or a device; "-" is the standard input. Reads a pipe
// until its writer closes it, and keeps the text for a second call. Throws UnreadableFile if the
// file cannot be read or is larger than bytes_max; reads at most bytes_max + 1 bytes.
std::string read_bounded_file(const std::filesystem::path& path, std::size_t bytes_max);

// The beginning of a file of any kind; whoever asks for a byte more than there may be sees that it
// is longer. Throws std::system_error if it cannot be read.
std::string read_up_to(const std::filesystem::path& path, std::size_t bytes_max);

// The same from where an open file or a pipe stands.
std::string read_up_to(const FileDescriptor& file, std::size_t bytes_max);

// All of a file that a machine keeps for its programs, such as those below /proc; nothing if it
// cannot be read.
std::string text_or_nothing(const std::filesystem::path& path);

// For a process on another host that is to read what this one has read: from now on it is remembered what
// read_bounded_file() reads. Files of one host alone, such as those below /proc, tokens and certificates, are for
// read_up_to().
void remember_files();
// By their paths, as they were written.
std::map<std::string, std::string> remembered_files();
// These are what read_bounded_file() reads in place of what is at their paths. Before any of them is read.
void read_in_place_of_files(std::map<std::string, std::string> files);

}  // namespace drover::file
