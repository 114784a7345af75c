// MemberRun: a run that is a part of one of several hosts: waits for the others where they begin, tells the conductor what
// happens, and gives it the part at the end.
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

// What the conductor says of a member's part, in its message "work".
struct MemberWork {
  std::string run;  // what all parts of the run have in common
  std::size_t rank = 0;
  std::size_t ranks = 1;
  std::string name;  // of this host, as the others call it
  load::Share share;
  std::int64_t connections = 0;  // of all; 0: there are none
  std::string found;             // out by the conductor: Benchmark::found_for_all()
  std::string database;          // of the conductor: which one it is; empty: not known
  std::string parts;             // the folder for the part; empty: as the host has it
};

// Throws file::FileError if the part of this host cannot be written. To be called before the run.
// Creates the folder of the part and leaves nothing else behind.
void check_place_of_part(const MemberWork& work);

class MemberRun final : public load::Rendezvous, public load::Observer {
 public:
  // The member must outlive it.
  MemberRun(Member& member, MemberWork work) : member_(member), work_(std::move(work)) {}

  const MemberWork& work() const noexcept { return work_; }

  // Called by the run, on its worker.
  coro::Task<void> sessions_open() override;
  coro::Task<coro::Instant> terminals_up() override;
  void on_started(coro::Duration ramp_up) override;
  void on_snapshot(const load::Snapshot& snapshot) override;
  void on_ended(bool database_away) override;
  void on_note(std::string_view text) override;

  // Beside the run, until it is cancelled: `stop` ends the run when the others end.
  coro::Task<void> attend(std::function<void()> stop);
  // A person has asked this host for the end: it is the end of all.
  void ask_for_end() { member_.tell(message("end")); }

  // Keeps the part on the disk of this host and gives it to the conductor. Throws LinkError, which says where the part
  // is, when there is no conductor any more.
  void deliver(report::Result part);

 private:
  Member& member_;
  const MemberWork work_;
  bool started_ = false;
};

}  // namespace drover::ranks
