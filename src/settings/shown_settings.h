// The settings of a run in the tables of reports and in comparisons. Pure functions, for any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "settings/run_settings.h"

namespace drover::settings {

struct ShownSetting {
  std::string label;
  std::string text;
};

// Return the tables of a report.
std::vector<ShownSetting> settings_of_load(const RunSettings& run);
std::vector<ShownSetting> settings_of_database(const RunSettings& run);

// A setting in which comparable results agree. The sentence about a difference begins with the
// label. Runs of a benchmark have the same settings, except those with the key "workload".
struct ComparedSetting {
  std::string_view key;  // of --allow-different
  ShownSetting shown;
};
std::vector<ComparedSetting> settings_to_agree_in(const RunSettings& run);

// Returns the settings whose differences a comparison only mentions.
std::vector<ShownSetting> settings_worth_a_note(const RunSettings& run);

}  // namespace drover::settings
