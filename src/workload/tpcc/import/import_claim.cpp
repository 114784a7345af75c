#include "workload/tpcc/import/import_claim.h"

#include <fmt/format.h>

#include <exception>
#include <random>
#include <utility>

#include "coro/cancellation.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/finish_in_time.h"
#include "workload/tpcc/import/import.h"

namespace drover::tpcc {
namespace {

using coro::Task;

constexpr coro::Duration look_interval = std::chrono::milliseconds(250);

std::string random_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

ImportClaim::ImportClaim(ClaimedRow& row, ClaimTimes times)
    : row_(row), times_(times), ours_{random_name(), 0} {}

void ImportClaim::require(bool is_ours) {
  if (is_ours) return;
  throw database::Error(
      database::ErrorClass::statement, "",
      "another import has taken over, or the tables were created again: this import was silent for "
      "too long, or 'drover tpcc init --force' has run in the meantime");
}

// An answer may have been lost on its way and the call repeated: what counts is what the row says then.
Task<bool> ImportClaim::replace(ClaimHolder seen, ClaimHolder next) {
  const std::optional<ClaimHolder> now = co_await row_.exchange(std::move(seen), next);
  const bool done = now && now->owner == next.owner;
  if (done) ours_.beat = now->beat;
  co_return done;
}

Task<void> ImportClaim::take(std::string schema, std::function<void()> on_wait) {
  std::optional<ClaimHolder> seen = co_await row_.read();
  const coro::Instant since = coro::Worker::current().now();
  while (seen) {
    const bool silent = coro::Worker::current().now() - since >= times_.watch;
    if (silent || seen->owner.empty()) {
      const bool taken = co_await replace(*seen, {ours_.owner, 0});
      if (taken) co_return;
    } else {
      if (on_wait) std::exchange(on_wait, {})();
      co_await coro::sleep_for(look_interval);
    }
    const std::optional<ClaimHolder> now = co_await row_.read();
    if (now && now->owner == ours_.owner) co_return;
    if (now && now != seen && !now->owner.empty()) {
      throw UnfitSchema(
          fmt::format("another import is running here. Wait for its end, then continue with "
                      "'drover tpcc import{}' if data are missing",
                      schema_argument(schema)));
    }
    seen = now;
  }
}

Task<void> ImportClaim::hold(std::string schema, std::function<void()> on_wait,
                             std::function<Task<void>()> work) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(keep());
    co_await work();
    scope.cancel();
  };
  std::exception_ptr end;
  try {
    co_await take(std::move(schema), std::move(on_wait));
    co_await coro::with_scope(body);
  } catch (...) {
    end = std::current_exception();
  }
  co_await release();
  if (end) std::rethrow_exception(end);
}

Task<void> ImportClaim::keep() {
  for (;;) {
    co_await coro::sleep_for(times_.beat);
    // To its end, also of a work that is done meanwhile: the session is needed to give the claim up.
    coro::CancelSource own(coro::Worker::current());
    const bool kept = co_await replace(ours_, {ours_.owner, ours_.beat + 1}).under(own);
    require(kept);
  }
}

Task<void> ImportClaim::give_up() {
  const std::optional<ClaimHolder> now = co_await row_.read();
  if (now && now->owner == ours_.owner) co_await row_.exchange(*now, {{}, now->beat});
}

// What cannot be given up is found silent by the next import.
Task<void> ImportClaim::release() {
  return database::finish_in_time(give_up(), times_.release);
}

}  // namespace drover::tpcc
