// What an import has done. Plain values.
#pragma once

#include <cstdint>

#include "coro/clock.h"
#include "tpcc/import_plan.h"

namespace drover::tpcc {

struct ImportOutcome {
  ImportPlan plan;
  int64_t rows = 0;
  int64_t bytes = 0;
  coro::Duration load_time{};
  coro::Duration finish_time{};
};

}  // namespace drover::tpcc
