// What the figures of `drover lab switch` come to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lab/experiment_text.h"
#include "lab/switch_experiment.h"

namespace drover::lab {
namespace {

// Medians of a figure by number of flows: of a model with so many workers.
using Curve = std::map<std::int64_t, double>;
using Curves = std::map<std::pair<std::string, std::int64_t>, Curve>;

Curves curves_of(const Experiment& experiment, SwitchFigure figure) {
  Curves curves;
  for (const Cell& cell : experiment.cells) {
    const auto spread = spread_of(cell, static_cast<std::size_t>(figure));
    if (spread) curves[{cell.subject, cell.settings[1]}][cell.settings[0]] = spread->median;
  }
  return curves;
}

// The ratios of two curves where both have a value, from `least` flows on.
Curve ratios(const Curve& above, const Curve& below, std::int64_t least) {
  Curve result;
  for (const auto& [flows, value] : above) {
    const auto other = below.find(flows);
    if (flows < least || other == below.end() || other->second == 0) continue;
    result[flows] = value / other->second;
  }
  return result;
}

double median_of(const Curve& curve) {
  std::vector<double> values;
  for (const auto& [flows, value] : curve) values.push_back(value);
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string listed(const Curve& curve) {
  std::vector<std::string> parts;
  for (const auto& [flows, value] : curve) parts.push_back(fmt::format("{}: {:.2f}", flows, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string of_workers(std::int64_t workers) {
  if (workers == no_setting) return "";
  return " on " + counted(workers, "workers");
}

// Each number of workers against the smallest one of the same model.
void compare_workers(const Curves& curves, std::vector<std::string>& findings) {
  const std::pair<const std::pair<std::string, std::int64_t>, Curve>* fewest = nullptr;
  for (const auto& curve : curves) {
    if (fewest == nullptr || fewest->first.first != curve.first.first) {
      fewest = &curve;
      continue;
    }
    const std::int64_t workers = curve.first.second;
    const Curve ratio = ratios(curve.second, fewest->second, workers);
    if (ratio.empty()) continue;
    findings.push_back(fmt::format(
        "{}{}: {:.2f} times the operations of {} (median; by flows: {}).", curve.first.first,
        of_workers(workers), median_of(ratio), fewest->first.second, listed(ratio)));
  }
}

// By the clock, and by processor time: that says what a model costs on a machine that is busy, too.
void say_what_is_kept(const Curves& curves, const Curves& cpu_curves,
                      std::vector<std::string>& findings) {
  const auto is_less = [](const auto& one, const auto& other) { return one.second < other.second; };
  for (const auto& [name, curve] : curves) {
    if (curve.size() < 2) continue;
    const auto peak = std::ranges::max_element(curve, is_less);
    const auto last = std::prev(curve.end());
    const Curve& cpu = cpu_curves.at(name);
    const double least_cpu = std::ranges::min_element(cpu, is_less)->second;
    findings.push_back(fmt::format(
        "{}{}: most operations at {}, {}/s; {:.1f}% of it at {}, and {:.1f}% of the most for a "
        "second of processor time.",
        name.first, of_workers(name.second), counted(peak->first, "flows"),
        short_number(peak->second), 100 * last->second / peak->second, last->first,
        100 * least_cpu / std::prev(cpu.end())->second));
  }
}

// Coroutines on as many workers as were measured at most against threads.
void compare_with_threads(const Curves& curves, std::vector<std::string>& findings) {
  const auto threads = curves.find({std::string(name_of(SwitchModel::thread)), no_setting});
  if (threads == curves.end()) return;
  for (auto one = curves.rbegin(); one != curves.rend(); ++one) {
    if (one->first.first != name_of(SwitchModel::coroutine)) continue;
    const Curve ratio = ratios(one->second, threads->second, one->first.second);
    if (ratio.empty()) return;
    findings.push_back(
        fmt::format("Coroutines{}: {:.2f} times the operations of as many threads "
                    "(median; by flows: {}).",
                    of_workers(one->first.second), median_of(ratio), listed(ratio)));
    return;
  }
}

// Above the most that were measured: one below may have been too short for a single operation.
void say_where_threads_stop(const Experiment& experiment, std::vector<std::string>& findings) {
  std::int64_t measured = 0;
  const Cell* first = nullptr;
  for (const Cell& cell : experiment.cells) {
    if (cell.subject != name_of(SwitchModel::thread)) continue;
    if (!cell.rounds.empty()) measured = std::max(measured, cell.settings[0]);
  }
  for (const Cell& cell : experiment.cells) {
    if (cell.subject != name_of(SwitchModel::thread) || cell.note.empty()) continue;
    if (cell.settings[0] <= measured) continue;
    if (first == nullptr || cell.settings[0] < first->settings[0]) first = &cell;
  }
  if (first == nullptr) return;
  findings.push_back(
      fmt::format("Threads were not measured from {} on: {}.", first->settings[0], first->note));
}

}  // namespace

std::vector<std::string> switch_findings(const Experiment& experiment) {
  const Curves curves = curves_of(experiment, SwitchFigure::operations_per_second);
  std::vector<std::string> findings;
  compare_workers(curves, findings);
  say_what_is_kept(curves, curves_of(experiment, SwitchFigure::cpu_ns_per_operation), findings);
  compare_with_threads(curves, findings);
  say_where_threads_stop(experiment, findings);
  return findings;
}

}  // namespace drover::lab
