// A history for people at a terminal: a chart of characters, at most 100 columns wide, a sentence
// for each change, and what was left out. And as a JSON document: docs/compare.md describes every
// field.
//
// Pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/history.h"

namespace drover::report {

inline constexpr int history_schema_version = 1;

// Ends with a newline. Whatever prints it passes it through terminal_text().
std::string history_text(const History& history);

nlohmann::json history_json(const History& history);

// "A: between a.json (2026-…) and b.json (…): tpmC fell from 3000 to 2850 /min (-5.0%), p 0.0005:
// worse". `number` counts from 0.
std::string change_sentence(const History& history, std::size_t number);

// That none was found, or that there are too few results to find one. Requires: no changes.
std::string no_change_sentence(const History& history);

// What a change is called in charts: A, B, …, Z, AA, …
std::string change_letter(std::size_t number);

}  // namespace drover::report
