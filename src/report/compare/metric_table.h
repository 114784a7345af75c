// Figures of several results side by side, and how far each is from the first one's.
//
// Pure functions; any thread. Whether a difference is more than chance is not asked here: that is
// what `drover compare` does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/compare/metric.h"
#include "report/document/result.h"

namespace drover::report {

struct MetricCell {
  std::optional<double> value;
  std::optional<double> change;  // against the first result: 0.05 is 5% more. None of the first
};

struct MetricRow {
  Metric metric;
  std::vector<MetricCell> cells;  // one a result
};

// Rows of which no result has a value are left out.
std::vector<MetricRow> make_metric_table(const std::vector<NamedResult>& results,
                                         const std::vector<Metric>& metrics);

std::string value_text(const MetricCell& cell);   // "31.4", "n/a"
std::string change_text(const MetricCell& cell);  // "+3.1%", "x12.5" from tenfold on, "" if none

// For a terminal of 60 columns or more: results beyond its width come in blocks below each other.
std::string metric_table_text(const std::vector<NamedResult>& results,
                              const std::vector<MetricRow>& rows, std::size_t width = 100);

}  // namespace drover::report
