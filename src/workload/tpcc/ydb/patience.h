// Patience: how init, import and clean deal with failures of YDB. All that they do may be done
// twice, so whatever may pass is tried again: 100 times at most, with pauses of 10 ms, doubled up
// to 320 ms, times a random number from 0.5 to 1. In all, about 25 s.
#pragma once

#include <functional>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/ydb_error.h"

namespace drover::tpcc::ydb {

// Whether it may go well another time.
bool may_pass(const database::Error& error) noexcept;

// The pause before the retry `number`, from 1 on; `random` is from 0.5 to 1.
coro::Duration pause_before(int number, double random) noexcept;

// Makes tasks and awaits them until one comes to its end. Throws the error that did not pass.
coro::Task<void> patiently(std::function<coro::Task<void>()> make_task);

// Does what is to be done though its caller is cancelled, for so long at most. Throws nothing.
coro::Task<void> finish_in_time(coro::Task<void> task, coro::Duration most);

}  // namespace drover::tpcc::ydb
