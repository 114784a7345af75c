// Whether there is a screen: if it was asked for, or if nobody said and there is a terminal on the
// standard input and on the error stream, of a known kind, large enough, in whose foreground we are.
//
// To be asked from one thread, before a screen is made.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace drover::ui {

enum class Choice { automatic, screen, plain, quiet };

// Below this the screen has no room for its tables: "auto" then takes plain lines.
inline constexpr int screen_columns_least = 80;
inline constexpr int screen_rows_least = 24;

// Why a screen is out of the question; nothing if it is not. The size is not among the reasons.
std::optional<std::string> why_no_screen();

// Whether a screen is what a person wants who has not said.
bool screen_suits();

// What `make` makes, which throws if there can be no screen; nullptr if there shall be none.
template <class Make>
auto screen_or_nothing(Choice choice, Make make) -> decltype(make()) {
  const bool wanted = choice == Choice::screen;
  if (!wanted && !(choice == Choice::automatic && screen_suits())) return nullptr;
  try {
    return make();
  } catch (const std::exception& error) {
    if (wanted) throw;
    fmt::print(stderr, "note: the live screen is not available ({}). Drover prints plain lines\n",
               error.what());
  }
  return nullptr;
}

}  // namespace drover::ui
