#include "search/loop.h"
#include "text/plain_text.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace drover::search {
namespace {

// A line of a run, and one for each rule that it broke.
std::string text_of(const RecordedRun& run, const std::string& unit, std::string_view note) {
  const char* verdict = run.probe.held ? "holds" : run.probe.by_client ? "no say" : "breaks";
  std::string line = fmt::format(
      "{:<8} {:>18}  {:<6} {:>9.1f} tpmC{}  {:>7.1f} tx/s  NewOrder p90 {}{}\n",
      run.probe.confirmation ? "confirm" : "probe", text::counted_of_plural(run.probe.load, unit),
      verdict, run.tpmc, run.efficiency > 0 ? fmt::format("  {:>5.1f}%", run.efficiency) : "",
      run.throughput, run.new_order_p90_ms ? fmt::format("{:.1f} ms", *run.new_order_p90_ms) : "-",
      note);
  for (const std::string& rule : run.broken) line += fmt::format("         {}\n", rule);
  return line;
}

}  // namespace

bool go_on(Record& record, const Rules& rules, const Surroundings& surroundings) {
  for (const RecordedRun& run : record.runs) {
    surroundings.show(text_of(run, record.unit, " (before)"));
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
    surroundings.show(text_of(run, record.unit, ""));
    if (run.probe.by_client && next_step(record.bounds, record.probes()) == step) {
      surroundings.show("         the client's own machine broke it: it is made again\n");
    }
  }
}

}  // namespace drover::search
