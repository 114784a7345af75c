#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>

#include "text/nearest_name.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {
namespace {

constexpr std::int64_t seconds_max = std::int64_t{1} << 31;
constexpr std::size_t text_bytes_max = 1'000;

// Reads a number as Java does: it may begin with a plus.
template <class Number>
std::optional<Number> java_number(std::string_view value) {
  if (value.starts_with('+') && !value.starts_with("+-")) value.remove_prefix(1);
  return text::number_of<Number>(value);
}

// Returns a kind whose values are stored in `member`. `parse` returns nothing for a text that is
// not `expected`; `show` is its inverse.
template <class Value, class Parse, class Show>
PropertyKind kind_of(Value Properties::* member, std::string expected, std::string placeholder,
                     Parse parse, Show show) {
  return {.expected = std::move(expected),
          .placeholder = std::move(placeholder),
          .read =
              [=](Properties& properties, std::string_view text) {
                std::optional<Value> value = parse(text);
                if (value) properties.*member = *std::move(value);
                return value.has_value();
              },
          .show = [=](const Properties& properties) { return show(properties.*member); }};
}

template <class Number>
PropertyKind number_kind(Number Properties::* member, Number low, Number high, std::string expected,
                         std::string placeholder) {
  return kind_of(
      member, std::move(expected), std::move(placeholder),
      [=](std::string_view text) {
        const auto number = java_number<Number>(text);
        return number && *number >= low && *number <= high ? number : std::nullopt;
      },
      [](Number number) { return fmt::to_string(number); });
}

PropertyKind count(std::int64_t Properties::* member, std::int64_t low, std::int64_t high) {
  return number_kind(member, low, high, fmt::format("a whole number from {} to {}", low, high),
                     "N");
}

PropertyKind number(double Properties::* member, double low, double high) {
  return number_kind(member, low, high, fmt::format("a number from {} to {}", low, high), "X");
}

// A weight: its share of the sum of all proportions counts.
PropertyKind proportion(double Properties::* member) {
  return number(member, 0, 1e9);
}

template <class Value>
PropertyKind word(Value Properties::* member,
                  std::vector<std::pair<std::string_view, Value>> words) {
  constexpr std::size_t placeholder_bytes_most = 40;
  std::string expected;
  std::string placeholder;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == words.size();
    expected += fmt::format("{}{}", i == 0 ? "" : last ? " or " : ", ", words[i].first);
    placeholder += fmt::format("{}{}", i == 0 ? "" : "|", words[i].first);
  }
  if (placeholder.size() > placeholder_bytes_most) placeholder = "NAME";
  return kind_of(
      member, expected, placeholder,
      [=](std::string_view text) -> std::optional<Value> {
        for (const auto& [name, value] : words) {
          if (name == text) return value;
        }
        return std::nullopt;
      },
      [=](Value shown) {
        for (const auto& [name, value] : words) {
          if (value == shown) return std::string(name);
        }
        return std::string();
      });
}

PropertyKind truth(bool Properties::* member) {
  PropertyKind kind = word<bool>(member, {{"true", true}, {"false", false}});
  kind.read = [read = kind.read](Properties& properties, std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return read(properties, lower);
  };
  return kind;
}

PropertyKind text_kind(std::string Properties::* member, std::string expected,
                       std::string placeholder, bool (*is_valid)(std::string_view)) {
  return kind_of(
      member, std::move(expected), std::move(placeholder),
      [=](std::string_view text) {
        return is_valid(text) ? std::optional<std::string>(text) : std::nullopt;
      },
      [](const std::string& text) { return text; });
}

bool is_name(std::string_view value) {
  constexpr std::size_t longest = 50;  // databases allow 63, and a number may follow
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !value.empty() && value.size() <= longest &&
         std::isdigit(static_cast<unsigned char>(value[0])) == 0 &&
         std::ranges::all_of(value, is_of_name);
}

// A name that statements contain.
PropertyKind name(std::string Properties::* member) {
  return text_kind(member,
                   "a name of at most 50 letters, digits and _ that does not begin with a digit",
                   "NAME", is_name);
}

bool is_one_line(std::string_view value) {
  if (value.size() > text_bytes_max) return false;
  while (!value.empty()) {
    const text::Utf8Character character = text::first_character(value);
    if (!character.valid || !text::is_printable(character.point)) return false;
    value.remove_prefix(character.bytes);
  }
  return true;
}

