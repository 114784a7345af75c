#include "ui/plain_lines.h"

#include <fmt/format.h>

#include <chrono>
#include <numeric>

#include "report/plain_text.h"
#include "ui/number_text.h"
#include "ui/printable.h"

namespace drover::ui {

PlainLines::PlainLines(const load::Plan& plan, std::FILE* out, coro::Duration every)
    : plan_(plan), out_(out), every_(every), events_(plan) {}

void PlainLines::on_started(coro::Duration ramp_up) {
  write(fmt::format("{} up after {:.2f} s; warm-up {}, then measuring for {}\n",
                    counted(plan_.terminals(), "terminal"), seconds_of(ramp_up),
                    clock_text(plan_.warmup), clock_text(plan_.duration)));
}

void PlainLines::on_note(std::string_view text) {
  write(fmt::format("{}\n", printable_line(text)));
}

void PlainLines::on_snapshot(const load::Snapshot& snapshot) {
  const load::Sample& sample = snapshot.second;
  for (const RunEvent& event : events_.observe(snapshot)) {
    // The lines themselves say which phase it is, and how many retries there were.
    if (event.level == Level::note) continue;
    write(fmt::format("{:>7} {}\n", clock_text(sample.elapsed), printable_line(event.text)));
  }
  if (sample.phase != phase_) begin_line();
  phase_ = sample.phase;
  committed_ += std::accumulate(sample.committed.begin(), sample.committed.end(), std::uint64_t{0});
  new_orders_ += sample.committed[tpcc::index_of(tpcc::TransactionType::NewOrder)];
  failed_ += sample.failed;
  retries_ += sample.retries;
  length_ += sample.length;
  latency_.merge(snapshot.second_latency);
  // A sample comes a little after its second.
  if (sample.elapsed - printed_until_ + std::chrono::milliseconds(100) < every_) return;
  print_line(sample);
  printed_until_ = sample.elapsed;
  begin_line();
}

void PlainLines::on_ended(bool database_away) {
  if (!database_away) return;
  write(
      "the database is away: waiting for it, to look up what was not answered (Ctrl-C ends the "
      "wait)\n");
}

void PlainLines::begin_line() {
  committed_ = new_orders_ = failed_ = retries_ = 0;
  length_ = coro::Duration::zero();
  latency_ = {};
}

void PlainLines::print_line(const load::Sample& last) {
  const bool warming = last.phase == load::Phase::warmup;
  const coro::Duration left = plan_.warmup + plan_.duration - last.elapsed;
  const double length = seconds_of(length_);
  const auto milliseconds = [this](double percent) {
    if (latency_.empty()) return std::string("-");
    return fmt::format("{:.1f}", static_cast<double>(latency_.percentile_ns(percent)) / 1e6);
  };
  write(fmt::format(
      "{:>7} {:<8} {:>8.0f} tx/s {:>9.0f} tpmC  p50 {:>6} p90 {:>6} p99 {:>7} ms  "
      "{} in flight, {} waiting{}{}{}  client {:.0f}%  {} left\n",
      clock_text(last.elapsed), warming ? "warm-up" : "measure",
      length > 0 ? static_cast<double>(committed_) / length : 0,
      length > 0 ? static_cast<double>(new_orders_) / length * 60 : 0, milliseconds(50),
      milliseconds(90), milliseconds(99), last.in_flight, last.waiting,
      retries_ > 0 ? fmt::format(", {} {}", retries_, report::plural(retries_, "retry")) : "",
      failed_ > 0 ? fmt::format(", {} failed", failed_) : "",
      last.away > coro::Duration::zero()
          ? fmt::format(", DATABASE AWAY for {:.1f} s", seconds_of(last.away))
      : last.silent > coro::Duration::zero()
          ? fmt::format(", NO ANSWER for {:.1f} s", seconds_of(last.silent))
          : "",
      last.busiest_worker_load * 100,
      clock_text(left > coro::Duration::zero() ? left : coro::Duration::zero())));
}

// A line that cannot be written is no reason to lose a run.
void PlainLines::write(const std::string& line) {
  std::fputs(line.c_str(), out_);
  std::fflush(out_);
}

}  // namespace drover::ui
