// What the tables of the built-in scripts are in every database: their names and sizes, and what a command says that
// does not find what it needs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::sql {

inline constexpr std::int64_t tellers_per_branch = 10;
inline constexpr std::int64_t accounts_per_branch = 100'000;

inline constexpr std::array<std::string_view, 4> pgbench_table_names = {
    "pgbench_accounts", "pgbench_branches", "pgbench_history", "pgbench_tellers"};

// Throws database::UnfitSchema if there are any.
void refuse_tables_there(const std::vector<std::string>& there);

// Throws database::UnfitSchema.
[[noreturn]] void refuse_no_branches(bool is_there);

}  // namespace drover::sql