PropertyKind line(std::string Properties::* member, std::string placeholder = "TEXT") {
  return text_kind(member, "one line of at most 1000 bytes", std::move(placeholder), is_one_line);
}

std::optional<std::vector<double>> percentiles_of(std::string_view value) {
  constexpr std::size_t most = 20;
  std::vector<double> percentiles;
  while (true) {
    const std::size_t comma = value.find(',');
    const auto percentile = text::number_of<double>(text::trimmed(value.substr(0, comma)));
    if (!percentile || !(*percentile > 0 && *percentile <= 100)) return std::nullopt;
    if (percentiles.size() == most) return std::nullopt;
    percentiles.push_back(*percentile);
    if (comma == std::string_view::npos) return percentiles;
    value.remove_prefix(comma + 1);
  }
}

PropertyKind percentiles(std::vector<double> Properties::* member) {
  return kind_of(
      member, "at most 20 percentages, each above 0 and at most 100, separated by commas", "P,…",
      percentiles_of,
      [](const std::vector<double>& shown) { return fmt::format("{}", fmt::join(shown, ",")); });
}

// Accepts the names that the only supported kind of workload has had.
PropertyKind core_workload() {
  constexpr std::string_view newest = "site.ycsb.workloads.CoreWorkload";
  return {.expected = fmt::format("{}, the only supported workload class", newest),
          .placeholder = "NAME",
          .read =
              [=](Properties&, std::string_view value) {
                return value == newest || value == "com.yahoo.ycsb.workloads.CoreWorkload" ||
                       value == "core";
              },
          .show = [=](const Properties&) { return std::string(newest); }};
}

std::vector<PropertyDefinition> data_properties() {
  using P = Properties;
  using Length = FieldLengthDistribution;
  return {
      {"table", name(&P::table), "Name of the table"},
      {"fieldcount", count(&P::field_count, 1, field_count_max), "Fields per row, 1 to 1000"},
      {"fieldlength", count(&P::field_length, 1, field_length_max),
       "Length of the longest field in characters, 1 to 1048576"},
      {"minfieldlength", count(&P::field_length_min, 1, field_length_max),
       "Length of the shortest field in characters, if lengths are uniform or zipfian"},
      {"fieldlengthdistribution",
       word<Length>(&P::field_length_distribution, {{"constant", Length::constant},
                                                    {"uniform", Length::uniform},
                                                    {"zipfian", Length::zipfian},
                                                    {"histogram", Length::histogram}}),
       "Distribution of field lengths. zipfian favours short ones"},
      {"fieldlengthhistogram", line(&P::field_length_histogram, "FILE"),
       "File with the histogram for fieldlengthdistribution=histogram"},
      {"fieldnameprefix", name(&P::field_name_prefix), "Prefix of the field names"},
      {"readallfields", truth(&P::read_all_fields),
       "true: read all fields of a row; false: read one field"},
      {"readallfieldsbyname", truth(&P::read_all_fields_by_name), "No effect in Drover"},
      {"writeallfields", truth(&P::write_all_fields),
       "true: update all fields of a row; false: update one field"},
      {"dataintegrity", truth(&P::data_integrity), "Verify each value read"},
  };
}

std::vector<PropertyDefinition> mix_properties() {
  using P = Properties;
  return {
      {"readproportion", proportion(&P::read_proportion), "Relative frequency of reads"},
      {"updateproportion", proportion(&P::update_proportion), "Relative frequency of updates"},
      {"insertproportion", proportion(&P::insert_proportion), "Relative frequency of inserts"},
      {"scanproportion", proportion(&P::scan_proportion), "Relative frequency of scans"},
      {"readmodifywriteproportion", proportion(&P::read_modify_write_proportion),
       "Relative frequency of read-modify-writes"},
  };
}

