#include "run/conducting.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

#include "coro/deadline.h"
#include "coro/worker.h"
#include "file/bounded_file.h"
#include "run/usage_error.h"
#include "text/plain_text.h"

namespace drover::run {

using coro::Duration;
using coro::Task;
using coro::Worker;
using ranks::Message;

namespace {

// For mpirun, ssh and the hosts to have all processes there.
constexpr Duration patience_for_ranks = std::chrono::minutes(2);

}  // namespace

void require_part_for_each(const Conducting& conducting, std::uint64_t whole, std::string_view noun,
                           const std::function<std::uint64_t(const load::Share&)>& part_of) {
  for (const load::Share& share : conducting.shares) {
    if (whole == 0 || part_of(share) > 0) continue;
    throw UsageError(fmt::format(
        "{} cannot be shared by {}: host {} would have none", text::counted(whole, noun),
        text::counted(conducting.shares.size(), "host"), conducting.conductor->name(share.rank)));
  }
}

Task<void> all_here(ranks::Conductor& conductor) {
  bool in_time = true;
  try {
    co_await coro::with_deadline(Worker::current().now() + patience_for_ranks,
                                 conductor.all_here());
  } catch (const coro::DeadlineExceeded&) {
    in_time = false;
  }
  if (in_time) co_return;
  conductor.lose_missing(
      fmt::format("it did not come within {:.0f} s", coro::seconds_of(patience_for_ranks)));
  co_await conductor.all_here();
}

Message work_for(const Conducting& conducting, std::size_t rank) {
  Message work = conducting.work;
  work["files"] = file::remembered_files();  // they are on this host
  const load::Share& share = conducting.shares[rank];
  work["share"] = {share.before, share.own, share.total, share.rank, share.ranks};
  work["run"] = conducting.run;
  work["rank"] = rank;
  work["ranks"] = conducting.shares.size();
  work["name"] = conducting.conductor->name(rank);
  return work;
}

Task<void> launched(const Conducting& conducting, std::function<void(std::string_view)> on_note) {
  std::string reason = "its process ended before it came";
  try {
    co_await conducting.launch(std::move(on_note));
  } catch (const std::exception& error) {
    reason = error.what();
  }
  conducting.conductor->lose_missing(reason);
}

}  // namespace drover::run
