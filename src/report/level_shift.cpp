#include "report/level_shift.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace drover::report {

namespace {

// A stretch after which the level is the old one again matters if the mean of all does: by 5%.
constexpr double mean_share_least = 0.05;

// What chance makes of the best of all shapes about once in 10,000 series of 10 or more values
// whose noise is 5% of the level and keeps 0.6 of its neighbour. Few values show little of the
// noise that they have.
double t_most(std::size_t count, bool is_large) {
  const auto n = static_cast<double>(count);
  return is_large ? 5 + 20 / n : 7 + 40 / n;
}

class Search {
 public:
  Search(const std::vector<double>& values, const LevelShiftOptions& options)
      : values_(values), options_(options), count_(static_cast<double>(values.size())) {
    sums_.push_back(0);
    for (const double value : values) sums_.push_back(sums_.back() + value);
    mean_ = sums_.back() / count_;
    for (const double value : values) squares_ += (value - mean_) * (value - mean_);
  }

  std::optional<LevelShift> run() {
    // A step is a stretch that goes on to the end.
    for (std::size_t first = 1; first < values_.size(); ++first) {
      for (std::size_t last = first + options_.stretch_least; last <= values_.size(); ++last) {
        try_stretch(first, last);
      }
    }
    try_ramp();
    if (best_.t == 0) return std::nullopt;
    const bool is_large = std::min(best_.from, best_.to) < std::max(best_.from, best_.to) / 2;
    if (!is_large && values_.size() < small_shift_values_least) return std::nullopt;
    if (!is_large || !options_.large_by_itself) {
      const double correlation = neighbour_correlation();
      best_.t *= std::sqrt((1 - correlation) / (1 + correlation));
    }
    if (best_.t <= t_most(values_.size(), is_large && options_.large_by_itself)) {
      return std::nullopt;
    }
    return best_;
  }

 private:
  bool matters(double from, double to) const {
    const double difference = std::abs(from - to);
    return difference > options_.share_least * std::max(from, to) &&
           difference > options_.difference_least;
  }

  // `explained` is a part of the sum of squares. A shape beside the mean takes two degrees of
  // freedom.
  void keep_best(LevelShift shift, double explained) {
    const double noise = options_.noise_deviation * options_.noise_deviation * (count_ - 2);
    // What is left of a perfect fit is rounding.
    const double unexplained = std::max({squares_ - explained, noise, 1e-12 * squares_});
    shift.t = std::sqrt(explained * (count_ - 2) / unexplained);
    if (shift.t > best_.t) best_ = shift;
  }

  void try_stretch(std::size_t first, std::size_t last) {
    const std::size_t length = last - first;
    const bool stays = last == values_.size();
    if (values_.size() - length < options_.stretch_least) return;
    const auto inside = static_cast<double>(length);
    const auto outside = static_cast<double>(values_.size() - length);
    const double sum = sums_[last] - sums_[first];
    const double to = sum / inside;
    const double from = (sums_.back() - sum) / outside;
    if (!matters(from, to)) return;
    const double difference = to - from;
    if (!stays && std::abs(difference) * inside <= mean_share_least * count_ * std::max(from, to)) {
      return;
    }
    keep_best({stays ? LevelShift::Shape::step : LevelShift::Shape::stretch, first, last, from, to},
              difference * difference * inside * outside / count_);
  }

  void try_ramp() {
    const double middle = (count_ - 1) / 2;
    double together = 0;
    double alone = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double place = static_cast<double>(i) - middle;
      together += place * values_[i];
      alone += place * place;
    }
    const double slope = together / alone;
    const double from = mean_ - slope * middle;
    const double to = mean_ + slope * middle;
    if (!matters(from, to)) return;
    keep_best({LevelShift::Shape::ramp, 0, values_.size(), from, to}, slope * together);
  }

  double fitted(std::size_t i) const {
    if (best_.shape == LevelShift::Shape::ramp) {
      return best_.from + (best_.to - best_.from) * static_cast<double>(i) / (count_ - 1);
    }
    return i >= best_.first && i < best_.last ? best_.to : best_.from;
  }

  // The correlation of what the best shape leaves. An estimate from few values is too low: by
  // about (1 + 3 r) / n.
  double neighbour_correlation() const {
    double together = 0;
    double alone = 0;
    double before = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double rest = values_[i] - fitted(i);
      together += rest * before;
      alone += rest * rest;
      before = rest;
    }
    if (alone <= 1e-12 * squares_) return 0;
    const double found = together / alone;
    return std::clamp(found + (1 + 3 * found) / count_, 0.0, 0.8);
  }

  const std::vector<double>& values_;
  const LevelShiftOptions& options_;
  double count_;
  std::vector<double> sums_;
  double mean_ = 0;
  double squares_ = 0;  // of the distances from the mean
  LevelShift best_;
};

}  // namespace

std::optional<LevelShift> find_level_shift(const std::vector<double>& values,
                                           const LevelShiftOptions& options) {
  if (values.size() < level_shift_values_least) return std::nullopt;
  return Search(values, options).run();
}

}  // namespace drover::report