std::vector<PropertyDefinition> key_properties() {
  using P = Properties;
  using Request = RequestDistribution;
  return {
      {"requestdistribution",
       word<Request>(&P::request_distribution, {{"uniform", Request::uniform},
                                                {"zipfian", Request::zipfian},
                                                {"zipfian-original", Request::zipfian_original},
                                                {"latest", Request::latest},
                                                {"hotspot", Request::hotspot},
                                                {"sequential", Request::sequential},
                                                {"exponential", Request::exponential}}),
       "Distribution of the chosen keys: uniform, zipfian, zipfian-original (YCSB's "
       "approximation), latest, hotspot, sequential or exponential"},
      {"zipfian.skew", number(&P::zipfian_skew, 0.5, 2),
       "Skew of zipfian and latest, 0.5 to 2 (Drover only)"},
      {"hotspotdatafraction", number(&P::hotspot_data_fraction, 0, 1),
       "hotspot: share of all keys that are hot, 0 to 1"},
      {"hotspotopnfraction", number(&P::hotspot_operation_fraction, 0, 1),
       "hotspot: share of operations on hot keys, 0 to 1"},
      {"exponential.percentile", number(&P::exponential_percentile, 0.001, 99.999999),
       "With the exponential distribution: percentage of the operations that go to the newest "
       "keys, "
       "which exponential.frac defines"},
      {"exponential.frac", number(&P::exponential_fraction, 0.000001, 1),
       "With the exponential distribution: share of the keys that count as the newest keys, "
       "0.000001 to 1"},
      {"insertorder",
       word<InsertOrder>(&P::insert_order,
                         {{"hashed", InsertOrder::hashed}, {"ordered", InsertOrder::ordered}}),
       "Content of the keys. ordered: the row number; hashed: the hash of the row number"},
      {"zeropadding", count(&P::zero_padding, 0, zero_padding_max),
       "Minimum number of digits in a key, 0 to 60"},
      {"minscanlength", count(&P::scan_length_min, 1, scan_rows_max),
       "Fewest rows per scan, 1 to 1000000"},
      {"maxscanlength", count(&P::scan_length_max, 1, scan_rows_max),
       "Most rows per scan, 1 to 1000000"},
      {"scanlengthdistribution",
       word<ScanLengthDistribution>(&P::scan_length_distribution,
                                    {{"uniform", ScanLengthDistribution::uniform},
                                     {"zipfian", ScanLengthDistribution::zipfian}}),
       "Distribution of scan lengths. zipfian favours short ones"},
  };
}

