#include "cli/distributed_work.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>

#include "cli/standard_output.h"
#include "coro/cancellation.h"
#include "coro/event.h"
#include "coro/scope.h"
#include "coro/worker.h"
#include "ranks/link.h"
#include "run/process.h"
#include "text/plain_text.h"

namespace drover::cli {

using coro::CancelSource;
using coro::Scope;
using coro::Task;
using coro::Worker;
using ranks::Message;

std::vector<std::size_t> DistributedWork::turns(std::size_t count) const {
  std::vector<std::uint64_t> given(ranks(), 0);
  std::vector<std::size_t> ranks_of;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t next = 0;
    for (std::size_t rank = 1; rank < ranks(); ++rank) {
      if ((given[rank] + 1) * share(next).own < (given[next] + 1) * share(rank).own) next = rank;
    }
    ++given[next];
    ranks_of.push_back(next);
  }
  return ranks_of;
}

void DistributedWork::require_connection_for_each(std::optional<std::size_t> of_all) const {
  if (!of_all) return;
  run::require_part_for_each(*conducting_, *of_all, "connection",
                             [&of_all](const load::Share& share) { return share.of(*of_all); });
}

Task<void> DistributedWork::when_connected(Task<void> work) {
  ranks::Conductor& conductor = *conducting_->conductor;
  co_await run::all_here(conductor, on_note_);
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    conductor.tell(rank, run::work_for(*conducting_, rank));
  }
  co_await std::move(work);
}

Task<void> DistributedWork::unless_lost(Task<void> work) {
  ranks::Conductor& conductor = *conducting_->conductor;
  CancelSource& outer = co_await coro::current_source();
  CancelSource waiting(outer);
  conductor.on_lost([&waiting](std::size_t) { waiting.cancel(); });
  if (conductor.any_lost()) waiting.cancel();
  std::exception_ptr error;
  try {
    co_await std::move(work).under(waiting);
  } catch (...) {
    error = std::current_exception();
  }
  conductor.on_lost([](std::size_t) {});
  if (waiting.cancelled() && !outer.cancelled()) co_await conductor.throw_losses();
  if (error) std::rethrow_exception(error);
}

Task<void> DistributedWork::with_agents(Task<void> work) {
  ranks::Conductor& conductor = *conducting_->conductor;
  conductor.on_message({"note"}, [&](std::size_t rank, const Message& message) {
    on_note_(fmt::format("{}: {}", conductor.name(rank), message.at("text").get<std::string>()));
  });
  constexpr coro::Duration limit_of_ends = std::chrono::seconds(10);
  // Agents end in order even if `work` was cancelled from outside.
  CancelSource unhurried(Worker::current());
  Scope beside(unhurried);
  Scope launching(unhurried);
  beside.start(conductor.attend());
  launching.start(conducting_->launch(on_note_));
  std::exception_ptr error;
  try {
    co_await unless_lost(when_connected(std::move(work)));
  } catch (...) {
    error = std::current_exception();
  }
  conductor.tell_all(ranks::message("stop"));
  for (std::size_t rank = 0; rank < ranks(); ++rank) conductor.release(rank);
  co_await conductor.all_gone(limit_of_ends).under(unhurried);
  launching.cancel();
  co_await launching.join();
  beside.cancel();
  co_await beside.join();
  if (error) std::rethrow_exception(error);
}

