// What commands print. A full disk or a closed descriptor is an error that names what was lost.
#pragma once

#include <cstdio>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace drover::cli {

// Writes all of it at once, to stdout or stderr. `what` is what the message calls it, such as "the
// report". Throws std::runtime_error with the reason.
void print(std::FILE* out, std::string_view text, std::string_view what);

// To the standard output.
void print(std::string_view text, std::string_view what);

// A document for the file that an option such as --json names; empty: it is not wanted.
struct OutputFile {
  std::string path;
  std::string_view kind = "JSON file";  // as messages call it; a literal
  bool dash_is_standard_output = true;  // where the document then stands alone

  bool is_standard_output() const { return dash_is_standard_output && path == "-"; }
  // Where text for people goes.
  std::FILE* for_people() const { return is_standard_output() ? stderr : stdout; }
  // Throws file::FileError if it could not be written: to be asked before the work.
  void check() const;
  // Asks for the text only where it is wanted. Throws file::FileError, or what print() throws.
  void write(const std::function<std::string()>& text) const;
};

// A line for people that is no part of the command's output, and may be of other programs: control characters become
// spaces. Does not throw.
void note_to_stderr(std::string_view line);

// Takes each step, whatever became of those before: what cannot be written must not cost what can.
// Then throws the first error.
void write_each(std::initializer_list<std::function<void()>> steps);

}  // namespace drover::cli
