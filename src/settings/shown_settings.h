// The settings of a run as people see them: in the tables of a report, and where results are compared. A new
// setting has its row here and nowhere else. Pure functions; any thread.
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

// The tables of a report.
std::vector<ShownSetting> settings_of_load(const RunSettings& run);
std::vector<ShownSetting> settings_of_database(const RunSettings& run);

// What results have to agree in: the sentence that says how they differ begins with the label. Runs of one
// benchmark have the same settings here, but for what they were given (the key "workload").
struct ComparedSetting {
  std::string_view key;  // of --allow-different
  ShownSetting shown;
};
std::vector<ComparedSetting> settings_to_agree_in(const RunSettings& run);

// What they may differ in, which a comparison mentions.
std::vector<ShownSetting> settings_worth_a_note(const RunSettings& run);

}  // namespace drover::settings
