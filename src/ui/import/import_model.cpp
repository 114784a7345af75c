#include "ui/import/import_model.h"

#include <algorithm>

#include "ui/number_text.h"

namespace drover::ui {

void ImportModel::take_load(const tpcc::ImportProgress& next) {
  const double length = seconds_of(next.elapsed - load.elapsed);
  // The last report of a load may come right after another.
  if (length > 0.1) {
    rates.add({static_cast<double>(next.rows - load.rows) / length,
               static_cast<double>(next.bytes - load.bytes) / length});
  }
  load = next;
}

void ImportModel::begin_step(std::string_view name, std::size_t number, std::size_t total,
                             coro::Instant when) {
  if (number == 1) steps_total = steps.size() + total;
  steps.push_back({.name = std::string(name), .begin = when, .took = std::nullopt});
}

void ImportModel::end_step(std::string_view name, coro::Duration took) {
  const auto step = std::find_if(steps.rbegin(), steps.rend(), [name](const ImportStep& one) {
    return one.name == name && !one.took;
  });
  if (step != steps.rend()) step->took = took;
}

ImportRate ImportModel::rate_of_now() const {
  const auto& seconds = rates.samples();
  const std::size_t count = std::min(seconds.size(), rates_of_now);
  if (count == 0) return {};
  ImportRate sum;
  for (std::size_t i = seconds.size() - count; i < seconds.size(); ++i) {
    sum.rows_per_second += seconds[i].rows_per_second;
    sum.bytes_per_second += seconds[i].bytes_per_second;
  }
  const auto divisor = static_cast<double>(count);
  return {sum.rows_per_second / divisor, sum.bytes_per_second / divisor};
}

std::size_t ImportModel::steps_done() const {
  return static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.end(), [](const auto& step) { return step.took; }));
}

std::optional<coro::Duration> ImportModel::time_left() const {
  const double rate = rate_of_now().rows_per_second;
  if (rate <= 0 || load.rows_total <= 0) return std::nullopt;
  const double rows = static_cast<double>(std::max<std::int64_t>(load.rows_total - load.rows, 0));
  constexpr double longest_s = 1e8;  // three years
  return coro::Duration(static_cast<std::int64_t>(std::min(rows / rate, longest_s) * 1e9));
}

}  // namespace drover::ui
