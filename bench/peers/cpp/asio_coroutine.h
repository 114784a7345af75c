// Asio's coroutines as the peers use them: on the executor's own type instead of a type-erased one,
// and on a context that takes no lock, as one thread needs none.
#pragma once

#include <fmt/format.h>

#include <asio/awaitable.hpp>
#include <asio/basic_waitable_timer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/version.hpp>
#include <chrono>
#include <string>

namespace drover::peers {

using Executor = asio::io_context::executor_type;
using Awaitable = asio::awaitable<void, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;

inline constexpr asio::use_awaitable_t<Executor> awaited;
inline constexpr int one_thread = ASIO_CONCURRENCY_HINT_UNSAFE;

inline std::string asio_version() {
  return fmt::format("Asio {}.{}.{}", ASIO_VERSION / 100'000, ASIO_VERSION / 100 % 1'000,
                     ASIO_VERSION % 100);
}

}  // namespace drover::peers
