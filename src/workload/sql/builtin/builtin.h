// The built-in scripts of pgbench, and the facts about their tables that hold in every database.
// Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace drover::sql {

struct BuiltinScript {
  std::string_view name;
  std::string_view description;
  std::string_view text;
  std::string_view yql;  // the same in YQL, for the tables of `drover sql init` on YDB
};

// what() lists the known names.
struct UnknownBuiltin : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::span<const BuiltinScript> builtin_scripts() noexcept;

// Finds a script by its name or an unambiguous beginning of it. Throws UnknownBuiltin.
const BuiltinScript& find_builtin(std::string_view beginning);

inline constexpr std::int64_t tellers_per_branch = 10;
inline constexpr std::int64_t accounts_per_branch = 100'000;

inline constexpr std::array<std::string_view, 4> pgbench_table_names = {
    "pgbench_accounts", "pgbench_branches", "pgbench_history", "pgbench_tellers"};

// Throws database::UnfitSchema if `existing` names a table.
void require_no_pgbench_tables(const std::vector<std::string>& existing);

// Throws database::UnfitSchema if there is no branch. `branches` is empty if the table does not
// exist.
void require_branches(std::optional<std::int64_t> branches);

}  // namespace drover::sql
