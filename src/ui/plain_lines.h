// Plain output of a run: a line every few seconds on stderr, so that stdout stays for results, and
// one for whatever is out of the ordinary. Reads snapshots and nothing else.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "load/plan.h"
#include "load/snapshot.h"
#include "ui/display.h"
#include "ui/run_events.h"

namespace drover::ui {

class PlainLines final : public RunDisplay {
 public:
  PlainLines(const load::Plan& plan, std::FILE* out, coro::Duration every);

  void on_started(coro::Duration ramp_up) override;
  void on_ended(bool database_away) override;
  void on_snapshot(const load::Snapshot& snapshot) override;
  void on_note(std::string_view text) override;

 private:
  void print_line(const load::Sample& last);
  void begin_line();
  void write(const std::string& line);

  const load::Plan& plan_;
  std::FILE* out_;
  coro::Duration every_;
  coro::Duration printed_until_{};
  load::Phase phase_ = load::Phase::done;
  RunEvents events_;

  // Since the last line.
  std::uint64_t committed_ = 0;
  std::uint64_t new_orders_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t retries_ = 0;
  coro::Duration length_{};
  measure::HistogramSnapshot latency_;
};

}  // namespace drover::ui
