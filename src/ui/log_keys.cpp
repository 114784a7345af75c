#include "ui/log_keys.h"

#include <algorithm>

namespace drover::ui {

bool look_at_log(LogBook& log, Key key, std::size_t page) {
  const auto step = static_cast<std::int64_t>(std::max<std::size_t>(page, 2) - 1);
  switch (key) {
    case Key::pause:
      log.pause_or_follow();
      return true;
    case Key::up:
      log.scroll(1, page);
      return true;
    case Key::down:
      log.scroll(-1, page);
      return true;
    case Key::page_up:
      log.scroll(step, page);
      return true;
    case Key::page_down:
      log.scroll(-step, page);
      return true;
    case Key::home:
      log.scroll(static_cast<std::int64_t>(log.size()), page);
      return true;
    case Key::end:
      log.follow();
      return true;
    default:
      return false;
  }
}

}  // namespace drover::ui