Task<std::vector<std::string>> DistributedWork::distribute(
    std::vector<std::string> parts,
    std::function<void(std::size_t rank, const std::string& progress)> on_progress) {
  ranks::Conductor& conductor = *conducting_->conductor;
  const std::string database = identity_ ? co_await identity_() : std::string();
  conductor.on_message({"said"}, [&](std::size_t rank, const Message& message) {
    on_progress(rank, message.at("text").get<std::string>());
  });
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    Message part = ranks::message("part");
    part["text"] = parts.at(rank);
    part["database"] = database;
    conductor.tell(rank, part);
  }
  std::vector<std::string> results;
  const auto all = [&]() -> Task<void> {
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      const Message done = co_await conductor.next(rank, "done");
      results.push_back(done.at("text").get<std::string>());
    }
  };
  std::exception_ptr error;
  try {
    co_await unless_lost(all());
  } catch (...) {
    error = std::current_exception();
  }
  conductor.on_message({"said"}, [](std::size_t, const Message&) {});
  if (error) std::rethrow_exception(error);
  co_return results;
}

namespace {

// Returns nothing if the command runs on this host alone.
std::optional<DistributedWork> work_on_hosts(const HostsArguments& arguments, bool private_server,
                                             std::optional<std::size_t> connections) {
  if (!arguments.several()) return std::nullopt;
  DistributedWork work(make_conducting(arguments, private_server), note_to_stderr);
  work.require_connection_for_each(connections);
  return work;
}

}  // namespace

DataCommand::DataCommand(const HostsArguments& arguments, const DatabaseOption& database,
                         std::optional<std::size_t> connections, std::size_t own_connections)
    : hosts_(work_on_hosts(arguments, database.db.empty(), connections)),
      target_(database, DatabaseTarget::Use::administration) {
  if (hosts_) {
    hosts_->set_identity([this] { return target_.identity(); });
  } else {
    run::require_descriptors(target_.kind(), own_connections, 1);
  }
}

int DataCommand::run(Task<void> work, std::string_view after_loss) {
  try {
    return run::run_command(hosts_ ? hosts_->with_agents(std::move(work)) : std::move(work));
  } catch (const ranks::RankLost& lost) {
    throw std::runtime_error(fmt::format("{} {}", text::sentence(lost.what()), after_loss));
  }
}

namespace {

// Executes `work` until the coordinator stops this agent.
Task<void> do_until_stopped(ranks::Member& member, Task<void> work) {
  CancelSource& outer = co_await coro::current_source();
  Worker& worker = Worker::current();
  Scope scope(outer);
  const auto asked = std::make_shared<coro::Event>();
  member.on_stop([&worker, asked] { worker.post([asked] { asked->set(); }); });
  const auto stop = [&]() -> Task<void> {
    co_await asked->wait();
    scope.cancel();
  };
  const auto body = [&]() -> Task<void> {
    co_await std::move(work);
    scope.cancel();
  };
  scope.start(stop());
  scope.start(body());
  std::exception_ptr error;
  try {
    co_await scope.join();
  } catch (...) {
    error = std::current_exception();
  }
  member.on_stop({});
  if (error) std::rethrow_exception(error);
}

}  // namespace

int perform_part(ranks::Member& member, const PartWork& work,
                 const run::IdentityOfDatabase& identity) {
  const Message part = member.wait_for("part");
  const auto report = [&member](const std::string& text) {
    Message said = ranks::message("said");
    said["text"] = text;
    member.tell(std::move(said));
  };
  std::optional<std::string> result;
  const auto whole = [&]() -> Task<void> {
    if (identity) {
      run::require_same_database(part.value("database", std::string()), co_await identity());
    }
    result = co_await work(part.at("text").get<std::string>(), report);
  };
  const int code = run::run_command(do_until_stopped(member, whole()));
  if (!result) {
    if (code == exit_interrupted) throw std::runtime_error("the host received a signal to stop");
    return exit_interrupted;  // the coordinator has stopped this agent
  }
  Message done = ranks::message("done");
  done["text"] = *result;
  member.tell(std::move(done));
  member.wait_for("bye");
  return exit_success;
}

int perform_part(ranks::Member& member, const DatabaseTarget& target, std::size_t connections,
                 const PartWork& work) {
  run::require_descriptors(target.kind(), connections, 1);
  return perform_part(member, work, [&target] { return target.identity(); });
}

}  // namespace drover::cli
