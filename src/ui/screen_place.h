// Whether there can be a screen: a terminal on the standard input and on the error stream, of a
// known kind, large enough, in whose foreground we are.
//
// To be asked from one thread, before a screen is made.
#pragma once

#include <optional>
#include <string>

namespace drover::ui {

// Below this the screen has no room for its tables: "auto" then takes plain lines.
inline constexpr int screen_columns_least = 80;
inline constexpr int screen_rows_least = 24;

// Why a screen is out of the question; nothing if it is not. The size is not among the reasons.
std::optional<std::string> why_no_screen();

// Whether a screen is what a person wants who has not said.
bool screen_suits();

}  // namespace drover::ui
