#include "search/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "report/bounded_file.h"
#include "report/json_fields.h"
#include "report/json_reader.h"
#include "report/utf8.h"
#include "search/rules.h"

namespace drover::search {
namespace {

using nlohmann::json;
using report::Field;
using report::JsonReader;

constexpr std::size_t record_bytes_max = std::size_t{16} << 20;
constexpr std::size_t text_bytes_max = 10'000;
constexpr std::int64_t load_max = 1'000'000'000;
constexpr double seconds_max = 1e10;  // three centuries
constexpr double per_minute_max = 1e12;
constexpr double ms_max = seconds_max * 1e3;

json run_to_json(const RecordedRun& run) {
  json object = {{"load", run.probe.load},       {"confirmation", run.probe.confirmation},
                 {"held", run.probe.held},       {"by_client", run.probe.by_client},
                 {"broken", run.broken},         {"file", run.file},
                 {"measured_s", run.measured_s}, {"tpmc", run.tpmc},
                 {"efficiency", run.efficiency}, {"throughput", run.throughput},
                 {"new_order_p90_ms", nullptr},  {"client_load", run.client_load}};
  if (run.new_order_p90_ms) object["new_order_p90_ms"] = *run.new_order_p90_ms;
  return object;
}

json answer_to_json(const Record& record) {
  const Found found = found_by(record.probes());
  json answer = {{"holds", nullptr},
                 {"breaks", nullptr},
                 {"confirmed", found.confirmed},
                 {"not_judged", nullptr},
                 {"found_out", found.found_out()},
                 {"ended", next_step(record.bounds, record.probes()).kind == Step::Kind::done}};
  if (found.holds) answer["holds"] = *found.holds;
  if (found.breaks) answer["breaks"] = *found.breaks;
  if (found.not_judged) answer["not_judged"] = *found.not_judged;
  answer["sentence"] = answer_text(record);
  return answer;
}

std::int64_t read_load(JsonReader& reader) {
  return reader.whole_number(std::int64_t{1}, load_max);
}

std::string read_unit(JsonReader& reader) {
  std::string unit = reader.text(text_bytes_max);
  if (unit == "warehouses" || unit == "terminals") return unit;
  reader.refuse("warehouses or terminals", fmt::format("\"{}\"", report::shown(unit, 40)));
}

void require_consistent(const JsonReader& reader, const RecordedRun& run) {
  if (run.probe.held != run.broken.empty()) {
    reader.refuse(run.probe.held ? "no rules in broken, since held is true"
                                 : "a rule in broken, since held is false",
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
                  fmt::format("\"{}\"", report::shown(run.file, 100)));
  }
}

RecordedRun read_run(JsonReader& reader) {
  RecordedRun run;
  const auto read_broken = [&] {
    reader.array([&](std::size_t) { run.broken.push_back(reader.text(text_bytes_max)); });
  };
  const auto read_p90 = [&] {
    if (!reader.null()) run.new_order_p90_ms = reader.number(0, ms_max);
  };
  read_object(reader, Field{"load", [&] { run.probe.load = read_load(reader); }},
              Field{"confirmation", [&] { run.probe.confirmation = reader.boolean(); }},
              Field{"held", [&] { run.probe.held = reader.boolean(); }},
              Field{"broken", read_broken},
              Field{"file", [&] { run.file = reader.text(text_bytes_max); }},
              Field{"measured_s", [&] { run.measured_s = reader.number(0, seconds_max); }},
              Field{"tpmc", [&] { run.tpmc = reader.number(0, per_minute_max); }},
              Field{"efficiency", [&] { run.efficiency = reader.number(0, per_minute_max); }},
              Field{"throughput", [&] { run.throughput = reader.number(0, per_minute_max); }},
              Field{"new_order_p90_ms", read_p90},
              Field{"client_load", [&] { run.client_load = reader.number(0, 2); }});
  // It follows from what broke, also in a record of a version that did not say so.
  run.probe.by_client = !run.probe.held && blames_client_machine(run.broken);
  require_consistent(reader, run);
  return run;
}

Bounds read_bounds(JsonReader& reader) {
  Bounds bounds;
  read_object(reader, Field{"low", [&] { bounds.low = read_load(reader); }},
              Field{"high", [&] { bounds.high = read_load(reader); }},
              Field{"start", [&] { bounds.start = read_load(reader); }},
              Field{"tolerance", [&] { bounds.tolerance = reader.number(0, 1); }});
  if (bounds.low > bounds.start || bounds.start > bounds.high) {
    reader.refuse("low <= start <= high", "others");
  }
  return bounds;
}

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

std::string hold(std::int64_t load) {
  return load == 1 ? "holds" : "hold";
}

// "8 warehouses hold, confirmed over 60 s"
std::string holds_text(const Record& record, const Found& found) {
  std::string text = fmt::format("{} {}", counted(*found.holds, record.unit), hold(*found.holds));
  if (!found.confirmed) return text + ", not confirmed";
  const auto confirmation = std::ranges::find_if(
      record.runs.rbegin(), record.runs.rend(),
      [](const RecordedRun& run) { return run.probe.confirmation && run.probe.held; });
  return text + fmt::format(", confirmed over {:.0f} s", confirmation->measured_s);
}

// "16 do not: latency.NewOrder: …"
std::string breaks_text(const Record& record, const Found& found) {
  return fmt::format("{} {} not{}", *found.breaks, *found.breaks == 1 ? "does" : "do",
                     reason_at(record, *found.breaks, false));
}

std::string not_judged_text(const Record& record, const Found& found) {
  std::string text = fmt::format("not found out: the client's own machine broke the runs of {}{}",
                                 counted(*found.not_judged, record.unit),
                                 reason_at(record, *found.not_judged, true));
  if (found.holds) text += ". What is known: " + holds_text(record, found);
  if (found.breaks) text += (found.holds ? "; " : ". What is known: ") + breaks_text(record, found);
  return text;
}

}  // namespace

std::string counted(std::int64_t load, const std::string& unit) {
  return load == 1 && unit.ends_with('s') ? fmt::format("1 {}", unit.substr(0, unit.size() - 1))
                                          : fmt::format("{} {}", load, unit);
}

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
  std::uint64_t ok = 0;
  for (const report::TransactionResult& one : result.transactions) ok += one.ok_count;
  if (run.measured_s > 0) run.throughput = static_cast<double>(ok) / run.measured_s;
  const report::TransactionResult* new_order = result.find_transaction("NewOrder");
  if (new_order != nullptr && !new_order->latency.empty()) {
    run.new_order_p90_ms = static_cast<double>(new_order->latency.percentile_ns(90)) * 1e-6;
  }
  run.client_load = result.client.busiest_worker_load();
  return run;
}