std::vector<PropertyDefinition> run_properties() {
  using P = Properties;
  return {
      {"workload", core_workload(), "The class of the workload"},
      {"recordcount", count(&P::record_count, 0, record_count_max),
       "Rows in the table. 0: insertstart + insertcount"},
      {"operationcount", count(&P::operation_count, 0, record_count_max),
       "Operations of the run; 0: no limit"},
      {"insertstart", count(&P::insert_start, 0, record_count_max),
       "Number of the first row to load or use"},
      {"insertcount", count(&P::insert_count, 0, record_count_max),
       "Number of rows to load or use. Unset: recordcount - insertstart"},
      {"threadcount", count(&P::thread_count, 1, 10'000'000), "Number of concurrent clients"},
      {"target", number(&P::target, 0, 1e12), "Operations per second; 0: closed loop"},
      {"maxexecutiontime", count(&P::max_execution_time_s, 0, seconds_max),
       "Seconds of the run; 0: no limit"},
      {"status.interval", count(&P::status_interval_s, 1, seconds_max),
       "Seconds between status lines"},
      {"dotransactions", truth(&P::do_transactions), "true: run; false: load the table"},
      {"label", line(&P::label), "Name of the run"},
      {"core_workload_insertion_retry_limit", count(&P::insertion_retry_limit, 0, 1'000'000'000),
       "Retries of a failed insert"},
      {"core_workload_insertion_retry_interval",
       count(&P::insertion_retry_interval_s, 0, seconds_max),
       "Mean seconds before a failed insert is repeated"},
  };
}

std::vector<PropertyDefinition> measuring_properties() {
  using P = Properties;
  return {
      {"measurement.interval",
       word<MeasurementInterval>(&P::measurement_interval,
                                 {{"op", MeasurementInterval::op},
                                  {"intended", MeasurementInterval::intended},
                                  {"both", MeasurementInterval::both}}),
       "Start of latencies: the operation's start, its intended start, or both"},
      {"hdrhistogram.percentiles", percentiles(&P::percentiles), "Percentiles to print"},
      {"hdrhistogram.fileoutput", truth(&P::histogram_file_output), "Write histograms to files"},
      {"hdrhistogram.output.path", line(&P::histogram_output_path),
       "Prefix of the histogram files' names"},
      {"reportlatencyforeacherror", truth(&P::report_latency_for_each_error),
       "Report latencies of failed operations by error"},
  };
}

std::vector<PropertyDefinition> all_properties() {
  std::vector<PropertyDefinition> all;
  for (auto* const part : {&data_properties, &mix_properties, &key_properties, &run_properties,
                           &measuring_properties}) {
    for (PropertyDefinition& definition : part()) all.push_back(std::move(definition));
  }
  return all;
}

// Names that the clients of YCSB and go-ycsb and other tools use in the same files. A name that
// ends with '.' or '_' stands for all names that begin with it.
constexpr std::string_view names_of_clients =
    "batch.size columnfamily command core_workload_insertion_keep_going_on_error db debug debug. "
    "discardscannedrecord dropdata exporter exportfile hdrhistogram. histogram. htrace. keyprefix "
    "latencytrackederrors maxscanrate measurement. measurementtype outputstyle scanoptimelimit "
    "silence spin. status timeseries. verbose warmuptime";

// Names that the bindings use for connections to other databases.
constexpr std::string_view names_of_bindings =
    "accumulo. aerospike. alibaba. arangodb. as. azure. azurecosmos. badger. basicdb. batchsize "
    "bolt. cache cassandra. clientbuffering cloudspanner. clusterName config consistency "
    "couchbase. crail. db. durability dynamodb. es. etcd. fdb. foundationdb. gbudb. gemfire. "
    "geode. google. googlebigtable. googlebigtable2. googledatastore. hbase. headers helperHost "
    "hosts ignite. infinispan. jdbc. jointimeout keytab kudu_ log.enable mapkeeper. memcached. "
    "meta_servers minio. mongodb. mutatorMaxInflightRPCs mutatorMaxMemory mysql. "
    "notificationAddress notificationMember notificationPort orientdb. password path.home pg. "
    "port ports postgrenosql. prefetchmeta principal rados. redis. requestLimit. requestTimeout "
    "response.compression rest. riak. rocksdb. s3. scylla. seaweed. solr. spanner. sqlite. "
    "storeName tablestore. tarantool. tidb. tikv. timeout. url. userName voltdb. writebuffersize "
    "ydb. zookeeper.";

bool is_prefix(std::string_view ignored) {
  return ignored.ends_with('.') || ignored.ends_with('_');
}

const std::vector<std::string>& ignored_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const std::string_view list : {names_of_clients, names_of_bindings}) {
      for (const auto name : std::views::split(list, ' ')) {
        all.emplace_back(name.begin(), name.end());
      }
    }
    return all;
  }();
  return names;
}

// Returns the names of the table that begin with `prefix`.
std::vector<std::string> table_names(std::string_view prefix) {
  std::vector<std::string> names;
  for (const PropertyDefinition& definition : property_table()) {
    if (definition.name.starts_with(prefix)) names.push_back(definition.name);
  }
  return names;
}

}  // namespace

const std::vector<PropertyDefinition>& property_table() {
  static const std::vector<PropertyDefinition> table = all_properties();
  return table;
}

const PropertyDefinition* find_property(std::string_view name) {
  const auto found = std::ranges::find(property_table(), name, &PropertyDefinition::name);
  return found == property_table().end() ? nullptr : &*found;
}

bool is_ignored_property(std::string_view name) {
  return std::ranges::any_of(ignored_names(), [&](const std::string& one) {
    if (!is_prefix(one)) return name == one;
    // A misspelt hdrhistogram.percentile is an error, because its effect would be missed.
    return name.starts_with(one) && !text::nearest_name(name, table_names(one));
  });
}

bool is_status_interval_of_go_ycsb(std::string_view name, std::string_view value) {
  return name == "measurement.interval" && java_number<std::int64_t>(value).has_value();
}

std::string did_you_mean_property(std::string_view name) {
  std::vector<std::string> known = table_names("");
  std::ranges::remove_copy_if(ignored_names(), std::back_inserter(known), is_prefix);
  return text::did_you_mean(name, known);
}

}  // namespace drover::ycsb
