#include "workload/ycsb/properties/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "file/bounded_file.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/ycsb/workloads/a.properties.h"
#include "workload/ycsb/workloads/b.properties.h"
#include "workload/ycsb/workloads/c.properties.h"
#include "workload/ycsb/workloads/d.properties.h"
#include "workload/ycsb/workloads/e.properties.h"
#include "workload/ycsb/workloads/f.properties.h"

namespace drover::ycsb {
namespace {

constexpr std::array<std::string_view, 6> named_workloads = {
    workload_a_properties, workload_b_properties, workload_c_properties,
    workload_d_properties, workload_e_properties, workload_f_properties};

std::string shown_value(std::string_view value) {
  return text::shown(value, 100);
}

}  // namespace

bool Properties::is_given(std::string_view name) const {
  return std::ranges::binary_search(given, name);
}

std::optional<std::string> Properties::why_no_rows() const {
  if (insert_count > 0) return std::nullopt;
  if (!is_given("recordcount") && !is_given("insertcount")) return std::nullopt;
  return fmt::format(
      "recordcount={}, insertstart={} and insertcount={} leave no row. Expected an insertcount "
      "above 0, or no insertcount, which means recordcount - insertstart",
      record_count, insert_start, insert_count);
}

void PropertyReader::add_workload(std::string_view name) {
  if (name.size() != 1 || name[0] < 'a' || name[0] > 'f') {
    throw PropertyError(
        fmt::format("unknown workload \"{}\". Expected a, b, c, d, e or f", shown_value(name)));
  }
  add_text(named_workloads[static_cast<std::size_t>(name[0] - 'a')],
           fmt::format("the workload {}", name));
}

void PropertyReader::add_file(const std::filesystem::path& path) {
  const std::string origin =
      fmt::format("the property file \"{}\"", text::shown(path.native(), 300));
  std::string text;
  try {
    text = file::read_bounded_file(path, property_file_bytes_max);
  } catch (const file::UnreadableFile& error) {
    throw PropertyError(fmt::format("{}: {}", origin, error.what()));
  }
  add_text(text, origin);
}

void PropertyReader::add_text(std::string_view text, std::string_view origin) {
  std::vector<PropertyEntry> entries;
  try {
    entries = parse_property_file(text);
  } catch (const PropertyError& error) {
    throw PropertyError(fmt::format("{}, {}", origin, error.what()));
  }
  for (const PropertyEntry& entry : entries) {
    add(entry.key, entry.value, fmt::format("{}, line {}", origin, entry.line), false);
  }
}

void PropertyReader::add_setting(std::string_view setting, std::string_view option) {
  const std::size_t equals = setting.find('=');
  const std::string key(text::trimmed(setting.substr(0, equals)));
  if (equals == std::string_view::npos || key.empty()) {
    // The text after the name may be a password.
    const std::string_view name = std::string_view(key).substr(0, key.find_first_of(" :"));
    throw PropertyError(fmt::format("-p {}: expected key=value", shown_value(name)));
  }
  add(key, std::string(setting.substr(equals + 1)), std::string(option), true);
}

void PropertyReader::add(const std::string& key, const std::string& value,
                         const std::string& origin, bool is_setting) {
  const std::string_view separator = is_setting ? " " : ": ";
  const PropertyDefinition* const definition = find_property(key);
  if (definition == nullptr) {
    if (!is_ignored_property(key)) {
      throw PropertyError(fmt::format("{}{}{}: unknown property{}", origin, separator,
                                      shown_value(key), did_you_mean_property(key)));
    }
    ignored_.insert(shown_value(key));
    return;
  }
  const std::string_view meant = text::trimmed(value);
  if (is_status_interval_of_go_ycsb(key, meant)) {
    ignored_.insert(key);
    return;
  }
  if (!definition->kind.read(properties_, meant)) {
    throw PropertyError(fmt::format("{}{}{}={}: expected {}", origin, separator, key,
                                    shown_value(value), definition->kind.expected));
  }
  origins_[key] = origin;
}

Properties PropertyReader::properties() const {
  Properties result = properties_;
  require_not_above("minfieldlength", result.field_length_min, "fieldlength", result.field_length);
  require_not_above("minscanlength", result.scan_length_min, "maxscanlength",
                    result.scan_length_max);
  if (result.proportions() <= 0) {
    throw PropertyError(
        "the proportions of reads, updates, inserts, scans and read-modify-writes are all 0. "
        "Expected at least one above 0, such as readproportion=1");
  }
  complete_size(result);
  for (const auto& [name, origin] : origins_) {
    // 0 means the same as no recordcount.
    if (name != "recordcount" || properties_.record_count > 0) result.given.push_back(name);
  }
  result.ignored.assign(ignored_.begin(), ignored_.end());
  return result;
}

// Returns "fieldlength=100 (default)".
std::string PropertyReader::described(std::string_view name) const {
  const auto origin = origins_.find(name);
  return fmt::format("{}={} ({})", name, find_property(name)->kind.show(properties_),
                     origin == origins_.end() ? "default" : origin->second);
}

void PropertyReader::require_not_above(std::string_view low, std::int64_t low_value,
                                       std::string_view high, std::int64_t high_value) const {
  if (low_value > high_value) {
    throw PropertyError(fmt::format("{} is above {}", described(low), described(high)));
  }
}

void PropertyReader::complete_size(Properties& result) const {
  if (result.record_count == 0) {
    if (result.insert_count > record_count_max - result.insert_start) {
      throw PropertyError(
          fmt::format("the sum of {} and {} exceeds {}, the largest number of rows of a table",
                      described("insertstart"), described("insertcount"), record_count_max));
    }
    result.record_count = result.insert_start + result.insert_count;
    return;
  }
  require_not_above("insertstart", result.insert_start, "recordcount", result.record_count);
  const std::int64_t rows = result.record_count - result.insert_start;
  if (!origins_.contains("insertcount")) result.insert_count = rows;
  if (result.insert_count > rows) {
    throw PropertyError(fmt::format("the sum of {} and {} exceeds {}", described("insertstart"),
                                    described("insertcount"), described("recordcount")));
  }
}

}  // namespace drover::ycsb
