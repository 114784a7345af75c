#include "coro/pool_call.h"

#include "coro/stealing_pool.h"

namespace drover::coro::detail {

void PoolCallBase::submit() noexcept {
  pool_.spawn(static_cast<PoolTask&>(*this));
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
  home_->post([this] {
    unlink();
    home_->ready(awaiting_);
  });
}

}  // namespace drover::coro::detail
