// The record of a search: its JSON document and its texts.
#include "search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "file/bounded_file.h"
#include "report/document/described_json.h"
#include "report/document/described_reader.h"
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

}  // namespace

template <class Visitor>
static void describe(Visitor& visit, Of<RecordedRun> auto& run) {
  visit.field("load", run.probe.load, loads);
  visit.field("confirmation", run.probe.confirmation, settings::flag);
  visit.field("held", run.probe.held, settings::flag);
  // Older records do not contain this field, which follows from the broken rules.
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

// The part of the document that follows from the runs.
struct WrittenAnswer {
  const Record& record;
};

template <class Visitor>
static void describe(Visitor& visit, const WrittenAnswer& written) {
  const Record& record = written.record;
  const Answer answer = answer_of(record.probes());
  const auto fact = [&visit](const char* name, const auto& value) {
    visit.follows(name, [&value] { return value; });
  };
  fact("holds", answer.holds);
  fact("breaks", answer.breaks);
  fact("confirmed", answer.confirmed);
  fact("not_judged", answer.not_judged);
  fact("found_out", answer.is_final());
  fact("ended", next_step(record.bounds, record.probes()).kind == Step::Kind::done);
  fact("sentence", answer_text(record));
}

// `document`: "drover search".
template <class Visitor>
static void describe_record(Visitor& visit, Of<Record> auto& record, auto& document,
                            auto& version) {
  visit.field("document", document, line);
  visit.field("schema_version", version, settings::Amount{1, record_schema_version});
  visit.field("unit", record.unit, settings::only("warehouses|terminals|clients|rate"));
  visit.field("bounds", record.bounds);
  visit.field("settings", record.settings, line);
  visit.field("runs", record.runs);
  visit.follows("answer", [&record] { return WrittenAnswer{record}; });
}

static void require_fitting(const JsonReader& reader, RecordedRun& run) {
  run.probe.by_client = !run.probe.held && blames_client_machine(run.broken);
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
  // A record may not name files outside of its folder.
  if (run.file.empty() || run.file.starts_with('.') || run.file.find('/') != std::string::npos) {
    reader.refuse("a file in the folder of the search",
                  fmt::format("\"{}\"", text::shown(run.file, 100)));
  }
}

static void require_fitting(const JsonReader& reader, const Bounds& bounds) {
  if (bounds.low <= bounds.start && bounds.start <= bounds.high) return;
  reader.refuse("low <= start <= high", "others");
}

namespace {

// Returns ": " and the first broken rule of the last run at this load; empty without such a run.
std::string reason_at(const Record& record, std::int64_t load, bool by_client) {
  for (auto run = record.runs.rbegin(); run != record.runs.rend(); ++run) {
    if (run->probe.load != load || run->probe.by_client != by_client) continue;
    for (const std::string& rule : run->broken)
      if (!by_client || blames_client_machine({rule})) return ": " + rule;
  }
  return "";
}

// "all rules hold at 8 warehouses (confirmed over 60 s)"
std::string holds_text(const Record& record, const Answer& answer) {
  const std::string text =
      fmt::format("all rules hold at {}", load_text(*answer.holds, record.unit));
  if (!answer.confirmed) return text + " (not confirmed)";
  const auto confirmation = std::ranges::find_if(
      record.runs.rbegin(), record.runs.rend(),
      [](const RecordedRun& run) { return run.probe.confirmation && run.probe.held; });
  return text + fmt::format(" (confirmed over {:.0f} s)", confirmation->measured_s);
}

// "they do not hold at 16 warehouses: latency.NewOrder: …"
std::string breaks_text(const Record& record, const Answer& answer, std::string_view rules) {
  return fmt::format("{} at {}{}", rules, load_text(*answer.breaks, record.unit),
                     reason_at(record, *answer.breaks, false));
}

std::string not_judged_text(const Record& record, const Answer& answer) {
  std::string text = fmt::format("undecided: the client machine was overloaded in the runs at {}{}",
                                 load_text(*answer.not_judged, record.unit),
                                 reason_at(record, *answer.not_judged, true));
  if (answer.holds || answer.breaks) text += ". Known so far: ";
  if (answer.holds) text += holds_text(record, answer) + (answer.breaks ? "; " : "");
  if (!answer.breaks) return text;
  return text +
         breaks_text(record, answer, answer.holds ? "they do not hold" : "the rules do not hold");
}

}  // namespace

std::vector<Probe> Record::probes() const {
  std::vector<Probe> probes;
  for (const RecordedRun& run : runs) probes.push_back(run.probe);
  return probes;
}

RecordedRun recorded(const Probe& probe, std::string file, const report::Result& result,
                     std::vector<std::string> broken) {
  RecordedRun run{.probe = probe,
                  .file = std::move(file),
                  .broken = std::move(broken),
                  .measured_s = result.summary.time_seconds,
                  .tpmc = result.summary.tpmc,
                  .throughput = result.throughput(),
                  .client_load = result.client.busiest_worker_load()};
  run.probe.held = run.broken.empty();
  run.probe.by_client = blames_client_machine(run.broken);
  if (result.efficiency_is_meaningful()) run.efficiency = result.summary.efficiency;
  const auto p90_ms = [](const measure::HistogramSnapshot& latency) {
    return latency.empty() ? std::nullopt
                           : std::optional(static_cast<double>(latency.percentile_ns(90)) * 1e-6);
  };
  if (!result.kind().has_tpmc)
    run.p90_ms = p90_ms(report::all_transactions(result).latency);
  else if (const auto* new_order = result.find_transaction("NewOrder"))
    run.new_order_p90_ms = p90_ms(new_order->latency);
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
  std::map<std::string, std::pair<std::string, std::string>> values;
  for (const auto& [name, value] : recorded.settings) values[name].first = value;
  for (const auto& [name, value] : wanted.settings) values[name].second = value;
  for (const auto& [name, value] : values)
    compare(text::shown(name, 100), value.first, value.second);
  return different;
}

std::string load_text(std::int64_t load, const std::string& unit) {
  return unit == "rate" ? fmt::format("{} tx/s", load) : text::counted_of_plural(load, unit);
}

std::string sought_text(const std::string& unit) {
  return unit == "rate" ? unit : "number of " + unit;
}

std::string answer_text(const Record& record) {
  const Answer answer = answer_of(record.probes());
  if (answer.not_judged) return not_judged_text(record, answer);
  if (!answer.holds && !answer.breaks) return "no run has ended yet";
  if (!answer.holds) return breaks_text(record, answer, "the rules do not hold even");
  const std::string text = holds_text(record, answer);
  if (answer.breaks) return text + "; " + breaks_text(record, answer, "they do not hold");
  return *answer.holds < record.bounds.high ? text : text + ", the highest load of this search";
}

}  // namespace drover::search
