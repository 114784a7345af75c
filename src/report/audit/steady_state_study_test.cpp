// How often the rule about the steady state errs, either way: series of known shapes with noise of
// known kinds, from fixed seeds. The counts are those of docs/audit.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "report/audit/audit_statistics.h"

namespace drover::report {
namespace {

constexpr int rounds = 100;  // series of each shape, length and noise
constexpr std::array<int, 5> lengths_s = {14, 30, 60, 120, 600};

struct Noise {
  double deviation = 0;  // of a second, in shares of the level
  double kept = 0;       // what a second keeps of the one before
};
constexpr std::array<Noise, 3> noises = {{{0.02, 0}, {0.05, 0.5}, {0.1, 0.3}}};

// The level at a place from 0 to 1 of the interval.
using Level = std::function<double(double)>;

std::vector<TimePoint> series(std::mt19937_64& random, const Level& level, int seconds,
                              const Noise& noise) {
  std::normal_distribution<double> normal(0,
                                          noise.deviation * std::sqrt(1 - noise.kept * noise.kept));
  double value = 0;
  for (int i = 0; i < 50; ++i) value = noise.kept * value + normal(random);
  std::vector<TimePoint> points;
  points.push_back({{.ok = {999'999}}, 5, "warm-up"});
  for (int i = 0; i < seconds; ++i) {
    value = noise.kept * value + normal(random);
    const double throughput = 1'000 * level((i + 0.5) / seconds) * (1 + value);
    TimePoint point;
    point.t = 6.0 + i;
    point.phase = "measure";
    point.ok = {static_cast<std::uint64_t>(std::llround(std::max(throughput, 0.0)))};
    points.push_back(point);
  }
  return points;
}

bool is_steady(const std::vector<TimePoint>& points) {
  const SteadyStateBins bins = make_steady_state_bins(points);
  if (find_throughput_shift(bins)) return false;
  return bins.throughput.size() < small_shift_values_least ||
         !throughput_has_trend(find_trend(bins.throughput));
}

// How many of a hundred series do not pass for steady, a number for each length.
using Found = std::array<int, lengths_s.size()>;
constexpr Found all_of_them = {100, 100, 100, 100, 100};

Found found_of(const Level& level, const Noise& noise) {
  std::mt19937_64 random(20'251'123);
  Found found{};
  for (std::size_t i = 0; i < lengths_s.size(); ++i) {
    for (int round = 0; round < rounds; ++round) {
      if (!is_steady(series(random, level, lengths_s[i], noise))) ++found[i];
    }
  }
  return found;
}

Level step(double place, double after) {
  return [=](double at) { return at < place ? 1 : after; };
}
Level stretch(double first, double last, double within) {
  return [=](double at) { return at < first || at > last ? 1 : within; };
}
Level ramp(double to) {
  return [=](double at) { return 1 + (to - 1) * at; };
}
Level decay(double to) {
  return [=](double at) { return std::pow(to, at); };
}
Level wave(double periods, double height) {
  return [=](double at) { return 1 + height * std::sin(2 * M_PI * periods * at); };
}

constexpr int slack = 1;  // other processors round in other ways

struct Shape {
  const char* name;
  Level level;
  std::array<Found, noises.size()> found;
};

// The table of docs/audit.md.
const std::vector<Shape>& moving_shapes() {
  static const std::vector<Shape> shapes = {
      {"-10% at half",
       step(0.5, 0.9),
       {{{0, 44, 53, 54, 54}, {1, 14, 7, 35, 55}, {0, 4, 1, 9, 62}}}},
      {"-20% at half",
       step(0.5, 0.8),
       {{{89, 100, 100, 100, 100}, {29, 58, 72, 99, 100}, {1, 16, 22, 79, 100}}}},
      {"-30% at half",
       step(0.5, 0.7),
       {{{99, 100, 100, 100, 100}, {75, 87, 92, 100, 100}, {11, 48, 70, 98, 100}}}},
      {"-50% at half",
       step(0.5, 0.5),
       {{{100, 100, 100, 100, 100}, {97, 100, 100, 100, 100}, {75, 96, 97, 100, 100}}}},
      {"-30% at 0.8",
       step(0.8, 0.7),
       {{{98, 100, 100, 100, 100}, {36, 62, 72, 100, 100}, {1, 10, 23, 87, 100}}}},
      {"to 1/20 at 4/14", step(4.0 / 14, 0.05), {{all_of_them, all_of_them, all_of_them}}},
      {"to nothing at 0.8", step(0.8, 0), {{all_of_them, all_of_them, all_of_them}}},
      {"-30% from 0.4 to 0.7",
       stretch(0.4, 0.7, 0.7),
       {{{97, 100, 100, 100, 100}, {53, 77, 83, 100, 100}, {4, 18, 43, 94, 100}}}},
      {"nothing from 0.4 to 0.7", stretch(0.4, 0.7, 0), {{all_of_them, all_of_them, all_of_them}}},
      {"ramp of -10%", ramp(0.9), {{{14, 93, 90, 100, 100}, {0, 10, 5, 25, 99}, {0, 3, 0, 4, 65}}}},
      {"ramp of -20%",
       ramp(0.8),
       {{{81, 100, 99, 100, 100}, {7, 31, 41, 91, 100}, {0, 13, 10, 63, 100}}}},
      {"ramp of -30%",
       ramp(0.7),
       {{{96, 100, 100, 100, 100}, {30, 63, 70, 98, 100}, {2, 34, 50, 97, 100}}}},
      {"ramp of -60%", ramp(0.4), {{all_of_them, all_of_them, {91, 100, 100, 100, 100}}}},
      {"decay to 1/20", decay(0.05), {{all_of_them, all_of_them, all_of_them}}}};
  return shapes;
}

TEST(SteadyStateStudy, FindsAsManyAsTheDocumentationSays) {
  for (const Shape& shape : moving_shapes()) {
    for (std::size_t noise = 0; noise < noises.size(); ++noise) {
      const Found found = found_of(shape.level, noises[noise]);
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_GE(found[i], shape.found[noise][i] - slack)
            << shape.name << ", " << lengths_s[i] << " s, noise of " << noises[noise].deviation;
      }
    }
  }
}

// What comes back again and again is a state, too: checkpoints, for one.
TEST(SteadyStateStudy, WavesAndSingleSecondsAreSteady) {
  const Level pause_of_a_second = [](double at) { return std::abs(at - 0.5) < 0.5 / 600 ? 0 : 1; };
  for (const Noise& noise : noises) {
    for (const Level& level :
         {wave(8, 0.1), wave(4, 0.3), wave(4, 0.8), wave(8, 0.8), pause_of_a_second}) {
      for (const int count : found_of(level, noise)) EXPECT_LE(count, 0);
    }
  }
}

int false_alarms(const Noise& noise, int seconds) {
  constexpr int series_most = 2'000;
  std::mt19937_64 random(7);
  int alarms = 0;
  for (int i = 0; i < series_most; ++i) {
    if (!is_steady(series(random, step(1, 1), seconds, noise))) ++alarms;
  }
  return alarms;
}

TEST(SteadyStateStudy, FalseAlarmsAreAsRareAsTheDocumentationSays) {
  static constexpr std::array<int, 5> seconds = {5, 14, 30, 120, 600};
  struct Case {
    Noise noise;
    std::array<int, seconds.size()> alarms;
  };
  for (const Case& one : {Case{{0.05, 0}, {0, 0, 0, 0, 0}}, Case{{0.1, 0}, {0, 0, 0, 0, 0}},
                          Case{{0.05, 0.6}, {0, 1, 3, 0, 0}}, Case{{0.1, 0.6}, {0, 3, 5, 0, 0}},
                          Case{{0.1, 0.8}, {0, 18, 44, 3, 0}}}) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      EXPECT_LE(false_alarms(one.noise, seconds[i]), one.alarms[i] + slack)
          << seconds[i] << " s, " << one.noise.deviation << " " << one.noise.kept;
    }
  }
}

// Rates so low that a second has a transaction or none.
TEST(SteadyStateStudy, FewTransactionsAreNoStep) {
  std::mt19937_64 random(8);
  int alarms = 0;
  for (const double rate : {0.3, 1.0, 4.0}) {
    std::poisson_distribution<std::uint64_t> poisson(rate);
    for (const int seconds : {5, 9, 14, 30, 60, 120}) {
      for (int round = 0; round < 500; ++round) {
        std::vector<TimePoint> points;
        for (int i = 0; i < seconds; ++i) {
          points.push_back({{.ok = {poisson(random)}}, 1.0 + i, "measure"});
        }
        if (!is_steady(points)) ++alarms;
      }
    }
  }
  EXPECT_LE(alarms, 2 + slack) << "of 9,000 series";
}

}  // namespace
}  // namespace drover::report
