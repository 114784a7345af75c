#include "workload/sql/script/protocol_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "workload/sql/script/transaction_control.h"

namespace drover::sql {
namespace {

// Whether a pipeline is open before a command, on any of the ways to it: jumps go forward only, so that one pass finds
// them all.
struct Ways {
  bool outside = false;
  bool within = false;

  bool only_outside() const noexcept { return outside && !within; }
  bool only_within() const noexcept { return within && !outside; }
  void add(Ways other) noexcept {
    outside = outside || other.outside;
    within = within || other.within;
  }
};

void check_control(const Script& script, const Command& command, const SqlText& sql) {
  for (const std::string_view one : sql.joined()) {
    const auto control = transaction_control(one);
    if (!control || (*control != TransactionControl::none && sql.joints() > 0)) {
      throw script.error(command, transaction_control_forms);
    }
  }
}

void check_statement(const Script& script, const Command& command, Protocol protocol, Ways ways) {
  const auto& sql = std::get<SqlCommand>(command.action);
  if (protocol != Protocol::simple && statements_in(sql.sql) > 1) {
    throw script.error(command,
                       "statements joined by \\; need the simple protocol. Separate them with ; or "
                       "use --protocol simple");
  }
  if (sql.storing != Storing::none && ways.only_within()) {
    throw script.error(command, storing_in_pipeline);
  }
}

void check_pipeline(const Script& script, const Command& command, Protocol protocol, Ways ways) {
  if (protocol == Protocol::declared) {
    throw script.error(
        command,
        "YDB has no pipelines. To send several statements in one request, join them with \\;");
  }
  if (protocol == Protocol::simple) throw script.error(command, simple_pipeline);
  if (std::get<PipelineCommand>(command.action).step == PipelineStep::start) {
    if (ways.only_within()) throw script.error(command, nested_pipeline);
  } else if (ways.only_outside()) {
    throw script.error(command, no_pipeline);
  }
}

Ways behind_pipeline(PipelineStep step) noexcept {
  return step == PipelineStep::end ? Ways{.outside = true} : Ways{.within = true};
}

}  // namespace

void check_for_protocol(const Script& script, Protocol protocol) {
  const std::vector<Command>& commands = script.commands();
  std::vector<Ways> before(commands.size() + 1);
  before.front().outside = true;
  const Command* last_start = nullptr;
  std::size_t conditional_end = 0;  // commands before it may be jumped over
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command& command = commands[i];
    Ways ways = before[i];
    if (!ways.outside && !ways.within) continue;  // nothing leads here
    const bool is_certain = i >= conditional_end;
    if (const auto* jump = std::get_if<JumpCommand>(&command.action)) {
      before[jump->target].add(ways);
      conditional_end = std::max(conditional_end, jump->target);
      continue;
    }
    if (const auto* branch = std::get_if<BranchCommand>(&command.action)) {
      before[branch->otherwise].add(ways);
      conditional_end = std::max(conditional_end, branch->otherwise);
    } else if (const auto* sql = std::get_if<SqlCommand>(&command.action)) {
      if (protocol == Protocol::declared) {
        check_control(script, command, sql->sql);
      } else if (is_certain) {
        check_statement(script, command, protocol, ways);
      }
    } else if (const auto* pipeline = std::get_if<PipelineCommand>(&command.action)) {
      if (is_certain) check_pipeline(script, command, protocol, ways);
      ways = behind_pipeline(pipeline->step);
      if (pipeline->step == PipelineStep::start) last_start = &command;
    }
    before[i + 1].add(ways);
  }
  if (before.back().only_within()) throw script.error(*last_start, unfinished_pipeline);
}

}  // namespace drover::sql
