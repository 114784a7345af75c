// The scripts that pgbench has built in, by which its figures are compared: they use the tables that `pgbench -i` makes.
// Pure functions.
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>

namespace drover::sql {

struct BuiltinScript {
  std::string_view name;
  std::string_view description;
  std::string_view text;
  std::string_view yql;  // the same in YQL, on the tables that `drover sql init` makes in YDB
};

// There is none of that name; what() names those that there are.
struct UnknownBuiltin : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::span<const BuiltinScript> builtin_scripts() noexcept;

// By its name or the beginning of it, if no other begins so. Throws UnknownBuiltin.
const BuiltinScript& find_builtin(std::string_view beginning);

}  // namespace drover::sql
