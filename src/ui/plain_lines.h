// Plain output of a run: a line every few seconds on stderr, so that stdout stays for results.
// Reads samples and nothing else.
#pragma once

#include <cstdio>
#include <string>

#include "load/run.h"

namespace drover::ui {

class PlainLines final : public load::Observer {
 public:
  PlainLines(const load::Plan& plan, std::FILE* out, coro::Duration every);

  void on_started(coro::Duration ramp_up) override;
  void on_ended(bool database_away) override;
  void on_sample(const load::Sample& sample, const measure::HistogramSnapshot& latency) override;

 private:
  void print_line(const load::Sample& last);
  void begin_line();
  void write(const std::string& line);

  const load::Plan& plan_;
  std::FILE* out_;
  coro::Duration every_;
  coro::Duration printed_until_{};
  load::Phase phase_ = load::Phase::done;

  // Since the last line.
  std::uint64_t committed_ = 0;
  std::uint64_t new_orders_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t retries_ = 0;
  coro::Duration length_{};
  measure::HistogramSnapshot latency_;
};

}  // namespace drover::ui
