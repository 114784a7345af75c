// MemberRun: the run of an agent. It waits for the other hosts, sends snapshots to the coordinator,
// and delivers the part of the result.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "coro/task.h"
#include "load/plan.h"
#include "load/snapshot.h"
#include "load/surroundings.h"
#include "ranks/member.h"
#include "report/document/result.h"

namespace drover::ranks {

// The work of an agent, from the coordinator's message "work".
struct MemberWork {
  std::string run;  // identifier that all parts of the run share
  std::size_t rank = 0;
  std::size_t ranks = 1;
  std::string name;  // of this host, in messages and results
  load::Share share;
  std::int64_t connections = 0;  // of all hosts; 0 without a database
  std::string found;             // facts found by the coordinator (Benchmark::found_for_all())
  std::string database;          // identity of the coordinator's database; empty if not known
  std::string parts;             // folder of the part; empty: the host's default
};

// Creates the folder of the part. Throws file::FileError if the part cannot be written there. To be
// called before the run.
void check_place_of_part(const MemberWork& work);

class MemberRun final : public load::Rendezvous, public load::Observer {
 public:
  // The member must outlive it.
  MemberRun(Member& member, MemberWork work) : member_(member), work_(std::move(work)) {}

  const MemberWork& work() const noexcept { return work_; }

  // Called by the run on its worker.
  coro::Task<void> sessions_open() override;
  coro::Task<coro::Instant> terminals_up() override;
  void on_started(coro::Duration ramp_up) override;
  void on_snapshot(const load::Snapshot& snapshot) override;
  void on_ended(bool database_away) override;
  void on_note(std::string_view text) override;

  // Calls `stop` when the other hosts end. Runs until it is cancelled.
  coro::Task<void> attend(std::function<void()> stop);
  // Asks the coordinator to end the run on all hosts.
  void ask_for_end() { member_.tell(message("end")); }

  // Writes the part to the disk of this host and sends it to the coordinator. If the coordinator is
  // lost, throws LinkError with the path of the part.
  void deliver(report::Result part);

 private:
  Member& member_;
  const MemberWork work_;
  bool started_ = false;
};

}  // namespace drover::ranks
