#include "search/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "file/bounded_file.h"
#include "report/document/described_json.h"
#include "report/document/described_reader.h"
#include "search/rules.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::search {
namespace {

using nlohmann::json;
using report::JsonReader;
using settings::Of;

constexpr std::size_t record_bytes_max = std::size_t{16} << 20;
constexpr settings::Text line{10'000};
constexpr settings::Real per_minute{0, 1e12};
constexpr settings::Real ms{0, settings::seconds.most * 1e3};
constexpr settings::Amount loads{1, 1'000'000'000};

void require_consistent(const JsonReader& reader, const RecordedRun& run) {
  if (run.probe.held != run.broken.empty()) {
    reader.refuse(run.probe.held ? "no rules in broken, because held is true"
                                 : "a rule in broken, because held is false",
                  fmt::format("{}", run.broken.size()));
  }
  constexpr double rounding = 1.001;
  if (run.tpmc > run.throughput * 60 * rounding) {
    reader.refuse(
        fmt::format("a tpmc of at most 60 times the throughput, {:.10g}", run.throughput * 60),
        fmt::format("{:.10g}", run.tpmc));
  }
  // It is read in the folder of the search, and nowhere else.
  if (run.file.empty() || run.file.starts_with('.') || run.file.find('/') != std::string::npos) {
    reader.refuse("a file in the folder of the search",
                  fmt::format("\"{}\"", text::shown(run.file, 100)));
  }
}

}  // namespace

template <class Visitor>
static void describe(Visitor& visit, Of<RecordedRun> auto& run) {
  visit.field("load", run.probe.load, loads);
  visit.field("confirmation", run.probe.confirmation, settings::flag);
  visit.field("held", run.probe.held, settings::flag);
  // It follows from what broke, also in a record of a version that did not say so.
  visit.follows("by_client", [&run] { return run.probe.by_client; });
  visit.field("broken", run.broken, line);
  visit.field("file", run.file, line);
  visit.field("measured_s", run.measured_s, settings::seconds);
  visit.field("tpmc", run.tpmc, per_minute);
  visit.field("efficiency", run.efficiency, per_minute);
  visit.field("throughput", run.throughput, per_minute);
  visit.field("new_order_p90_ms", run.new_order_p90_ms, ms);
  visit.if_known("p90_ms", run.p90_ms, ms, "");
  visit.field("client_load", run.client_load, settings::share);
}

template <class Visitor>
static void describe(Visitor& visit, Of<Bounds> auto& bounds) {
  visit.field("low", bounds.low, loads);
  visit.field("high", bounds.high, loads);
  visit.field("start", bounds.start, loads);
  visit.field("tolerance", bounds.tolerance, settings::Real{0, 1});
}

// What follows from the runs.
struct Answer {
  const Record& record;
};

template <class Visitor>
static void describe(Visitor& visit, const Answer& answer) {
  const Record& record = answer.record;
  const Found found = found_by(record.probes());
  const auto fact = [&visit](const char* name, const auto& value) {
    visit.follows(name, [&value] { return value; });
  };
  fact("holds", found.holds);
  fact("breaks", found.breaks);
  fact("confirmed", found.confirmed);
  fact("not_judged", found.not_judged);
  fact("found_out", found.found_out());
  fact("ended", next_step(record.bounds, record.probes()).kind == Step::Kind::done);
  fact("sentence", answer_text(record));
}

// `document` says what this is: "drover search".
template <class Visitor>
static void describe_record(Visitor& visit, Of<Record> auto& record, auto& document,
                            auto& version) {
  visit.field("document", document, line);
  visit.field("schema_version", version, settings::Amount{1, record_schema_version});
  visit.field("unit", record.unit, settings::only("warehouses|terminals|clients|rate"));
  visit.field("bounds", record.bounds);
  visit.field("settings", record.settings, line);
  visit.field("runs", record.runs);
  visit.follows("answer", [&record] { return Answer{record}; });
}

static void require_fitting(const JsonReader& reader, RecordedRun& run) {
  run.probe.by_client = !run.probe.held && blames_client_machine(run.broken);
  require_consistent(reader, run);
}

static void require_fitting(const JsonReader& reader, const Bounds& bounds) {
  if (bounds.low <= bounds.start && bounds.start <= bounds.high) return;
  reader.refuse("low <= start <= high", "others");
}

namespace {

// What the last run at this load broke, or the client's machine broke in it.
std::string reason_at(const Record& record, std::int64_t load, bool by_client) {
  for (auto run = record.runs.rbegin(); run != record.runs.rend(); ++run) {
    if (run->probe.load != load || run->probe.by_client != by_client) continue;
    for (const std::string& rule : run->broken) {
      if (!by_client || blames_client_machine({rule})) return ": " + rule;
    }
  }
  return "";
}

// "all rules hold at 8 warehouses (confirmed over 60 s)"
std::string holds_text(const Record& record, const Found& found) {
  const std::string text =
      fmt::format("all rules hold at {}", load_text(*found.holds, record.unit));
  if (!found.confirmed) return text + " (not confirmed)";
  const auto confirmation = std::ranges::find_if(
      record.runs.rbegin(), record.runs.rend(),
      [](const RecordedRun& run) { return run.probe.confirmation && run.probe.held; });
  return text + fmt::format(" (confirmed over {:.0f} s)", confirmation->measured_s);
}

// "they do not hold at 16 warehouses: latency.NewOrder: …"
std::string breaks_text(const Record& record, const Found& found) {
  return fmt::format("{} do not hold at {}{}", found.holds ? "they" : "the rules",
                     load_text(*found.breaks, record.unit),
                     reason_at(record, *found.breaks, false));
}

std::string not_judged_text(const Record& record, const Found& found) {
  std::string text = fmt::format("undecided: the client machine was overloaded in the runs at {}{}",
                                 load_text(*found.not_judged, record.unit),
                                 reason_at(record, *found.not_judged, true));
  if (found.holds) text += ". Known so far: " + holds_text(record, found);
  if (found.breaks) text += (found.holds ? "; " : ". Known so far: ") + breaks_text(record, found);
  return text;
}

}  // namespace

std::vector<Probe> Record::probes() const {
  std::vector<Probe> probes;
  for (const RecordedRun& run : runs) probes.push_back(run.probe);
  return probes;
}

RecordedRun recorded(const Probe& probe, std::string file, const report::Result& result,
                     std::vector<std::string> broken) {
  RecordedRun run;
  run.probe = probe;
  run.file = std::move(file);
  run.broken = std::move(broken);
  run.probe.held = run.broken.empty();
  run.probe.by_client = blames_client_machine(run.broken);
  run.measured_s = result.summary.time_seconds;
  run.tpmc = result.summary.tpmc;
  if (result.efficiency_is_meaningful()) run.efficiency = result.summary.efficiency;
  run.throughput = result.throughput();
  if (!result.is_tpcc()) {
    const measure::HistogramSnapshot all = report::all_transactions(result).latency;
    if (!all.empty()) run.p90_ms = static_cast<double>(all.percentile_ns(90)) * 1e-6;
  }
  const report::TransactionResult* new_order =
      result.is_tpcc() ? result.find_transaction("NewOrder") : nullptr;
  if (new_order != nullptr && !new_order->latency.empty()) {
    run.new_order_p90_ms = static_cast<double>(new_order->latency.percentile_ns(90)) * 1e-6;
  }
  run.client_load = result.client.busiest_worker_load();
  return run;
}

json to_json(const Record& record) {
  const std::string document = "drover search";
  const std::int64_t version = record_schema_version;
  report::DescribedJson json;
  describe_record(json, record, document, version);
  return json.take();
}

Record read_record(std::string_view text) {
  try {
    JsonReader reader(text);
    Record record;
    std::string document;
    std::int64_t version = 0;
    report::DescribedReader(reader).read(
        [&](auto& visit) { describe_record(visit, record, document, version); }, [] {});
    reader.finish();
    for (const RecordedRun& run : record.runs) {
      if (run.probe.load < record.bounds.low || run.probe.load > record.bounds.high) {
        throw RecordError(
            fmt::format("it has a run with a load of {}, outside its bounds ({} to {})",
                        run.probe.load, record.bounds.low, record.bounds.high));
      }
    }
    if (document != "drover search") {
      throw RecordError(
          "it is not the record of a search. Expected \"document\": \"drover search\"");
    }
    return record;
  } catch (const report::JsonError& error) {
    throw RecordError(error.what());
  }
}

Record read_record_file(const std::filesystem::path& path) {
  const std::string name = fmt::format("\"{}\"", text::shown(path.native(), 300));
  try {
    return read_record(file::read_bounded_file(path, record_bytes_max));
  } catch (const std::runtime_error& error) {
    throw RecordError(
        fmt::format("cannot read the record of the search {}: {}", name, error.what()));
  }
}

std::vector<std::string> differences(const Record& recorded, const Record& wanted) {
  std::vector<std::string> different;
  const auto compare = [&](const std::string& name, const std::string& before,
                           const std::string& now) {
    if (before == now) return;
    different.push_back(fmt::format("{} was {} and is {}", name,
                                    before.empty() ? "not given" : text::shown(before, 100),
                                    now.empty() ? "not given" : text::shown(now, 100)));
  };
  compare("the kind of load (--find)", recorded.unit, wanted.unit);
  std::map<std::string, std::string> names = recorded.settings;
  names.insert(wanted.settings.begin(), wanted.settings.end());
  const auto value = [](const Record& record, const std::string& name) {
    const auto found = record.settings.find(name);
    return found == record.settings.end() ? std::string() : found->second;
  };
  for (const auto& [name, unused] : names) {
    compare(text::shown(name, 100), value(recorded, name), value(wanted, name));
  }
  return different;
}

std::string load_text(std::int64_t load, const std::string& unit) {
  return unit == "rate" ? fmt::format("{} tx/s", load) : text::counted_of_plural(load, unit);
}

std::string sought_text(const std::string& unit) {
  return unit == "rate" ? unit : "number of " + unit;
}

std::string answer_text(const Record& record) {
  const Found found = found_by(record.probes());
  if (found.not_judged) return not_judged_text(record, found);
  if (!found.holds) {
    if (!found.breaks) return "no run has ended yet";
    return fmt::format("the rules do not hold even at {}{}", load_text(*found.breaks, record.unit),
                       reason_at(record, *found.breaks, false));
  }
  std::string text = holds_text(record, found);
  if (found.breaks) return text + "; " + breaks_text(record, found);
  return *found.holds < record.bounds.high ? text : text + ", the highest load of this search";
}

}  // namespace drover::search
