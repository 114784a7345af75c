// The plain lines of a run: a line every few seconds, and a line for each unusual event.
//
// Rates and percentiles cover the time since the previous line, for the run and for each of its
// hosts, so that the rates of the hosts add up to the rate of the run. Loads and timer lags are the
// highest of one second within this time. Other figures are those at the end of this time.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "text/plain_text.h"
#include "ui/number_text.h"
#include "ui/run_events.h"
#include "ui/run_model.h"

namespace drover::ui {
namespace {

class PlainLines final : public RunDisplay {
 public:
  PlainLines(const load::Plan& plan, std::FILE* out, coro::Duration every)
      : plan_(plan), out_(out), every_(every), events_(plan) {}

  void on_started(coro::Duration ramp_up) override {
    write(fmt::format("{}; warm-up {}, then measuring {}\n", terminals_up_text(plan_, ramp_up),
                      clock_text(plan_.warmup), measured_until(plan_)));
  }

  void on_note(std::string_view text) override { write(fmt::format("{}\n", printable_line(text))); }

  void on_snapshot(const load::Snapshot& snapshot) override {
    const load::Sample& sample = snapshot.second;
    for (const RunEvent& event : events_.observe(snapshot)) {
      // The lines show phases and retries.
      if (event.level == Level::note) continue;
      write(fmt::format("{:>7} {}\n", clock_text(sample.elapsed), printable_line(event.text)));
    }
    if (sample.phase != phase_) sum_ = {};
    phase_ = sample.phase;
    sum_.committed += std::accumulate(sample.ok.begin(), sample.ok.end(), std::uint64_t{0});
    sum_.headline += headline_count(headline(), sample);
    sum_.failed += sample.failed;
    sum_.retries += sample.retries;
    sum_.length += sample.length;
    sum_.latency.merge(snapshot.second_latency);
    sum_.load = std::max(sum_.load, sample.client_load);
    add_ranks(snapshot);
    // A sample arrives a little after the end of its second.
    if (sample.elapsed - printed_until_ + std::chrono::milliseconds(100) < every_) return;
    print_line(sample, run_progress(plan_, snapshot).left);
    print_ranks(snapshot);
    printed_until_ = sample.elapsed;
    sum_ = {};
  }

  void on_ended(bool database_away) override {
    if (!database_away) return;
    write(
        "the load has ended; waiting for the database, to look up unknown commits (Ctrl-C ends the "
        "wait)\n");
  }

 private:
  void print_line(const load::Sample& last, const std::string& left) {
    const bool warming = last.phase == load::Phase::warmup;
    const auto milliseconds = [this](double percent) {
      if (sum_.latency.empty()) return std::string("-");
      return fmt::format("{:.1f}", static_cast<double>(sum_.latency.percentile_ns(percent)) / 1e6);
    };
    const std::string trouble = trouble_text(last);
    write(fmt::format(
        "{:>7} {:<8} {}  p50 {:>6} p90 {:>6} p99 {:>7} ms  "
        "{} in flight, {} waiting{}{}{}{}  client CPU {:.0f}%  {} left\n",
        clock_text(last.elapsed), warming ? "warm-up" : "measure", rates_text(), milliseconds(50),
        milliseconds(90), milliseconds(99), last.in_flight, last.waiting,
        last.backlog ? fmt::format(", backlog {}", *last.backlog) : "",
        sum_.retries > 0 ? fmt::format(", {} {}", sum_.retries, text::plural(sum_.retries, "retry"))
                         : "",
        sum_.failed > 0 ? fmt::format(", {} failed", sum_.failed) : "",
        trouble.empty() ? "" : ", " + trouble, sum_.load * 100, left));
  }

  void add_ranks(const load::Snapshot& snapshot) {
    sum_.ranks.resize(snapshot.ranks.size());
    for (std::size_t i = 0; i < sum_.ranks.size(); ++i) {
      const load::RankNow& rank = snapshot.ranks[i];
      RankSum& sum = sum_.ranks[i];
      // The figures of the run do not include lost hosts.
      if (!rank.is_lost) sum.committed += rank.per_second * seconds_of(snapshot.second.length);
      sum.load = std::max(sum.load, rank.worker_load);
      sum.timer_lag_p99_ms = std::max(sum.timer_lag_p99_ms, rank.timer_lag_p99_ms);
    }
  }

  void print_ranks(const load::Snapshot& snapshot) {
    constexpr std::size_t shown_most = 8;
    const double length = seconds_of(sum_.length);
    for (const load::RankNow* rank : ranks_to_show(snapshot, shown_most)) {
      const RankSum& sum = sum_.ranks[static_cast<std::size_t>(rank - snapshot.ranks.data())];
      const double mean = length > 0 ? sum.committed / length : 0;
      write(fmt::format(
          "{:>16} {}{:>9.0f} tx/s  timer lag p99 {} ms  {} in flight, {} connections  CPU "
          "{:.0f}%\n",
          printable_line(rank->name), rank->is_lost ? "LOST " : "",
          rank->is_lost ? rank->per_second : mean, milliseconds_text(sum.timer_lag_p99_ms),
          rank->in_flight, rank->connections_open, sum.load * 100));
    }
    if (snapshot.ranks.size() > shown_most)
      write(fmt::format("{:>16} and {} more hosts\n", "", snapshot.ranks.size() - shown_most));
  }

  // Returns the rate of all transactions, and the headline if that is another figure.
  std::string rates_text() const {
    const double length = seconds_of(sum_.length);
    const auto rate = [length](std::uint64_t count, double seconds) {
      return length > 0 ? static_cast<double>(count) / length * seconds : 0;
    };
    const double all = rate(sum_.committed, 1);
    if (headline().is_all_a_second()) return fmt::format("{:>8.0f} {}", all, headline().name);
    return fmt::format("{:>8.0f} tx/s {:>9.0f} {}", all, rate(sum_.headline, headline().seconds),
                       headline().name);
  }

  const load::Headline& headline() const { return plan_.workload.headline; }

  // Errors are ignored: a line that cannot be written must not end the run.
  void write(const std::string& line) {
    std::fputs(line.c_str(), out_);
    std::fflush(out_);
  }

  const load::Plan& plan_;
  std::FILE* out_;
  coro::Duration every_;
  coro::Duration printed_until_{};
  load::Phase phase_ = load::Phase::done;
  RunEvents events_;

  struct RankSum {
    double committed = 0;
    double load = 0;
    double timer_lag_p99_ms = 0;
  };
  struct Sum {
    std::uint64_t committed = 0;
    std::uint64_t headline = 0;
    std::uint64_t failed = 0;
    std::uint64_t retries = 0;
    coro::Duration length{};
    measure::HistogramSnapshot latency;
    double load = 0;
    std::vector<RankSum> ranks;
  };
  Sum sum_;  // since the last line
};

}  // namespace

std::unique_ptr<RunDisplay> make_plain_lines(const load::Plan& plan, std::FILE* out,
                                             coro::Duration every) {
  return std::make_unique<PlainLines>(plan, out, every);
}

}  // namespace drover::ui
