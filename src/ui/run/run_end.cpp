#include "ui/run/run_end.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/plain_text.h"
#include "ui/number_text.h"

namespace drover::ui {
namespace {

RunProgress progress_by_count(const load::Plan& plan, const load::Snapshot& snapshot) {
  std::uint64_t done = 0;
  for (const load::TransactionSnapshot& one : snapshot.measured) {
    done += one.committed + one.user_aborted + one.failed;
  }
  done = std::min(done, plan.own_operations());
  return {
      .share = static_cast<double>(done) / static_cast<double>(plan.own_operations()),
      .done = fmt::format("{} of {}", text::grouped(done), text::grouped(plan.own_operations())),
      .left = text::grouped(plan.own_operations() - done)};
}

}  // namespace

std::string measured_until(const load::Plan& plan) {
  if (plan.own_operations() == 0) return "for " + clock_text(plan.duration);
  return fmt::format("until {} are done", text::grouped(plan.own_operations()));
}

RunProgress run_progress(const load::Plan& plan, const load::Snapshot& snapshot) {
  if (plan.own_operations() > 0) return progress_by_count(plan, snapshot);
  const load::Sample& second = snapshot.second;
  const bool is_warming =
      second.phase == load::Phase::warmup && plan.warmup > coro::Duration::zero();
  const coro::Duration done = is_warming ? second.elapsed : second.elapsed - plan.warmup;
  const coro::Duration whole = is_warming ? plan.warmup : plan.duration;
  return {.share = whole.count() > 0 ? coro::seconds_of(done) / coro::seconds_of(whole) : 1,
          .done = fmt::format("{} of {}", clock_text(done), clock_text(whole)),
          .left = clock_text(plan.warmup + plan.duration - second.elapsed),
          .is_warming = is_warming};
}

}  // namespace drover::ui
