// StartAt: a run that begins when this machine's clock says a time, so that runs that were started by hand on several
// hosts begin together: as exactly as their clocks agree.
#pragma once

#include "coro/task.h"
#include "load/snapshot.h"
#include "load/surroundings.h"

namespace drover::run {

class StartAt final : public load::Rendezvous {
 public:
  // `unix_s`: Unix time, seconds. `log` is told what is waited for. Both must outlive it.
  StartAt(double unix_s, double (*unix_time)(), load::Observer& log)
      : unix_s_(unix_s), unix_time_(unix_time), log_(log) {}

  coro::Task<void> sessions_open() override { co_return; }
  // In the past, where the terminals came up too late.
  coro::Task<coro::Instant> terminals_up() override;

 private:
  const double unix_s_;
  double (*const unix_time_)();
  load::Observer& log_;
};

}  // namespace drover::run
