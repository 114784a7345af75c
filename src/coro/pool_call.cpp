#include "coro/pool_call.h"

#include "coro/stealing_pool.h"

namespace drover::coro::detail {

void PoolCallBase::submit() {
  ++home_->outside_;
  try {
    pool_.spawn(static_cast<PoolTask&>(*this));
  } catch (...) {
    --home_->outside_;
    throw;
  }
}

void PoolCallBase::run() noexcept {
  if (!cancelled_.load(std::memory_order_relaxed)) {
    try {
      invoke();
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  // From here on the coroutine may go on at home and destroy this.
  home_->post(static_cast<Posted&>(*this));
}

void PoolCallBase::deliver() noexcept {
  --home_->outside_;
  unlink();
  home_->ready(awaiting_);
}

}  // namespace drover::coro::detail
