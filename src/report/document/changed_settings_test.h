// The settings of a run by name, and with another value of one of them: for tests that go through
// all settings there are, so that a new one fails them until it has its place.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document/described_json.h"
#include "report/document/described_reader.h"
#include "settings/run_settings.h"

namespace drover::report {

template <class Described>
nlohmann::json described_json(const Described& value) {
  DescribedJson described;
  describe(described, value);
  return described.take();
}

// Returns a value of the same kind that differs.
inline nlohmann::json other_value(const nlohmann::json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_float()) return value.get<double>() + 1;
  if (value.is_number()) return value.get<std::uint64_t>() + 1;
  if (value.is_string()) return value.get<std::string>() + "x";
  if (value.is_null()) return 5;
  nlohmann::json longer = value;
  longer.push_back({{"name", "another"}, {"value", "one"}});
  return longer;
}

// Replaces the value of the setting `name`, and of a setting with fields that of the field `inner`.
inline settings::RunSettings with_other_value(const settings::RunSettings& run,
                                              const std::string& name,
                                              const std::string& inner = {}) {
  if (name == "benchmark") {  // on which it depends which settings there are
    settings::RunSettings other = run;
    other.benchmark = "sql";
    return other;
  }
  nlohmann::json document = described_json(run);
  nlohmann::json& value = inner.empty() ? document.at(name) : document.at(name).at(inner);
  value = other_value(value);
  settings::RunSettings other;
  other.benchmark = run.benchmark;
  const std::string text = document.dump();
  JsonReader json(text);
  read_described(json, other);
  return other;
}

}  // namespace drover::report
