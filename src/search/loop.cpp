#include "search/loop.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace drover::search {
namespace {

std::string p90_text(const std::optional<double>& ms) {
  return ms ? fmt::format("{:.1f} ms", *ms) : "-";
}

std::string figures_of(const RecordedRun& run, const Record& record) {
  if (!record.is_of_tpcc())
    return fmt::format("{:>9.1f} tx/s  p90 {}", run.throughput, p90_text(run.p90_ms));
  return fmt::format("{:>9.1f} tpmC{}  {:>7.1f} tx/s  NewOrder p90 {}", run.tpmc,
                     run.efficiency > 0 ? fmt::format("  {:>5.1f}%", run.efficiency) : "",
                     run.throughput, p90_text(run.new_order_p90_ms));
}

// A line of a run, and one for each rule that it broke.
std::string text_of(const RecordedRun& run, const Record& record, std::string_view note) {
  const char* verdict = run.probe.held ? "holds" : run.probe.by_client ? "unsure" : "breaks";
  std::string line =
      fmt::format("{:<8} {:>18}  {:<6} {}{}\n", run.probe.confirmation ? "confirm" : "probe",
                  load_text(run.probe.load, record.unit), verdict, figures_of(run, record), note);
  for (const std::string& rule : run.broken) line += fmt::format("         {}\n", rule);
  return line;
}

}  // namespace

bool go_on(Record& record, const Rules& rules, const Surroundings& surroundings) {
  for (const RecordedRun& run : record.runs) {
    surroundings.show(text_of(run, record, " (recorded earlier)"));
  }
  for (;;) {
    const Step step = next_step(record.bounds, record.probes());
    if (step.kind == Step::Kind::done) return true;
    const std::optional<report::Result> result = surroundings.run(step);
    if (!result) return false;
    const bool confirmation = step.kind == Step::Kind::confirm;
    std::string file = fmt::format("run-{:02}-{}-{}.json", record.runs.size() + 1,
                                   confirmation ? "confirm" : "probe", step.load);
    surroundings.keep_result(file, *result);
    record.runs.push_back(recorded({.load = step.load, .confirmation = confirmation},
                                   std::move(file), *result, broken_rules(*result, rules)));
    surroundings.keep_record(record);
    const RecordedRun& run = record.runs.back();
    surroundings.show(text_of(run, record, ""));
    if (run.probe.by_client && next_step(record.bounds, record.probes()) == step) {
      surroundings.show("         the client machine was overloaded: this run is repeated\n");
    }
  }
}

}  // namespace drover::search
