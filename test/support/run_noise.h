// How figures of runs of one and the same thing differ: a model for the study of `drover compare`
// (docs/compare.md), fitted to real runs that were made in pairs, one right after the other.
//
//   log(figure of run i) = level + drift * i + shared_deviation * y_k + deviation * z_i
//                          (+ outlier_shift, if the run is spoilt)
//
// Run i belongs to pair k = i / 2. y_k and z_i are standard normal and independent: what the two
// runs of a pair have in common, such as the mood of the machine in that minute, and what each has
// for itself. A run is spoilt with probability outlier_share. Plain values; a RunSeries belongs to
// one thread and is the same for a seed with any library.
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace drover::report {

struct RunNoise {
  double deviation = 0.01;      // of a run, of logarithms: 0.01 is about 1%
  double shared_deviation = 0;  // of a pair, of logarithms
  double drift = 0;             // a run, of logarithms
  double outlier_share = 0;     // 0..1
  double outlier_shift = 0;     // of logarithms
};

// Takes figures above 0 in the order of their runs: the first two are a pair, and so on; the last
// of an odd number is left out. The drift is the median slope of all runs (Theil and Sen). A pair
// whose difference lies more than 4 robust deviations off has a spoilt run: the one that is farther
// from the median of all. The deviation comes of the differences in the other pairs; the shared one
// is what their means scatter beyond it.
// Requires: at least 8 figures.
RunNoise fit_run_noise(std::span<const double> figures);

class RunSeries {
 public:
  RunSeries(const RunNoise& noise, double level, std::uint64_t seed);

  // The figure of the next run of the series.
  double next();

 private:
  double uniform();  // (0, 1)
  double standard_normal();

  RunNoise noise_;
  double log_level_;
  double shared_ = 0;  // of the pair that the next run belongs to, if it is the second
  std::uint64_t run_ = 0;
  std::mt19937_64 random_;
};

}  // namespace drover::report
