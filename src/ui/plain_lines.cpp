#include "ui/plain_lines.h"

#include <fmt/format.h>

#include <chrono>
#include <numeric>

namespace drover::ui {
namespace {

double seconds(coro::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string clock_time(coro::Duration duration) {
  const auto total = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (total >= 3600) {
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  }
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

}  // namespace

PlainLines::PlainLines(const load::Plan& plan, std::FILE* out, coro::Duration every)
    : plan_(plan), out_(out), every_(every) {}

void PlainLines::on_started(coro::Duration ramp_up) {
  fmt::print(out_, "{} terminals up after {:.2f} s; warm-up {}, then measuring for {}\n",
             plan_.terminals(), seconds(ramp_up), clock_time(plan_.warmup),
             clock_time(plan_.duration));
  std::fflush(out_);
}

void PlainLines::on_sample(const load::Sample& sample) {
  const bool phase_ends = sample.phase != phase_ && length_ > coro::Duration::zero();
  if (phase_ends) length_ = coro::Duration::zero();
  if (sample.phase != phase_) {
    committed_ = new_orders_ = failed_ = retries_ = 0;
    phase_ = sample.phase;
  }
  committed_ += std::accumulate(sample.committed.begin(), sample.committed.end(), std::uint64_t{0});
  new_orders_ += sample.committed[tpcc::index_of(tpcc::TransactionType::NewOrder)];
  failed_ += sample.failed;
  retries_ += sample.retries;
  length_ += sample.length;
  if (sample.elapsed - printed_until_ < every_) return;
  print_line(sample);
}

void PlainLines::print_line(const load::Sample& last) {
  const bool warming = last.phase == load::Phase::warmup;
  const coro::Duration left = plan_.warmup + plan_.duration - last.elapsed;
  const double length = seconds(length_);
  fmt::print(out_,
             "{:>7} {:<8} {:>8.0f} tx/s {:>9.0f} tpmC  p50 {:>6.1f} p90 {:>6.1f} p99 {:>7.1f} ms  "
             "{} in flight, {} waiting{}{}  client {:.0f}%  {} left\n",
             clock_time(last.elapsed), warming ? "warm-up" : "measure",
             length > 0 ? static_cast<double>(committed_) / length : 0,
             length > 0 ? static_cast<double>(new_orders_) / length * 60 : 0, last.p50_ms,
             last.p90_ms, last.p99_ms, last.in_flight, last.waiting,
             retries_ > 0 ? fmt::format(", {} retries", retries_) : "",
             failed_ > 0 ? fmt::format(", {} failed", failed_) : "", last.busiest_worker_load * 100,
             clock_time(left > coro::Duration::zero() ? left : coro::Duration::zero()));
  std::fflush(out_);
  printed_until_ = last.elapsed;
  committed_ = new_orders_ = failed_ = retries_ = 0;
  length_ = coro::Duration::zero();
}

}  // namespace drover::ui
