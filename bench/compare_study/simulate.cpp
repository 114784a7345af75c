// Measures how often `drover compare` reports a false change, and how often it finds a real one.
// Uses pairs of sides with noise from a model fitted to real runs, and the differences of the real
// runs themselves. The command's own code judges, with and without --paired. docs/compare.md has
// the figures. Run it with bench/compare_study/simulate.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/median.h"
#include "report/compare/comparability.h"
#include "report/compare/compare.h"
#include "report/compare/metric.h"
#include "report/compare/statistics.h"
#include "report/document/result_json.h"
#include "report/model/chart.h"
#include "support/compared_run.h"
#include "support/run_noise.h"

namespace drover::report {
namespace {

constexpr int comparisons_a_series = 20;
constexpr int alarms_most = 1;   // in a series without a shift
constexpr int finds_least = 18;  // in one with a shift
constexpr std::size_t pairs_least = 4;
// Neighbouring pairs that stay together when real ones are drawn, so that what lasts for minutes
// stays what it is.
constexpr std::size_t block_pairs = 3;
constexpr double good_share = 95;  // percent of series, of a procedure that can be recommended

struct Options {
  std::string folder;
  std::string metric = "tpmC";
  std::string limit = "-3%";
  double shift_percent = -5;
  int series = 200;
  bool fit_only = false;
};

// The figures of two real runs that followed each other.
struct RealPair {
  double earlier = 0;
  double later = 0;
  bool is_base_earlier = true;

  // The logarithm of new over base.
  double difference() const {
    const double forward = std::log(later / earlier);
    return is_base_earlier ? forward : -forward;
  }
};

struct Figures {
  std::vector<double> base;
  std::vector<double> new_runs;
};

// Two sides of so many runs each, of one and the same build. The same for the same seed.
using Draw = std::function<Figures(std::size_t runs, std::uint64_t seed)>;

std::vector<Result> read_side(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw std::runtime_error(
        fmt::format("the folder {} does not exist. Expected the results of bench/compare_study/run",
                    folder.native()));
  }
  std::vector<Result> results;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") results.push_back(read_result_file(entry.path()));
  }
  return results;
}

double figure_of(const Result& result, const Metric& metric) {
  const std::optional<double> value = metric.value(result);
  if (value && *value > 0) return *value;
  throw std::runtime_error(fmt::format("the run that began {} has no {} above 0",
                                       result.summary.measure_start_ts, metric.name()));
}

// In the order of time.
std::vector<RealPair> read_pairs(const std::filesystem::path& folder, const Metric& metric) {
  const std::vector<Result> base = read_side(folder / "base");
  const std::vector<Result> new_runs = read_side(folder / "new");
  std::vector<RealPair> pairs;
  for (const RunPair& pair : pair_runs({{base, {}}, {new_runs, {}}})) {
    const Result& one = base[pair.base];
    const Result& other = new_runs[pair.new_run];
    RealPair found{figure_of(one, metric), figure_of(other, metric), true};
    if (other.summary.measure_start_ts < one.summary.measure_start_ts) {
      std::swap(found.earlier, found.later);
      found.is_base_earlier = false;
    }
    pairs.push_back(found);
  }
  if (pairs.size() < pairs_least) {
    throw std::runtime_error(fmt::format("{} has {} pairs. Expected at least {}", folder.native(),
                                         pairs.size(), pairs_least));
  }
  return pairs;
}

std::vector<double> in_time_order(const std::vector<RealPair>& pairs) {
  std::vector<double> figures;
  for (const RealPair& pair : pairs) {
    figures.push_back(pair.earlier);
    figures.push_back(pair.later);
  }
  return figures;
}

// The side that comes first changes from pair to pair: base, new, new, base, …
void append_pair(Figures& figures, double earlier, double later, bool is_base_earlier) {
  figures.base.push_back(is_base_earlier ? earlier : later);
  figures.new_runs.push_back(is_base_earlier ? later : earlier);
}

