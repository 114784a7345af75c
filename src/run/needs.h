// What a command will need of the machine, asked before the work: a run that would end in its
// middle, or be killed by the system, is better not begun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::run {

enum class DatabaseKind { postgres, ydb };

// Descriptors of `connections` to the database on `threads`, beside those that are open. Throws
// std::runtime_error that says how many are needed and how many there are. On YDB, where sessions
// share the connections of a channel, nothing is known of them.
void require_descriptors(DatabaseKind kind, std::size_t connections, std::size_t threads);

// For the stacks of threads that are to be made. Throws std::runtime_error that says how much is needed and how much is
// left. A thread that runs may find no memory for what the C library keeps of it, which ends the process then.
void require_address_space_for_threads(std::size_t threads);

// What the terminals of a run take. Throws std::runtime_error that says how much is needed and how
// much there is.
void require_memory_for_terminals(std::size_t terminals);

// The smallest of the machine's memory, what of it /proc/meminfo calls available, the limit of our
// control group, and what is left of the address space (ulimit -v).
std::uint64_t memory_available();

// "MemAvailable:   22000000 kB" in bytes, from the text of /proc/meminfo; nothing without it.
std::optional<std::uint64_t> parse_memory_available(std::string_view meminfo);

}  // namespace drover::run
