#include "ui/run/plain_lines.h"

#include <fmt/format.h>

#include <chrono>
#include <numeric>

#include "text/plain_text.h"
#include "ui/log_book.h"
#include "ui/number_text.h"

namespace drover::ui {

PlainLines::PlainLines(const tpcc::Plan& plan, std::FILE* out, coro::Duration every)
    : plan_(plan), out_(out), every_(every), events_(plan) {}

void PlainLines::on_started(coro::Duration ramp_up) {
  write(fmt::format("{} up after {:.2f} s; warm-up {}, then measuring for {}\n",
                    text::counted_grouped(plan_.terminals(), "terminal"), seconds_of(ramp_up),
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
  if (sample.phase != phase_) sum_ = {};
  phase_ = sample.phase;
  sum_.committed +=
      std::accumulate(sample.committed.begin(), sample.committed.end(), std::uint64_t{0});
  sum_.new_orders += sample.committed[tpcc::index_of(tpcc::TransactionType::NewOrder)];
  sum_.failed += sample.failed;
  sum_.retries += sample.retries;
  sum_.length += sample.length;
  sum_.latency.merge(snapshot.second_latency);
  // A sample comes a little after its second.
  if (sample.elapsed - printed_until_ + std::chrono::milliseconds(100) < every_) return;
  print_line(sample);
  printed_until_ = sample.elapsed;
  sum_ = {};
}

void PlainLines::on_ended(bool database_away) {
  if (!database_away) return;
  write(
      "the database is away: waiting for it, to look up what was not answered (Ctrl-C ends the "
      "wait)\n");
}

void PlainLines::print_line(const load::Sample& last) {
  const bool warming = last.phase == load::Phase::warmup;
  const coro::Duration left = plan_.warmup + plan_.duration - last.elapsed;
  const double length = seconds_of(sum_.length);
  const auto milliseconds = [this](double percent) {
    if (sum_.latency.empty()) return std::string("-");
    return fmt::format("{:.1f}", static_cast<double>(sum_.latency.percentile_ns(percent)) / 1e6);
  };
  const std::string trouble = trouble_text(last);
  write(fmt::format(
      "{:>7} {:<8} {:>8.0f} tx/s {:>9.0f} tpmC  p50 {:>6} p90 {:>6} p99 {:>7} ms  "
      "{} in flight, {} waiting{}{}{}  client {:.0f}%  {} left\n",
      clock_text(last.elapsed), warming ? "warm-up" : "measure",
      length > 0 ? static_cast<double>(sum_.committed) / length : 0,
      length > 0 ? static_cast<double>(sum_.new_orders) / length * 60 : 0, milliseconds(50),
      milliseconds(90), milliseconds(99), last.in_flight, last.waiting,
      sum_.retries > 0 ? fmt::format(", {} {}", sum_.retries, text::plural(sum_.retries, "retry"))
                       : "",
      sum_.failed > 0 ? fmt::format(", {} failed", sum_.failed) : "",
      trouble.empty() ? "" : ", " + trouble, last.busiest_worker_load * 100,
      clock_text(left > coro::Duration::zero() ? left : coro::Duration::zero())));
}

// A line that cannot be written is no reason to lose a run.
void PlainLines::write(const std::string& line) {
  std::fputs(line.c_str(), out_);
  std::fflush(out_);
}

}  // namespace drover::ui
