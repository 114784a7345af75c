// Isolation levels of the transactions. Not every database has each of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::tpcc {

enum class Isolation : std::uint8_t { read_committed, repeatable_read, snapshot, serializable };

// As SQL has it, in lower case: "read committed", …
std::string_view isolation_name(Isolation isolation) noexcept;

}  // namespace drover::tpcc
