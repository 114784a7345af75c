// Each property once: its name, how it is read and shown, and what it says. Immutable; any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

struct PropertyKind {
  std::string expected;     // for messages: "a whole number from 1 to 1000"
  std::string placeholder;  // of the value, in the help: "N", "true|false"
  // False, and nothing changed, where the value is not as expected.
  std::function<bool(Properties&, std::string_view)> read;
  std::function<std::string(const Properties&)> show;
};

struct PropertyDefinition {
  std::string name;
  PropertyKind kind;
  std::string says;
};

const std::vector<PropertyDefinition>& property_table();

// Null where there is none of that name.
const PropertyDefinition* find_property(std::string_view name);

bool is_ignored_property(std::string_view name);

// Returns true for go-ycsb's measurement.interval, a number of seconds, which has no effect here.
bool is_status_interval_of_go_ycsb(std::string_view name, std::string_view value);

// "; did you mean recordcount?", or nothing.
std::string did_you_mean_property(std::string_view name);

}  // namespace drover::ycsb