json to_json(const Record& record) {
  json runs = json::array();
  for (const RecordedRun& run : record.runs) runs.push_back(run_to_json(run));
  return {{"document", "drover search"},
          {"schema_version", record_schema_version},
          {"unit", record.unit},
          {"bounds",
           {{"low", record.bounds.low},
            {"high", record.bounds.high},
            {"start", record.bounds.start},
            {"tolerance", record.bounds.tolerance}}},
          {"settings", record.settings},
          {"runs", std::move(runs)},
          {"answer", answer_to_json(record)}};
}

Record read_record(std::string_view text) {
  try {
    JsonReader reader(text);
    Record record;
    std::string document;
    const auto read_runs = [&] {
      reader.array([&](std::size_t) { record.runs.push_back(read_run(reader)); });
    };
    const auto read_settings = [&] {
      read_map(reader, record.settings, [&] { return reader.text(text_bytes_max); });
    };
    read_object(reader, Field{"document", [&] { document = reader.text(text_bytes_max); }},
                Field{"schema_version",
                      [&] { reader.whole_number(std::int64_t{1}, record_schema_version); }},
                Field{"unit", [&] { record.unit = read_unit(reader); }},
                Field{"bounds", [&] { record.bounds = read_bounds(reader); }},
                Field{"settings", read_settings}, Field{"runs", read_runs});
    reader.finish();
    for (const RecordedRun& run : record.runs) {
      if (run.probe.load < record.bounds.low || run.probe.load > record.bounds.high) {
        throw RecordError(fmt::format("a run with a load of {} is not within its bounds, {} to {}",
                                      run.probe.load, record.bounds.low, record.bounds.high));
      }
    }
    if (document != "drover search") {
      throw RecordError("it is no record of a search: expected \"document\": \"drover search\"");
    }
    return record;
  } catch (const report::JsonError& error) {
    throw RecordError(error.what());
  }
}

Record read_record_file(const std::filesystem::path& path) {
  const std::string name = fmt::format("\"{}\"", report::shown(path.native(), 300));
  try {
    return read_record(report::read_bounded_file(path, record_bytes_max));
  } catch (const report::UnreadableFile& error) {
    throw RecordError(
        fmt::format("cannot read the record of the search {}: {}", name, error.what()));
  } catch (const RecordError& error) {
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
                                    before.empty() ? "not given" : report::shown(before, 100),
                                    now.empty() ? "not given" : report::shown(now, 100)));
  };
  compare("what is searched", recorded.unit, wanted.unit);
  std::map<std::string, std::string> names = recorded.settings;
  names.insert(wanted.settings.begin(), wanted.settings.end());
  const auto value = [](const Record& record, const std::string& name) {
    const auto found = record.settings.find(name);
    return found == record.settings.end() ? std::string() : found->second;
  };
  for (const auto& [name, unused] : names) {
    compare(report::shown(name, 100), value(recorded, name), value(wanted, name));
  }
  return different;
}

std::string answer_text(const Record& record) {
  const Found found = found_by(record.probes());
  if (found.not_judged) return not_judged_text(record, found);
  if (!found.holds) {
    if (!found.breaks) return "nothing was found yet";
    return fmt::format("not even {} {}{}", counted(*found.breaks, record.unit), hold(*found.breaks),
                       reason_at(record, *found.breaks, false));
  }
  std::string text = holds_text(record, found);
  if (found.breaks) return text + "; " + breaks_text(record, found);
  return *found.holds < record.bounds.high ? text : text + "; the search was to try no more";
}

}  // namespace drover::search
