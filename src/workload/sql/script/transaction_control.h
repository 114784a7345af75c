// Statements that begin and end a transaction where they are no statements of the server, but calls of its protocol
// (YDB). Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::sql {

enum class TransactionControl : std::uint8_t { none, begin, begin_read_only, commit, roll_back };

// BEGIN or START, COMMIT or END, ROLLBACK or ABORT, each with TRANSACTION or WORK or without; BEGIN also with READ ONLY or
// READ WRITE. `none` of any other statement, nothing of one that begins so and goes on otherwise.
std::optional<TransactionControl> transaction_control(std::string_view statement);

inline constexpr std::string_view transaction_control_forms =
    "expected BEGIN, BEGIN READ ONLY, COMMIT or ROLLBACK as a statement of its own";

}  // namespace drover::sql
