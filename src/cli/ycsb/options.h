// The options that set YCSB's properties: a workload by its name, property files, -p key=value, and
// an option for each property.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option/command.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::cli {

struct PropertyArguments {
  std::string workload;               // a … f; empty: none
  std::vector<std::string> files;     // -P
  std::vector<std::string> settings;  // -p
  // The properties that have options of their own, and their values. A deque, since the options
  // point into it.
  std::deque<std::pair<std::string, std::optional<std::string>>> flags;
};

// `common`: the options that the short help shows, without dashes.
void add_property_options(Command& command, PropertyArguments& arguments,
                          const std::set<std::string_view>& common);

// Returns the properties. The option of a property overrides -p, which overrides files; later files
// and -p override earlier ones. Throws UsageError.
ycsb::Properties read_properties(const PropertyArguments& arguments);

// The same for commands that read or write rows: also reads the file of field lengths that the
// properties may name.
ycsb::Properties read_row_properties(const PropertyArguments& arguments);

// Prints a note on the error stream about the given properties that have no effect in Drover.
void note_without_effect(const ycsb::Properties& properties);

}  // namespace drover::cli
