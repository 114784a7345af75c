#include "lab/rounds.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <numbers>
#include <system_error>
#include <utility>

#include "file/bounded_file.h"
#include "measure/median.h"

namespace drover::lab {
namespace {

// The first byte of the child's answer says whether figures or an error message follow.
constexpr char is_figures = 'f';
constexpr char is_message = 'm';

constexpr std::size_t answer_bytes_most = 4'096;  // fits into the buffer of a pipe

// Never returns, so that buffers and exit handlers of the parent are not processed twice.
[[noreturn]] void run_child(int fd, const std::function<std::vector<double>()>& measure) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string answer;
  try {
    const std::vector<double> figures = measure();
    answer.assign(1, is_figures);
    answer.append(reinterpret_cast<const char*>(figures.data()), figures.size() * sizeof(double));
  } catch (const std::exception& error) {
    answer = is_message + std::string(error.what());
  } catch (...) {
    answer = is_message + std::string("an unknown error");
  }
  answer.resize(std::min(answer.size(), answer_bytes_most));
  [[maybe_unused]] const ssize_t written = write(fd, answer.data(), answer.size());
  _exit(0);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by a signal: {}", strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {} and returned no figures", WEXITSTATUS(status));
}

// Returns the probability that `successes` of `trials` fair coins show heads. Uses logarithms
// because the factors overflow a double for many coins.
double probability_of(std::size_t successes, std::size_t trials) {
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(successes);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                  n * std::numbers::ln2);
}

}  // namespace

std::vector<double> measured_apart(const std::function<std::vector<double>()>& measure) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  file::FileDescriptor read_end(ends[0]);
  file::FileDescriptor write_end(ends[1]);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    read_end.reset();
    run_child(write_end.get(), measure);
  }
  write_end.reset();
  const std::string answer = file::read_up_to(read_end, answer_bytes_most);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (answer.empty())
    throw MeasurementFailed("the process of the measurement " + how_it_ended(status));
  if (answer[0] == is_message) throw MeasurementFailed(answer.substr(1));
  std::vector<double> figures((answer.size() - 1) / sizeof(double));
  if (!figures.empty()) {
    std::memcpy(figures.data(), answer.data() + 1, figures.size() * sizeof(double));
  }
  return figures;
}

Experiment measure_study(Study study, std::size_t rounds, const OnMeasured& on_measured,
                         const std::function<bool()>& interrupted) {
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Measurement& one : study.measurements) {
      if (interrupted()) break;
      if (!one.cell.note.empty()) continue;
      std::vector<double> figures;
      try {
        figures = measured_apart(one.measure);
        one.cell.rounds.push_back(figures);
      } catch (const MeasurementFailed& error) {
        if (interrupted()) break;  // the signal ended the child, too
        one.cell.note = error.what();
      }
      on_measured(one.cell, figures);
    }
  }
  for (Measurement& one : study.measurements) {
    study.experiment.cells.push_back(std::move(one.cell));
  }
  study.conclude(study.experiment);
  return std::move(study.experiment);
}

MedianInterval median_interval(std::span<const double> sample, double confidence) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::ranges::sort(sorted);
  const std::size_t count = sorted.size();
  MedianInterval interval;
  interval.median = measure::median_of(sample);
  // The median lies outside of [sorted[k], sorted[count - 1 - k]] if at most k values of the sample
  // lie on one side of it.
  double on_one_side = 0;
  for (std::size_t k = 0; 2 * k < count; ++k) {
    on_one_side += probability_of(k, count);
    const double inside = 1 - 2 * on_one_side;
    if (k > 0 && inside < confidence) break;
    interval.low = sorted[k];
    interval.high = sorted[count - 1 - k];
    interval.confidence = count > 1 ? inside : 0;
  }
  return interval;
}

std::string interval_text(const MedianInterval& interval) {
  if (interval.confidence == 0) return fmt::format("{:.2f} (one round)", interval.median);
  return fmt::format("{:.2f} ({:.2f} to {:.2f}, {:.0f}% confidence)", interval.median, interval.low,
                     interval.high, 100 * interval.confidence);
}

}  // namespace drover::lab
