#include "run/conducting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
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

// Time to wait before a note names the missing ranks.
constexpr Duration silent_wait_most = std::chrono::seconds(10);
constexpr std::size_t names_most = 8;

Task<bool> have_come_by(coro::Instant instant, ranks::Conductor& conductor) {
  try {
    co_await coro::with_deadline(instant, conductor.all_here());
  } catch (const coro::DeadlineExceeded&) {
    co_return false;
  }
  co_return true;
}

std::string names_of_missing(const ranks::Conductor& conductor) {
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < conductor.ranks(); ++rank) {
    if (!conductor.has_come(rank)) names.push_back(conductor.name(rank));
  }
  const std::size_t count = names.size();
  if (std::ranges::find(names, "") != names.end())
    return fmt::format("{} of {} agents", count, conductor.ranks());
  names.resize(std::min(count, names_most));
  return fmt::format("{}{}", fmt::join(names, ", "),
                     count > names_most ? fmt::format(" and {} more", count - names_most) : "");
}

}  // namespace

void require_part_for_each(const Conducting& conducting, std::uint64_t whole, std::string_view noun,
                           const std::function<std::uint64_t(const load::Share&)>& part_of) {
  for (const load::Share& share : conducting.shares) {
    if (whole == 0 || part_of(share) > 0) continue;
    throw UsageError(fmt::format(
        "{} cannot be divided among {}: host {} would have none", text::counted(whole, noun),
        text::counted(conducting.shares.size(), "host"), conducting.conductor->name(share.rank)));
  }
}

Task<void> all_here(ranks::Conductor& conductor,
                    const std::function<void(std::string_view)>& on_note) {
  const coro::Instant start = Worker::current().now();
  const Duration most = conductor.join_most();
  bool is_lost = false;
  try {
    if (co_await have_come_by(start + std::min(most, silent_wait_most), conductor)) co_return;
    on_note(fmt::format("waiting for {} to join at {}, for at most {:.0f} s",
                        names_of_missing(conductor), ranks::endpoints_text(conductor.endpoints()),
                        coro::seconds_of(most)));
    if (co_await have_come_by(start + most, conductor)) co_return;
    conductor.lose_missing(
        fmt::format("the host did not join within {:.0f} s at {}. Check that drover runs there and "
                    "can reach this host",
                    coro::seconds_of(most), ranks::endpoints_text(conductor.endpoints())));
    is_lost = true;
  } catch (const ranks::RankLost&) {
    is_lost = true;
  }
  if (is_lost) co_await conductor.throw_losses();
}

void require_same_database(const std::string& of_conductor, const std::string& own) {
  if (of_conductor.empty() || own.empty() || own == of_conductor) return;
  throw std::runtime_error(
      fmt::format("the database differs between hosts: {} here, {} at the coordinator. Write --db "
                  "so that it names the same database on every host",
                  own, of_conductor));
}

Message work_for(const Conducting& conducting, std::size_t rank) {
  Message work = conducting.work;
  work["files"] = file::remembered_files();  // files of options, which are on this host
  const load::Share& share = conducting.shares[rank];
  work["share"] = {share.before, share.own, share.total, share.rank, share.ranks};
  work["run"] = conducting.run;
  work["rank"] = rank;
  work["ranks"] = conducting.shares.size();
  work["name"] = conducting.conductor->name(rank);
  return work;
}

}  // namespace drover::run
