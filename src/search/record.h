// The record of a search: what was asked for and what each run came to. It is written after each
// run to search.json in the folder of the search, beside the results themselves, and read when the
// search goes on; docs/search.md describes it.
//
// Values only; any thread.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/document/result.h"
#include "search/steps.h"

namespace drover::search {

inline constexpr int record_schema_version = 1;

// What a run of the search came to; the rest is in its result.
struct RecordedRun {
  Probe probe;
  std::string file;                 // of the result, in the folder of the search
  std::vector<std::string> broken;  // rules, in sentences
  double measured_s = 0;
  double tpmc = 0;
  double efficiency = 0;  // percent; 0 without delays
  double throughput = 0;  // committed transactions a second
  std::optional<double> new_order_p90_ms;
  std::optional<double> p90_ms;  // of all transactions of another benchmark than TPC-C
  double client_load = 0;        // 0..1, of the busiest worker
};

struct Record {
  std::string
      unit;  // "warehouses" or "terminals" of TPC-C; "clients" or "rate" of other benchmarks
  Bounds bounds;
  // Everything else that has to be the same when a search goes on, as options are written:
  // {"--probe": "30s", "--isolation": "serializable", …}.
  std::map<std::string, std::string> settings;
  std::vector<RecordedRun> runs;

  std::vector<Probe> probes() const;
  bool is_of_tpcc() const { return unit != "clients" && unit != "rate"; }
};

RecordedRun recorded(const Probe& probe, std::string file, const report::Result& result,
                     std::vector<std::string> broken);

nlohmann::json to_json(const Record& record);

// One line, printable, with the place in the file.
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws RecordError.
Record read_record(std::string_view text);
Record read_record_file(const std::filesystem::path& path);

// What differs in the question, in words; none if `recorded` may go on as `wanted`.
std::vector<std::string> differences(const Record& recorded, const Record& wanted);

// "87 warehouses", "1200 tx/s"
std::string load_text(std::int64_t load, const std::string& unit);

// What is looked for: "number of warehouses", "rate".
std::string sought_text(const std::string& unit);

// "87 warehouses hold, confirmed over 180 s; 91 do not: latency.NewOrder: …"
std::string answer_text(const Record& record);

}  // namespace drover::search
