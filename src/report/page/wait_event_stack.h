// The sessions of the server by wait event over time: curves that lie on each other, so that the uppermost is the
// number of all, in a panel of the chart over time (html_charts.cpp). Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/document/result.h"
#include "report/model/chart.h"
#include "report/model/html_writer.h"
#include "report/page/chart_curves.h"

namespace drover::report {

struct WaitEventStack {
  std::vector<std::string>
      events;  // the lowest first, which has the most sessions; none if nobody looked
  // For each column of the timeline the sessions in each event, in the mean; none if nobody looked then.
  std::vector<std::optional<std::vector<double>>> columns;

  double highest() const;  // of all sessions in a column
};

// The events with the most sessions have a layer each, and the others one together.
WaitEventStack make_wait_event_stack(const Result& result, const Timeline& timeline);

// A curve an event, as high as all below it and its own.
std::vector<Curve> stack_curves(const WaitEventStack& stack, const Timeline& timeline);

// Adds a panel below that of the throughput, with its read-outs, and a sentence. Requires: the chart has these of the
// timeline, and the stack has events.
void lay_beside_throughput(const WaitEventStack& stack, const Timeline& timeline, Chart& chart);

// Nothing where there are no events.
void write_stack_legend(HtmlWriter& html, const WaitEventStack& stack);
void write_stack_table(HtmlWriter& html, const Result& result, const Timeline& timeline);

}  // namespace drover::report
