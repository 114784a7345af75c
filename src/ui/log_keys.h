// The keys by which the log is looked at: the same on each screen. Pure.
#pragma once

#include <cstddef>

#include "ui/log_book.h"
#include "ui/terminal.h"

namespace drover::ui {

// Whether the key was one of them. `page`: the lines of the log that are visible.
bool look_at_log(LogBook& log, Key key, std::size_t page);

}  // namespace drover::ui
