// The output of commands. A full disk or a closed descriptor is an error.
#pragma once

#include <cstdio>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace drover::cli {

// Writes the text to stdout or stderr. Throws std::runtime_error with `what`, such as "the report",
// and the reason.
void print(std::FILE* out, std::string_view text, std::string_view what);
inline void print(std::string_view text, std::string_view what) {
  print(stdout, text, what);
}

// A document for the file that an option such as --json names. Empty path: no document.
struct OutputFile {
  std::string path;
  std::string_view kind = "JSON file";  // for messages; a literal
  bool dash_is_standard_output = true;

  bool is_standard_output() const { return dash_is_standard_output && path == "-"; }
  // Returns the stream for text, which is not mixed with the document.
  std::FILE* for_people() const { return is_standard_output() ? stderr : stdout; }
  // Throws file::FileError if the file cannot be written. Called before the work.
  void check() const;
  // Calls `text` only if there is a path. Throws file::FileError, and the error of print().
  void write(const std::function<std::string()>& text) const;
};

// Writes a line to stderr that is no part of the command's output. Replaces control characters by
// spaces. Does not throw.
void note_to_stderr(std::string_view line);

// Executes all steps, also after an error of a step, so that one failed output does not prevent
// another. Then throws the first error.
void write_each(std::initializer_list<std::function<void()>> steps);

}  // namespace drover::cli
