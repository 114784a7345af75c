// The properties of a workload of YCSB: all those of its core workload, with their defaults, what of its client's has a
// meaning in Drover, and two of Drover's own. A workload is read from its parts, in this order of precedence: a named
// workload (a to f), property files, settings; of parts of a kind, a later one wins.
//
//   PropertyReader reader;
//   reader.add_workload("a");
//   reader.add_file("my.properties");
//   reader.add_setting("recordcount=1000000");
//   const Properties properties = reader.properties();
//
// Each property is described once, in property_table.cpp: its name, how it is read, and what it says.
//
// Thread safety: plain values; a PropertyReader belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workload/ycsb/properties/property_file.h"

namespace drover::ycsb {

enum class RequestDistribution : std::uint8_t {
  uniform,
  zipfian,
  zipfian_original,
  latest,
  hotspot,
  sequential,
  exponential,
};

enum class FieldLengthDistribution : std::uint8_t { constant, uniform, zipfian, histogram };
enum class ScanLengthDistribution : std::uint8_t { uniform, zipfian };
enum class InsertOrder : std::uint8_t { hashed, ordered };
enum class MeasurementInterval : std::uint8_t { op, intended, both };

// Limits of Drover's own: what a row of a database can hold, and what a message can show.
inline constexpr std::int64_t field_count_max = 1'000;
inline constexpr std::int64_t field_length_max = 1 << 20;
inline constexpr std::int64_t scan_rows_max = 1'000'000;
inline constexpr std::int64_t zero_padding_max = 60;
inline constexpr std::int64_t record_count_max = std::int64_t{1} << 60;
inline constexpr std::size_t property_file_bytes_max = std::size_t{1} << 20;

struct Properties {
  // Data
  std::string table = "usertable";
  std::int64_t field_count = 10;
  std::int64_t field_length = 100;
  std::int64_t field_length_min = 1;  // at most field_length
  FieldLengthDistribution field_length_distribution = FieldLengthDistribution::constant;
  std::string field_length_histogram = "hist.txt";
  std::string field_name_prefix = "field";
  bool read_all_fields = true;
  bool read_all_fields_by_name = false;
  bool write_all_fields = false;
  bool data_integrity = false;

  // Mix: weights, of which at least one is above 0
  double read_proportion = 0.95;
  double update_proportion = 0.05;
  double insert_proportion = 0;
  double scan_proportion = 0;
  double read_modify_write_proportion = 0;

  // Keys
  RequestDistribution request_distribution = RequestDistribution::uniform;
  double zipfian_skew = 0.99;
  double hotspot_data_fraction = 0.2;
  double hotspot_operation_fraction = 0.8;
  double exponential_percentile = 95;
  double exponential_fraction = 0.8571428571;
  InsertOrder insert_order = InsertOrder::hashed;
  std::int64_t zero_padding = 1;

  // Scans
  std::int64_t scan_length_min = 1;  // at most scan_length_max
  std::int64_t scan_length_max = 1'000;
  ScanLengthDistribution scan_length_distribution = ScanLengthDistribution::uniform;

  // Size: the rows [insert_start, insert_start + insert_count) are this client's part of record_count rows. A count of
  // records that nobody has said is the end of the part, and a count of inserts is what the records leave.
  std::int64_t record_count = 0;
  std::int64_t operation_count = 0;  // 0: without an end
  std::int64_t insert_start = 0;
  std::int64_t insert_count = 0;

  // Run
  std::int64_t thread_count = 1;
  double target = 0;                      // operations a second; 0: as many as there can be
  std::int64_t max_execution_time_s = 0;  // 0: without an end
  std::int64_t status_interval_s = 10;
  bool do_transactions = true;
  std::string label;
  std::int64_t insertion_retry_limit = 0;
  std::int64_t insertion_retry_interval_s = 3;

  // Measuring
  MeasurementInterval measurement_interval = MeasurementInterval::op;
  std::vector<double> percentiles = {50, 95, 99};
  bool histogram_file_output = false;
  std::string histogram_output_path;
  bool report_latency_for_each_error = false;

  // Names: of the properties that somebody has set, and of those that are set but mean nothing here. Both in the order
  // of the alphabet.
  std::vector<std::string> given;
  std::vector<std::string> ignored;

  [[nodiscard]] bool is_given(std::string_view name) const;
  // Returns why the part has no rows, or nothing if it has some.
  [[nodiscard]] std::optional<std::string> why_no_rows() const;
};

class PropertyReader {
 public:
  // Each throws PropertyError, which says where (the file and the line, or the setting), what is wrong and what is
  // expected. Values of properties that mean nothing here are never shown: one is the password of a database.

  // One of workload_names.
  void add_workload(std::string_view name);
  // A regular file of at most property_file_bytes_max.
  void add_file(const std::filesystem::path& path);
  // The text of a file that messages call `origin`.
  void add_text(std::string_view text, std::string_view origin);
  // "key=value"; messages call it "-p key=value", or by another option's name.
  void add_setting(std::string_view setting, std::string_view option = "-p");

  // Checks what concerns several of them.
  [[nodiscard]] Properties properties() const;

 private:
  void add(const std::string& key, const std::string& value, const std::string& origin,
           bool is_setting);
  [[nodiscard]] std::string described(std::string_view name) const;
  void require_not_above(std::string_view low, std::int64_t low_value, std::string_view high,
                         std::int64_t high_value) const;
  void require_mix() const;
  void complete_size(Properties& properties) const;

  Properties properties_;
  std::map<std::string, std::string, std::less<>> origins_;  // of what is given, by name
  std::set<std::string> ignored_;
};

inline constexpr std::string_view workload_names = "abcdef";

// The property file that a name stands for, or nothing.
std::string_view named_workload(std::string_view name);

// For pages of reference and results.
struct ShownProperty {
  std::string name;
  std::string value;
  std::string placeholder;  // of its value, in the help: "N", "true|false"
  std::string says;
};

// All that mean something here, in the order of the table, with their values in these properties.
std::vector<ShownProperty> shown_properties(const Properties& properties);

// Returns properties of the original, of go-ycsb and of their bindings that Drover recognises and
// ignores. A name that ends with '.' or '_' stands for all names that begin with it.
const std::vector<std::string>& ignored_property_names();

}  // namespace drover::ycsb
