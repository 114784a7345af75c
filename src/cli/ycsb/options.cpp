#include "cli/ycsb/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cli/standard_output.h"
#include "ranks/member_run.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/ycsb/values.h"

namespace drover::cli {
namespace {

// Returns false for properties that another option sets, and for those that are only accepted
// because the original has them.
bool has_flag(std::string_view name) {
  constexpr std::array<std::string_view, 16> without = {"workload",
                                                        "threadcount",
                                                        "target",
                                                        "maxexecutiontime",
                                                        "operationcount",
                                                        "status.interval",
                                                        "dotransactions",
                                                        "label",
                                                        "dataintegrity",
                                                        "core_workload_insertion_retry_limit",
                                                        "core_workload_insertion_retry_interval",
                                                        "measurement.interval",
                                                        "hdrhistogram.percentiles",
                                                        "hdrhistogram.fileoutput",
                                                        "hdrhistogram.output.path",
                                                        "reportlatencyforeacherror"};
  return std::ranges::find(without, name) == without.end();
}

// Returns the option of a property: --exponential-frac. Variables and keys of the file of --config
// cannot contain a dot.
std::string flag_of(std::string name) {
  std::ranges::replace(name, '.', '-');
  return "--" + name;
}

}  // namespace

void add_property_options(Command& command, PropertyArguments& arguments,
                          const std::set<std::string_view>& common) {
  command.add_options(
      "Workload",
      {{"--workload",
        &arguments.workload,
        "a|b|c|d|e|f",
        "YCSB's core workload. a: half updates; b: mostly reads; c: reads only; d: reads of new "
        "rows; e: short scans; f: read-modify-writes",
        {.common = common.contains("workload")}},
       {"-P,--property-file", &arguments.files, "FILE",
        "Read properties from a workload file of YCSB. Later files override earlier ones",
        input_file},
       {"-p,--property", &arguments.settings, "KEY=VALUE",
        "Set a property, overriding workload files"}});
  std::vector<Option> options;
  for (const ycsb::PropertyDefinition& one : ycsb::property_table()) {
    if (!has_flag(one.name)) continue;
    auto& flag = arguments.flags.emplace_back(one.name, std::nullopt);
    options.push_back({flag_of(one.name),
                       &flag.second,
                       one.kind.placeholder,
                       one.help,
                       {.default_text = one.kind.show({}), .common = common.contains(one.name)}});
  }
  command.add_options(properties_group, std::move(options));
}

ycsb::Properties read_properties(const PropertyArguments& arguments) {
  try {
    ycsb::PropertyReader reader;
    if (!arguments.workload.empty()) reader.add_workload(arguments.workload);
    for (const std::string& file : arguments.files) reader.add_file(file);
    for (const std::string& setting : arguments.settings) reader.add_setting(setting);
    for (const auto& [name, value] : arguments.flags) {
      if (value) reader.add_setting(fmt::format("{}={}", name, *value), flag_of(name));
    }
    return reader.properties();
  } catch (const ycsb::PropertyError& error) {
    throw UsageError(error.what());
  }
}

ycsb::Properties read_row_properties(const PropertyArguments& arguments) {
  ycsb::Properties properties = read_properties(arguments);
  try {
    (void)ycsb::FieldLengths(properties);
  } catch (const ycsb::PropertyError& error) {
    throw UsageError(error.what());
  }
  return properties;
}

void note_without_effect(const ycsb::Properties& properties) {
  constexpr std::array<std::string_view, 5> known = {
      "core_workload_insertion_retry_limit", "core_workload_insertion_retry_interval",
      "readallfieldsbyname", "reportlatencyforeacherror", "status.interval"};
  std::vector<std::string> names = properties.ignored;
  for (const std::string_view name : known) {
    if (properties.is_given(name)) names.emplace_back(name);
  }
  if (names.empty()) return;
  note_to_stderr(
      fmt::format("note: these properties have no effect in Drover: {}", fmt::join(names, ", ")));
}

}  // namespace drover::cli
