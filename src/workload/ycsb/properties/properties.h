// The properties of a YCSB workload: all properties of YCSB's core workload, the properties of its
// client that mean something in Drover, and two of Drover's own. Sources in ascending precedence: a
// named workload (a to f), property files, settings. A later source of a kind wins.
//
//   PropertyReader reader;
//   reader.add_workload("a");
//   reader.add_file("my.properties");
//   reader.add_setting("recordcount=1000000");
//   const Properties properties = reader.properties();
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
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace drover::ycsb {

// An error in properties. The message is one printable line: the place, the fault, what was
// expected.
struct PropertyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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

// Drover's limits: sizes that a database row can hold and a message can show.
inline constexpr std::int64_t field_count_max = 1'000;
inline constexpr std::int64_t field_length_max = 1 << 20;
inline constexpr std::int64_t scan_rows_max = 1'000'000;
inline constexpr std::int64_t zero_padding_max = 60;
inline constexpr std::int64_t record_count_max = std::int64_t{1} << 60;
inline constexpr std::size_t property_file_bytes_max = std::size_t{1} << 20;

// The rows [begin, end) of a table, by number.
struct RowRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t rows() const noexcept { return end - begin; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

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

  // Mix: weights, at least one of them above 0
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

  // Size: a client uses the rows [insert_start, insert_start + insert_count) of record_count rows.
  // Without recordcount, the table ends with these rows. Without insertcount, they are all rows
  // from insert_start on.
  std::int64_t record_count = 0;
  std::int64_t operation_count = 0;  // 0: no limit
  std::int64_t insert_start = 0;
  std::int64_t insert_count = 0;

  // Run
  std::int64_t thread_count = 1;
  double target = 0;                      // operations per second; 0: closed loop
  std::int64_t max_execution_time_s = 0;  // 0: no limit
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

  // Names, in alphabetical order: properties that a source sets, and properties that a source sets
  // but Drover ignores.
  std::vector<std::string> given;
  std::vector<std::string> ignored;

  [[nodiscard]] bool is_given(std::string_view name) const;
  [[nodiscard]] double proportions() const noexcept {
    return read_proportion + update_proportion + insert_proportion + scan_proportion +
           read_modify_write_proportion;
  }
  // Returns true if operations of the mix write.
  [[nodiscard]] bool writes() const noexcept {
    return update_proportion + insert_proportion + read_modify_write_proportion > 0;
  }
  // Returns why the client has no rows, or nothing if it has some.
  [[nodiscard]] std::optional<std::string> why_no_rows() const;
};

// Each function throws PropertyError. No message shows the value of an ignored property, because it
// may be the password of a database.
class PropertyReader {
 public:
  // `name`: a to f.
  void add_workload(std::string_view name);
  // Reads a regular file of at most property_file_bytes_max bytes.
  void add_file(const std::filesystem::path& path);
  // Reads the text of a property file, which messages call `origin`.
  void add_text(std::string_view text, std::string_view origin);
  // Reads "key=value", which messages attribute to `option`.
  void add_setting(std::string_view setting, std::string_view option = "-p");

  // Checks the conditions between several properties.
  [[nodiscard]] Properties properties() const;

 private:
  void add(const std::string& key, const std::string& value, const std::string& origin,
           bool is_setting);
  [[nodiscard]] std::string described(std::string_view name) const;
  void require_not_above(std::string_view low, std::int64_t low_value, std::string_view high,
                         std::int64_t high_value) const;
  void complete_size(Properties& properties) const;

  Properties properties_;
  std::map<std::string, std::string, std::less<>> origins_;  // of the given properties, by name
  std::set<std::string> ignored_;
};

// An entry of a property file.
struct PropertyEntry {
  std::string key;
  std::string value;     // with trailing blanks, as in Java
  std::size_t line = 0;  // the first line of the entry, from 1

  friend bool operator==(const PropertyEntry&, const PropertyEntry&) = default;
};

// Parses a property file in the format of java.util.Properties, in the order of the text:
//
//   # a comment, and ! begins one too
//   recordcount=1000            (or `recordcount: 1000`, or `recordcount 1000`)
//   label = a value over \
//           several lines
//   table = \u0075sertable      (\t \n \r \f and \uXXXX; \ before any other character is dropped)
//
// Unlike Java, the text is UTF-8. Control characters, an entry without a name and half a surrogate
// pair are refused. Throws PropertyError, whose message begins with the line.
std::vector<PropertyEntry> parse_property_file(std::string_view text);

struct PropertyKind {
  std::string expected;     // for messages: "a whole number from 1 to 1000"
  std::string placeholder;  // for the help: "N", "true|false"
  // Returns false and changes nothing if the value is not as expected.
  std::function<bool(Properties&, std::string_view)> read;
  std::function<std::string(const Properties&)> show;
};

struct PropertyDefinition {
  std::string name;
  PropertyKind kind;
  std::string help;
};

// The properties that mean something in Drover, each described once.
const std::vector<PropertyDefinition>& property_table();
// Returns null for an unknown name.
const PropertyDefinition* find_property(std::string_view name);

// Returns true for properties of YCSB, go-ycsb and their bindings that Drover accepts and ignores.
bool is_ignored_property(std::string_view name);
// Returns true for go-ycsb's measurement.interval, a number of seconds, which Drover ignores.
bool is_status_interval_of_go_ycsb(std::string_view name, std::string_view value);
// Returns "; did you mean recordcount?", or nothing.
std::string did_you_mean_property(std::string_view name);

}  // namespace drover::ycsb