Figures draw_of_model(const RunNoise& noise, std::size_t runs, std::uint64_t seed) {
  RunSeries series(noise, 10'000, seed);
  Figures figures;
  for (std::size_t k = 0; k < runs; ++k) {
    const double earlier = series.next();
    const double later = series.next();
    append_pair(figures, earlier, later, k % 2 == 0);
  }
  return figures;
}

// Real pairs, drawn with replacement in blocks of neighbours (the last is followed by the first).
// Which run of a pair is called base is open, since they are of one build: the side that begins is
// drawn, and changes from pair to pair as in real runs.
Figures draw_of_real_pairs(const std::vector<RealPair>& pairs, std::size_t runs,
                           std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t first_side = random() % 2;
  std::size_t start = 0;
  Figures figures;
  for (std::size_t k = 0; k < runs; ++k) {
    if (k % block_pairs == 0) start = static_cast<std::size_t>(random() % pairs.size());
    const RealPair& pair = pairs[(start + k % block_pairs) % pairs.size()];
    append_pair(figures, pair.earlier, pair.later, (k + first_side) % 2 == 0);
  }
  return figures;
}

// Judges sides of so many runs. All figures are called tpmC: the study is about how figures are
// judged. Results are made once, since most of their making is histograms.
class Judge {
 public:
  Judge(const std::string& limit, std::size_t runs, bool is_paired)
      : sides_(compared_in_turns(std::vector<double>(runs, 1), std::vector<double>(runs, 1))) {
    options_.metrics = {Metric::parse("tpmC")};
    options_.limits = {Limit::parse("tpmC < " + limit)};
    options_.is_paired = is_paired;
  }

  bool fails(const Figures& figures, double shift) {
    for (std::size_t k = 0; k < sides_.base.size(); ++k) {
      sides_.base[k].summary.tpmc = figures.base[k];
      sides_.new_runs[k].summary.tpmc = figures.new_runs[k] * (1 + shift);
    }
    return compare(sides_.base, sides_.new_runs, options_).fails();
  }

 private:
  ComparedSides sides_;
  CompareOptions options_;
};

// In percent.
struct Rates {
  double alarms = 0;         // of comparisons without a shift
  double silent_series = 0;  // with as few alarms as there may be
  double finds = 0;          // of comparisons with the shift
  double finding_series = 0;

  bool are_good() const { return silent_series >= good_share && finding_series >= good_share; }
};

Rates measure(const Options& options, const Draw& draw, std::size_t runs, bool is_paired) {
  Judge judge(options.limit, runs, is_paired);
  Rates rates;
  std::uint64_t seed = 0;
  for (int one = 0; one < options.series; ++one) {
    int alarms = 0;
    int finds = 0;
    for (int i = 0; i < comparisons_a_series; ++i) {
      const Figures figures = draw(runs, ++seed);
      alarms += judge.fails(figures, 0) ? 1 : 0;
      finds += judge.fails(figures, options.shift_percent / 100) ? 1 : 0;
    }
    rates.alarms += alarms;
    rates.finds += finds;
    rates.silent_series += alarms <= alarms_most ? 1 : 0;
    rates.finding_series += finds >= finds_least ? 1 : 0;
  }
  rates.alarms *= 100.0 / (options.series * comparisons_a_series);
  rates.finds *= 100.0 / (options.series * comparisons_a_series);
  rates.silent_series *= 100.0 / options.series;
  rates.finding_series *= 100.0 / options.series;
  return rates;
}

// The change of the real sides, which are one build: it should be nothing.
void print_real_sides(const std::vector<RealPair>& pairs) {
  std::vector<double> differences;
  for (const RealPair& pair : pairs) differences.push_back(pair.difference());
  constexpr double confidence = 0.95;
  const Shift shift = signed_rank_shift(differences, confidence);
  fmt::print(
      "The real sides, which are one build, paired: {:+.2f}%, interval {:+.2f}% to "
      "{:+.2f}%, two-sided p {:.2f}.\n\n",
      std::expm1(shift.estimate) * 100, std::expm1(shift.low) * 100, std::expm1(shift.high) * 100,
      std::min(1.0, 2 * std::min(shift.p_lower, shift.p_higher)));
}

void print_fit(const RunNoise& noise, const std::vector<double>& figures, const Metric& metric) {
  const auto [least, most] = std::ranges::minmax(figures);
  fmt::print(
      "{} pairs of runs, {}: median {}, from {} to {}.\n\n"
      "| noise of the real runs | |\n|---|--:|\n"
      "| deviation of a run | {:.2f}% |\n| deviation that the runs of a pair share | {:.2f}% |\n"
      "| drift from run to run | {:+.3f}% |\n"
      "| spoilt runs | {:.0f}% |\n| a spoilt run is off by | {:+.1f}% |\n\n",
      figures.size() / 2, metric.name(), report::number_text(measure::median_of(figures)),
      report::number_text(least), report::number_text(most), noise.deviation * 100,
      noise.shared_deviation * 100, noise.drift * 100, noise.outlier_share * 100,
      std::expm1(noise.outlier_shift) * 100);
}

void print_rows(const Options& options, std::string_view noise, const Draw& draw) {
  for (const std::size_t runs : {5u, 8u, 12u}) {
    for (const bool is_paired : {false, true}) {
      const Rates rates = measure(options, draw, runs, is_paired);
      fmt::print("| {} | {} | {} | {:.1f}% | {:.0f}% | {:.1f}% | {:.0f}% |\n", noise, runs,
                 is_paired ? "paired" : "unpaired", rates.alarms, rates.silent_series, rates.finds,
                 rates.finding_series);
      std::fflush(stdout);
    }
  }
}

// The fewest pairs with which nearly all series are as they have to be.
void print_pairs_needed(const Options& options, std::string_view noise, const Draw& draw) {
  for (const std::size_t pairs :
       {5u, 6u, 7u, 8u, 10u, 12u, 16u, 20u, 24u, 32u, 40u, 60u, 80u, 100u, 120u, 160u}) {
    const Rates rates = measure(options, draw, pairs, true);
    if (!rates.are_good()) continue;
    fmt::print("- {}: {} pairs ({:.0f}% and {:.0f}% of the series)\n", noise, pairs,
               rates.silent_series, rates.finding_series);
    return;
  }
  fmt::print("- {}: more than 160 pairs\n", noise);
}

// For compare_study_test.cpp.
void print_for_the_test(const RunNoise& noise) {
  fmt::print(
      "\n<!-- compare_study_test.cpp: {{.deviation = {:.4f}, .shared_deviation = {:.4f}, .drift = "
      "{:.5f}, .outlier_share = {:.3f}, .outlier_shift = {:.3f}}} -->\n",
      noise.deviation, noise.shared_deviation, noise.drift, noise.outlier_share,
      noise.outlier_shift);
}

struct NamedDraw {
  std::string_view name;
  Draw draw;
};

std::vector<NamedDraw> draws_of(const RunNoise& noise, const std::vector<RealPair>& pairs) {
  const auto of_model = [](const RunNoise& model) {
    return
        [model](std::size_t runs, std::uint64_t seed) { return draw_of_model(model, runs, seed); };
  };
  RunNoise doubled = noise;
  doubled.deviation *= 2;
  RunNoise spoilt = noise;
  spoilt.outlier_share = std::max(0.05, noise.outlier_share);
  spoilt.outlier_shift = std::min(std::log(0.92), noise.outlier_shift);
  return {{"fitted", of_model(noise)},
          {"real pairs, drawn in blocks",
           [&pairs](std::size_t runs, std::uint64_t seed) {
             return draw_of_real_pairs(pairs, runs, seed);
           }},
          {"fitted, twice the deviation of a run", of_model(doubled)},
          {"fitted, and one in 20 spoilt by 8%", of_model(spoilt)}};
}

void print_study(const Options& options, const std::vector<NamedDraw>& draws) {
  fmt::print(
      "Limit `tpmC < {}`; {} series of {} comparisons each; runs in turns (base, new, new, base, "
      "…).\n\n"
      "| noise | runs a side | | no shift: fails | series with at most {} | {:+g}%: fails | series "
      "with at least {} |\n|---|--:|---|--:|--:|--:|--:|\n",
      options.limit, options.series, comparisons_a_series, alarms_most, options.shift_percent,
      finds_least);
  for (const NamedDraw& one : draws) print_rows(options, one.name, one.draw);
  fmt::print("\nPairs with which at least {:g}% of the series keep both, with `--paired`:\n\n",
             good_share);
  for (const NamedDraw& one : draws) print_pairs_needed(options, one.name, one.draw);
}

void simulate(const Options& options) {
  const Metric metric = Metric::parse(options.metric);
  const std::vector<RealPair> pairs = read_pairs(options.folder, metric);
  const std::vector<double> figures = in_time_order(pairs);
  const RunNoise noise = fit_run_noise(figures);
  print_fit(noise, figures, metric);
  print_real_sides(pairs);
  if (!options.fit_only) print_study(options, draws_of(noise, pairs));
  print_for_the_test(noise);
}

}  // namespace
}  // namespace drover::report

int main(int argc, char** argv) {
  using namespace drover::report;
  Options options;
  CLI::App app(
      "Measures how often drover compare reports a false change, and how often it finds a loss");
  app.add_option("folder", options.folder, "Results of bench/compare_study/run")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--metric", options.metric, "Metric whose noise is simulated")
      ->capture_default_str();
  app.add_option("--limit", options.limit, "Limit in percent, as in --fail-if")
      ->capture_default_str();
  app.add_option("--shift", options.shift_percent, "Simulated change of the new side in percent")
      ->capture_default_str();
  app.add_option("--series", options.series, "Number of series of 20 comparisons")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_flag("--fit-only", options.fit_only, "Print only the noise");
  CLI11_PARSE(app, argc, argv);
  try {
    simulate(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "compare_study: {}\n", error.what());
    return 1;
  }
  return 0;
}
