#include "cli/ui_option.h"

#include <fmt/format.h>

#include "cli/usage_error.h"
#include "ui/screen_place.h"

namespace drover::cli {

void add_ui_option(CLI::App& command, std::string& written) {
  command
      .add_option("--ui", written,
                  "What is shown meanwhile, on the error stream. screen: a live screen with keys\n"
                  "(? shows them); plain: lines; quiet: nothing. auto: the screen where the\n"
                  "standard input and the error stream are a terminal of 80 x 24 or more, else\n"
                  "plain")
      ->type_name("auto|screen|plain|quiet")
      ->capture_default_str()
      ->group("Output");
}

ui::Choice parse_ui_choice(const std::string& written) {
  if (written == "auto") return ui::Choice::automatic;
  if (written == "plain") return ui::Choice::plain;
  if (written == "quiet") return ui::Choice::quiet;
  if (written != "screen") {
    throw UsageError(fmt::format("--ui {}: expected auto, screen, plain or quiet", written));
  }
  if (const auto reason = ui::why_no_screen()) {
    throw UsageError(
        fmt::format("--ui screen: {}. Use --ui plain, or run it in a terminal", *reason));
  }
  return ui::Choice::screen;
}

}  // namespace drover::cli
