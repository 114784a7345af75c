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
  if (isatty(STDERR_FILENO) == 0) return "the error stream is not a terminal";
  if (isatty(STDIN_FILENO) == 0) return "the standard input is not a terminal";
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread is started
  const char* type = std::getenv("TERM");
  if (type == nullptr || *type == '\0') return "TERM is not set, so the terminal type is unknown";
  if (std::string_view(type) == "dumb")
    return "TERM is \"dumb\", a terminal type that cannot position text";
  int found = 0;
  if (setupterm(type, STDERR_FILENO, &found) != OK) {
    return "terminfo does not know the terminal type in TERM (to test it: infocmp)";
  }
  const char* address = tigetstr("cup");
  const bool places = address != nullptr && address != reinterpret_cast<const char*>(-1);
  del_curterm(cur_term);
  if (!places) return "the terminal type in TERM cannot position text";
  const pid_t foreground = tcgetpgrp(STDIN_FILENO);  // fails if it is not our controlling terminal
  if (foreground > 0 && foreground != getpgrp()) return "drover is a background job";
  return std::nullopt;
}

bool screen_suits() {
  if (why_no_screen()) return false;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return false;
  return size.ws_col >= screen_columns_least && size.ws_row >= screen_rows_least;
}

}  // namespace drover::ui
