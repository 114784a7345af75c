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

// For mpirun, ssh and the hosts to have all processes there.
constexpr Duration patience_for_ranks = std::chrono::minutes(2);
// Without a word for people.
constexpr Duration silence_most = std::chrono::seconds(10);
// So many are named.
constexpr std::size_t names_most = 8;

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

namespace {

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
  names.resize(std::min(count, names_most));
  return fmt::format("{}{}", fmt::join(names, ", "),
                     count > names_most ? fmt::format(" and {} more", count - names_most) : "");
}

}  // namespace

Task<void> all_here(ranks::Conductor& conductor,
                    const std::function<void(std::string_view)>& on_note) {
  const coro::Instant start = Worker::current().now();
  if (co_await have_come_by(start + silence_most, conductor)) co_return;
  on_note(
      fmt::format("waiting for {}: is drover there, can it reach this host? For {:.0f} s at most",
                  names_of_missing(conductor), coro::seconds_of(patience_for_ranks)));
  if (co_await have_come_by(start + patience_for_ranks, conductor)) co_return;
  conductor.lose_missing(
      fmt::format("it did not come within {:.0f} s", coro::seconds_of(patience_for_ranks)));
  co_await conductor.all_here();
}

void require_same_database(const std::string& of_conductor, const std::string& own) {
  if (of_conductor.empty() || own.empty() || own == of_conductor) return;
  throw std::runtime_error(
      fmt::format("its database is another one: {} here, and {} where the results are gathered; "
                  "name it in --db by what means the same on every host",
                  own, of_conductor));
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
