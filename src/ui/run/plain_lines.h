// Plain output of a run: a line every few seconds on stderr, so that stdout stays for results, and
// one for whatever is out of the ordinary. Reads snapshots and nothing else.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "load/snapshot.h"
#include "ui/run/run_events.h"
#include "ui/terminal/display.h"
#include "workload/tpcc/terminals/plan.h"

namespace drover::ui {

class PlainLines final : public RunDisplay {
 public:
  PlainLines(const tpcc::Plan& plan, std::FILE* out, coro::Duration every);

  void on_started(coro::Duration ramp_up) override;
  void on_ended(bool database_away) override;
  void on_snapshot(const load::Snapshot& snapshot) override;
  void on_note(std::string_view text) override;

 private:
  void print_line(const load::Sample& last);
  void write(const std::string& line);

  const tpcc::Plan& plan_;
  std::FILE* out_;
  coro::Duration every_;
  coro::Duration printed_until_{};
  load::Phase phase_ = load::Phase::done;
  RunEvents events_;

  struct Sum {
    std::uint64_t committed = 0;
    std::uint64_t new_orders = 0;
    std::uint64_t failed = 0;
    std::uint64_t retries = 0;
    coro::Duration length{};
    measure::HistogramSnapshot latency;
  };
  Sum sum_;  // since the last line
};

}  // namespace drover::ui
