// The log of the private server: a file that each start appends to, and one older.
#pragma once

#include <cstdint>
#include <string>

#include "database/embedded/file_descriptor.h"
#include "database/embedded/layout.h"

namespace drover::database::embedded {

inline constexpr uintmax_t log_bytes_max = 16 * 1024 * 1024;  // beyond it a start begins anew

// Opens it to append; a long one first takes the place of the older. Throws ServerError.
FileDescriptor open_log(const Layout& layout);

// 0 when there is none.
uintmax_t log_size(const Layout& layout);

// What was written from that offset on, at most the last 20 lines of it.
std::string log_tail(const Layout& layout, uintmax_t from);

}  // namespace drover::database::embedded
