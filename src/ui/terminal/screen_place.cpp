#include "ui/terminal/screen_place.h"

#include <curses.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

// Macros that terminfo makes of ordinary words.
#undef lines
#undef columns

namespace drover::ui {

std::optional<std::string> why_no_screen() {
  if (isatty(STDERR_FILENO) == 0) return "the error stream is no terminal";
  if (isatty(STDIN_FILENO) == 0) return "the standard input is no terminal";
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread is started
  const char* type = std::getenv("TERM");
  if (type == nullptr || *type == '\0') return "TERM is not set, so its kind is unknown";
  if (std::string_view(type) == "dumb") return "TERM is \"dumb\": it cannot place text";
  int found = 0;
  if (setupterm(type, STDERR_FILENO, &found) != OK) {
    return "terminfo does not know the kind of terminal that TERM names (see: infocmp)";
  }
  const char* address = tigetstr("cup");
  const bool places = address != nullptr && address != reinterpret_cast<const char*>(-1);
  del_curterm(cur_term);
  if (!places) return "a terminal of the kind that TERM names cannot place text";
  const pid_t foreground = tcgetpgrp(STDIN_FILENO);  // fails if it is not our controlling terminal
  if (foreground > 0 && foreground != getpgrp()) return "this is a background job of its terminal";
  return std::nullopt;
}

bool screen_suits() {
  if (why_no_screen()) return false;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return false;
  return size.ws_col >= screen_columns_least && size.ws_row >= screen_rows_least;
}

}  // namespace drover::ui
