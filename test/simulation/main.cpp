// simulation: runs the engine on a simulated database whose failures depend on a seed.
//
//   simulation [--first N] [--seeds N]   simulates consecutive seeds, from --first on
//   simulation --seed N [--trace]        simulates one seed; --trace prints every event
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "scenario.h"
#include "simulation.h"

namespace {

using drover::simulation::Verdict;

struct Options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 2'000;
  std::optional<std::uint64_t> seed;
  bool trace = false;
};

[[noreturn]] void wrong_use() {
  fmt::print(stderr, "usage: simulation [--first N] [--seeds N] | --seed N [--trace]\n");
  std::exit(2);
}

Options read_options(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--trace") {
      options.trace = true;
      continue;
    }
    char* end = nullptr;
    const char* text = i + 1 < count ? arguments[++i] : "";
    const std::uint64_t value = std::strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0') wrong_use();
    if (name == "--first") {
      options.first = value;
    } else if (name == "--seeds") {
      options.seeds = value;
    } else if (name == "--seed") {
      options.seed = value;
    } else {
      wrong_use();
    }
  }
  return options;
}

// A run that hangs without its time going on is ended by the kernel.
constexpr unsigned seconds_of_a_seed_most = 120;

// Over all seeds. Two builds whose traces are equal have done the same at the same instants.
struct Sums {
  std::size_t transactions = 0;
  std::uint64_t trace = 0;
};

// Whether all is well.
bool run_seed(std::uint64_t seed, bool trace, bool twice, Sums& sums) {
  alarm(seconds_of_a_seed_most);
  Verdict verdict = drover::simulation::simulate(seed, trace);
  sums.transactions += verdict.transactions;
  sums.trace = sums.trace * 0xd1342543de82ef95ULL + verdict.trace;
  if (twice && drover::simulation::simulate(seed, false).trace != verdict.trace) {
    verdict.faults.emplace_back("a second run of this seed has another trace");
  }
  alarm(0);
  if (verdict.faults.empty()) return true;
  fmt::print("{}", drover::simulation::describe(drover::simulation::draw_scenario(seed)));
  for (const std::string& fault : verdict.faults) fmt::print("seed {}: {}\n", seed, fault);
  fmt::print("To repeat this run with every event: simulation --seed {} --trace\n", seed);
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = read_options(count, arguments);
  Sums sums;
  if (options.seed) {
    const bool well = run_seed(*options.seed, options.trace, true, sums);
    fmt::print("seed {}: {} transactions, {}\n", *options.seed, sums.transactions,
               well ? "all is well" : "FAULTS");
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  constexpr std::uint64_t twice_in = 16;  // seeds: that both runs of one are the same
  constexpr std::uint64_t failing_most = 10;
  const std::clock_t begun = std::clock();
  std::uint64_t failing = 0;
  std::uint64_t done = 0;
  for (; done < options.seeds && failing < failing_most; ++done) {
    const std::uint64_t seed = options.first + done;
    if (!run_seed(seed, false, seed % twice_in == 0, sums)) ++failing;
  }
  const double took_s = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  fmt::print(
      "{} seeds from {}, {} transactions, trace {:016x}, in {:.1f} s of a processor: {:.0f} seeds "
      "a minute; {} "
      "with "
      "faults\n",
      done, options.first, sums.transactions, sums.trace, took_s,
      static_cast<double>(done) * 60 / std::max(took_s, 1e-3), failing);
  return failing == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
