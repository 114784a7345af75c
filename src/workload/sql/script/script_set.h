// ScriptSet: the scripts of a run, read, checked for the protocol by which they are to be sent, and with their
// statements numbered. Constant; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/sql/expression/variables.h"
#include "workload/sql/script/script.h"
#include "workload/sql/script/statement.h"
#include "workload/sql/script/weights.h"

namespace drover::sql {

// So many statements of a script, the first ones, have figures of their own: each costs every worker a histogram.
inline constexpr std::size_t statements_with_figures_max = 100;

// How statements are sent, as pgbench's -M says: as text; as text with parameters; prepared once a session. `declared`:
// as YQL with the parameters that the script declares, which is YDB's only way.
enum class Protocol : std::uint8_t { simple, extended, prepared, declared };

std::string_view protocol_name(Protocol protocol) noexcept;

// A script that is to be part of a run.
struct ScriptText {
  std::string name;  // a file's, as messages have it, or a built-in script's
  std::string text;
  std::int32_t weight = 1;
};

class ScriptSet {
 public:
  // Throws ScriptError where a script cannot be read, or can never be executed by the protocol.
  // Requires: there is a script with a weight above 0, and none is negative.
  ScriptSet(std::vector<ScriptText> texts, Protocol protocol);
  ScriptSet(const ScriptSet&) = delete;
  ScriptSet& operator=(const ScriptSet&) = delete;

  Protocol protocol() const noexcept { return protocol_; }
  const VariableNames& names() const noexcept { return names_; }
  const ScriptChoice& choice() const noexcept { return choice_; }
  const std::vector<Script>& scripts() const noexcept { return scripts_; }
  // Names of the scripts' files without their folders, no two the same: the second of a name is "name #2".
  const std::vector<std::string>& titles() const noexcept { return titles_; }
  // Which part of all executions is to be each script's: 0 to 1.
  const std::vector<double>& shares() const noexcept { return shares_; }

  const std::vector<Statement>& statements() const noexcept { return statements_; }
  // That of an SqlCommand of a script.
  const Statement& statement(std::size_t script, std::size_t command) const {
    return statements_[places_[script][command]];
  }
  // Those between the \startpipeline of that index and the next \endpipeline.
  std::span<const Statement> pipeline(std::size_t script, std::size_t command) const;

 private:
  void add_statements(std::size_t script);

  Protocol protocol_;
  VariableNames names_;
  ScriptChoice choice_;
  std::vector<Script> scripts_;
  std::vector<std::string> titles_;
  std::vector<double> shares_;
  std::vector<Statement> statements_;
  // For each script: how many statements there are before each command, which is the number of the command's own.
  std::vector<std::vector<std::size_t>> places_;
};

}  // namespace drover::sql
