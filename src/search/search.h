// The search for the largest load at which all rules hold: its steps, the rules for each run, the
// loop over the runs, and the record from which an interrupted search continues. docs/search.md
// describes the method and the record.
//
// A search is used by one thread. The other functions are pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/compare/metric.h"
#include "report/document/result.h"

namespace drover::search {

struct Bounds {
  std::int64_t low = 1;
  std::int64_t high = 1;
  std::int64_t start = 1;   // low <= start <= high
  double tolerance = 0.05;  // the search ends when the limit is known to this share of the load
};

// Failed confirmations of a noisy system could otherwise repeat forever. Runs in which the client
// machine was overloaded do not count.
inline constexpr int confirmations_most = 6;

// After this number of runs of one kind at a load in which the client machine was overloaded, the
// search gives up this load.
inline constexpr int client_failures_most = 3;

struct Probe {
  std::int64_t load = 0;
  bool confirmation = false;
  bool held = false;
  bool by_client = false;  // the run broke rules because the client machine was overloaded
};

struct Step {
  enum class Kind : std::uint8_t { probe, confirm, done };
  Kind kind = Kind::done;
  std::int64_t load = 0;
  bool operator==(const Step&) const = default;
};

// The limit, as far as the probes show it.
struct Answer {
  // The largest load at which the rules held, below all loads at which they broke. After a failed
  // confirmation only confirmed loads count.
  std::optional<std::int64_t> holds;
  std::optional<std::int64_t> breaks;  // the smallest load at which the rules broke
  bool confirmed = false;              // a long run confirmed `holds`
  // The smallest load that was given up because the client machine was overloaded: at least
  // `holds`, and below `breaks`.
  std::optional<std::int64_t> not_judged;

  bool is_final() const { return confirmed && !not_judged; }
};

Answer answer_of(std::span<const Probe> probes);

// Returns the next run of a search. Loads are whole numbers (warehouses, terminals, clients, or
// transactions per second). The load doubles until the rules break. Then the gap between the
// largest load that holds and the smallest load that breaks is halved until it is within the
// tolerance. A load breaks if two probes or one confirmation broke, because noise may break a
// single probe. A long run confirms the found load. If the confirmation breaks, long runs below it
// follow.
//
// A run with an overloaded client machine neither holds nor breaks, and is repeated. If a load is
// given up for this reason, the search confirms what holds below it, and ends.
Step next_step(const Bounds& bounds, std::span<const Probe> probes);

// The rules that every run of a search must keep, beside those of the audit.
struct Rules {
  // In percent; 0: none. The sampling error counts in favour of the run. Runs without delays have
  // no efficiency.
  double efficiency_least = 90;
  bool failures_allowed = true;  // of single transactions, within the rules of the audit
  // Conditions that break a run: "new_order.p90 > 20". Requires: Limit::Kind::value.
  std::vector<report::Limit> limits;
};

// Returns a sentence for each broken rule. Rules of the audit that a short run or another --pace
// breaks by itself (interval, steady_state, keying, think) do not count. A scheduled rate that the
// audit could not judge counts as broken.
std::vector<std::string> broken_rules(const report::Result& result, const Rules& rules);

// Returns true if a sentence says that the client machine was overloaded, so that the other
// sentences say nothing about the database. Does not count client.waiting, which is about the
// number of connections.
bool blames_client_machine(const std::vector<std::string>& broken);

// A run of the search. Its result file has the details.
struct RecordedRun {
  Probe probe;
  std::string file;                 // of the result, in the folder of the search
  std::vector<std::string> broken;  // sentences of broken rules
  double measured_s = 0;
  double tpmc = 0;
  double efficiency = 0;  // percent; 0 without delays
  double throughput = 0;  // committed transactions per second
  std::optional<double> new_order_p90_ms = {};
  std::optional<double> p90_ms = {};  // of all transactions of YCSB and scripts
  double client_load = 0;             // 0..1, of the busiest worker
};

// The settings and the runs of a search, as search.json in its folder stores them.
struct Record {
  std::string unit;  // "warehouses" or "terminals" of TPC-C; "clients" or "rate"
  Bounds bounds;
  // Options that must be equal when a search continues: {"--probe": "30s", …}.
  std::map<std::string, std::string> settings;
  std::vector<RecordedRun> runs;

  std::vector<Probe> probes() const;
  bool has_tpmc() const { return unit != "clients" && unit != "rate"; }
};
inline constexpr int record_schema_version = 1;

RecordedRun recorded(const Probe& probe, std::string file, const report::Result& result,
                     std::vector<std::string> broken);

nlohmann::json to_json(const Record& record);

// The message is one printable line with the place in the file.
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws RecordError.
Record read_record(std::string_view text);
Record read_record_file(const std::filesystem::path& path);

// Returns a sentence for each setting that differs; none if `recorded` may continue as `wanted`.
std::vector<std::string> differences(const Record& recorded, const Record& wanted);

// "87 warehouses", "1200 tx/s"
std::string load_text(std::int64_t load, const std::string& unit);

// The quantity that is searched: "number of warehouses", "rate".
std::string sought_text(const std::string& unit);

// "all rules hold at 87 warehouses (confirmed over 180 s); they do not hold at 91 warehouses: …"
std::string answer_text(const Record& record);

// The actions of a search on its surroundings. An exception ends the search.
struct SearchActions {
  // Returns nothing if the run was interrupted; such a run does not count.
  std::function<std::optional<report::Result>(const Step&)> run;
  std::function<void(const std::string& file, const report::Result&)> keep_result;
  std::function<void(const Record&)> keep_record;  // after each run
  std::function<void(const std::string& text)> show;
};

// Shows the recorded runs, then executes runs until no step is left. Returns false if a run was
// interrupted.
bool run_search(Record& record, const Rules& rules, const SearchActions& actions);

// Writes the report of a search: the answer, a chart and a table of all runs, and the report of the
// deciding run, which is the last confirmation, else the last run. `folder` contains the results.
void write_search_page(const std::filesystem::path& page, const Record& record,
                       const std::filesystem::path& folder);

}  // namespace drover::search
