// Limits: what an engine with limits allows to be alive at a time. An engine without limits has
// none, and takes what its own buffer has no room for from the coroutines' pool.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover::steps {

// What memory is asked for. Each has a limit of its own, except for `other`: results, labels
// of loops.
enum class Slot : std::uint8_t { step, timeout, cancel, extended, stack, parallel, other };

inline constexpr std::size_t slot_count = 7;

using SlotCounts = std::array<std::uint16_t, slot_count>;

inline constexpr std::uint16_t limit_max = 0x7fff;

inline constexpr SlotCounts no_limits{limit_max, limit_max, limit_max, limit_max,
                                      limit_max, limit_max, limit_max};

struct Limits {
  static constexpr std::array<std::string_view, slot_count> names{
      "MaxSteps",       "MaxTimeouts", "MaxCancels", "MaxExtended",
      "MaxStackAllocs", "MaxParallel", "Other"};

  SlotCounts counts;
  std::size_t error_code_size_max;
  std::size_t buffer_size;  // bytes
};

}  // namespace drover::steps
