// What commands print. A full disk or a closed descriptor is an error that names what was lost.
#pragma once

#include <cstdio>
#include <functional>
#include <initializer_list>
#include <string_view>

namespace drover::cli {

// Writes all of it at once, to stdout or stderr. `what` is what the message calls it, such as "the
// report". Throws std::runtime_error with the reason.
void print(std::FILE* out, std::string_view text, std::string_view what);

// To the standard output.
void print(std::string_view text, std::string_view what);

// Takes each step, whatever became of those before: what cannot be written must not cost what can.
// Then throws the first error.
void write_each(std::initializer_list<std::function<void()>> steps);

}  // namespace drover::cli
