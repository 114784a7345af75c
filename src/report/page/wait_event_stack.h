// The sessions of the server by wait event over time: stacked curves, whose uppermost one is the
// number of all sessions, in a panel of the chart over time (run_charts.cpp). Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/document/result.h"
#include "report/model/model.h"
#include "report/page/chart_curves.h"

namespace drover::report {

struct WaitEventStack {
  // From the lowest curve up, the events with the most sessions first. Empty without
  // --server-stats.
  std::vector<std::string> events;
  // For each column of the timeline the mean number of sessions in each event, if there was a
  // sample.
  std::vector<std::optional<std::vector<double>>> columns;

  double highest() const;  // of all sessions in a column
};

// Returns a layer for each of the events with the most sessions, and one for all others.
WaitEventStack make_wait_event_stack(const Result& result, const Timeline& timeline);

// Returns a curve for each event, at the sum of its sessions and those below.
std::vector<Curve> stack_curves(const WaitEventStack& stack, const Timeline& timeline);

// Adds a panel below the throughput, its read-outs, and a sentence. Requires: the chart has the
// timeline's panels and read-outs, and the stack has events.
void lay_beside_throughput(const WaitEventStack& stack, const Timeline& timeline, Chart& chart);

// Both are empty without events.
Legend stack_legend(const WaitEventStack& stack);
Table stack_table(const WaitEventStack& stack, const Timeline& timeline);

}  // namespace drover::report
