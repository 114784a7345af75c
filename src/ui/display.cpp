#include "ui/display.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include "ui/import_display.h"
#include "ui/import_lines.h"
#include "ui/import_screen.h"
#include "ui/plain_lines.h"
#include "ui/run_screen.h"
#include "ui/screen_place.h"

namespace drover::ui {
namespace {

constexpr coro::Duration plain_interval = std::chrono::seconds(5);

// Errors and the summary are all that is printed.
class QuietRun final : public RunDisplay {};
class QuietImport final : public ImportDisplay {};

// The screen if it was asked for, or suits and can be had; else nothing.
template <class Display, class Make>
std::unique_ptr<Display> screen_or_nothing(Choice choice, Make make) {
  const bool wanted = choice == Choice::screen;
  if (!wanted && !(choice == Choice::automatic && screen_suits())) return nullptr;
  try {
    return make();
  } catch (const std::exception& error) {
    if (wanted) throw;
    fmt::print(stderr, "note: no screen ({}); plain lines instead\n", error.what());
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<RunDisplay> make_run_display(Choice choice, const load::Plan& plan, RunTitle title,
                                             std::function<void()> on_quit) {
  if (choice == Choice::quiet) return std::make_unique<QuietRun>();
  auto screen = screen_or_nothing<RunDisplay>(
      choice, [&] { return std::make_unique<RunScreen>(plan, title, on_quit); });
  if (screen != nullptr) return screen;
  return std::make_unique<PlainLines>(plan, stderr, plain_interval);
}

std::unique_ptr<ImportDisplay> make_import_display(Choice choice, ImportTitle title,
                                                   std::function<void()> on_quit) {
  if (choice == Choice::quiet) return std::make_unique<QuietImport>();
  auto screen = screen_or_nothing<ImportDisplay>(
      choice, [&] { return std::make_unique<ImportScreen>(title, on_quit); });
  if (screen != nullptr) return screen;
  return std::make_unique<ImportLines>(stderr, std::move(title));
}

}  // namespace drover::ui
