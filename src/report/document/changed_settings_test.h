// The settings of a run by name, and copies with another value of one setting. For tests that go
// through all settings, so that a new setting fails them until it is handled.
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

// Returns a different value of the same type.
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

// Returns the run with another value of the setting `name`; of a setting with fields, another value
// of its field `inner`.
inline settings::RunSettings with_other_value(const settings::RunSettings& run,
                                              const std::string& name,
                                              const std::string& inner = {}) {
  if (name == "benchmark") {  // the other settings depend on it
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
