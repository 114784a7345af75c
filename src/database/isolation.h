// How far transactions are kept apart. Constants; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover::database {

// Not every database has each of them.
enum class Isolation : std::uint8_t { read_committed, repeatable_read, snapshot, serializable };

// As SQL has it, in lower case: "read committed", …
constexpr std::string_view isolation_name(Isolation isolation) noexcept {
  constexpr std::array<std::string_view, 4> names = {"read committed", "repeatable read",
                                                     "snapshot", "serializable"};
  return names[static_cast<std::size_t>(isolation)];
}

}  // namespace drover::database
