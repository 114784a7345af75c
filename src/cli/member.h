// The processes that make the load of a command of several hosts: what they are told by the conductor, and do.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/option/command.h"
#include "ranks/link.h"
#include "ranks/member_run.h"

namespace drover::cli {

// The variables by which a process knows that it is a member, with the word "member" as its only one.
struct MemberVariables {
  static constexpr const char* conductor = "DROVER_MEMBER_OF";  // addresses and ports
  static constexpr const char* secret = "DROVER_MEMBER_SECRET";
  static constexpr const char* rank = "DROVER_MEMBER_RANK";  // else MPI's own
};

bool is_member(int argc, char** argv);

// All that a member does, up to its exit code. The tree has all commands.
int perform_as_member(Command& program);

// Where MPI has started several of this process, all but rank 0 wait for a while, in which its error ends them: one of
// them is enough.
void let_rank_0_speak_first();

// This program's file, and what it is: members that are something else are refused.
std::string own_program();
std::string own_version();

// "NAME=VALUE" of a member that is to come to these addresses.
std::vector<std::string> member_variables(const std::vector<ranks::Endpoint>& conductor,
                                          const std::string& secret,
                                          std::optional<std::size_t> rank);

// What the conductor says of this member in its message "work".
ranks::MemberWork member_work(const ranks::Message& work);

}  // namespace drover::cli
