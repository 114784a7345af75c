// Histograms of a result document, and the figures beside them that follow from them.
//
// For the reader of results (result_read.cpp). Everything throws JsonError.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "measure/histogram.h"
#include "report/json_fields.h"
#include "report/json_reader.h"

namespace drover::report {

inline constexpr double figure_max = 1e18;  // of what is computed from others
inline constexpr double ms_max = 2e13;      // what 64 bits of nanoseconds hold

// Figures that follow from others: they need not be there, but they may not contradict them.
class Repeated {
 public:
  // `prefix` stands before names in messages.
  explicit Repeated(JsonReader& json, std::string_view prefix = {})
      : json_(json), prefix_(prefix) {}

  // null says nothing. `name` has to be a literal.
  auto field(std::string_view name, double most = figure_max) {
    return Field{name,
                 [this, name, most] {
                   if (!json_.null()) values_.emplace_back(name, json_.number(0, most));
                 },
                 may_be_missing};
  }

  // Refuses the field, if there was one, unless it is what is expected but for rounding.
  void require(std::string_view name, double expected) const;

 private:
  JsonReader& json_;
  std::string_view prefix_;
  std::vector<std::pair<std::string_view, double>> values_;
};

// What stands beside a histogram: percentiles, the mean and the extremes.
class RepeatedFigures {
 public:
  explicit RepeatedFigures(JsonReader& json)
      : json_(json), figures_(json), percentiles_(json, "percentiles.") {}

  // Reads an object with these fields and those given.
  template <class... Reads>
  void read_object_with(const Field<Reads>&... fields) {
    read_object(json_, Field{"percentiles", [this] { read_percentiles(); }, may_be_missing},
                figures_.field("mean_ms", ms_max), figures_.field("min_ms", ms_max),
                figures_.field("max_ms", ms_max), fields...);
  }
  void require(const measure::HistogramSnapshot& histogram) const;

 private:
  void read_percentiles();

  JsonReader& json_;
  Repeated figures_;
  Repeated percentiles_;
};

// The histogram alone.
measure::HistogramSnapshot read_histogram(JsonReader& json);

// A histogram beside the figures that follow from it; null if nothing was recorded.
measure::HistogramSnapshot read_figures(JsonReader& json);

}  // namespace drover::report
