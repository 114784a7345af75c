// Computing that is counted in steps, not timed by a clock: who shares a processor with others
// makes fewer slices of it in a second, and that is seen. Pure; any thread.
#pragma once

#include <cstdint>

namespace drover::lab {

// `steps` steps, each of which needs the result of the one before (xorshift64: Marsaglia,
// "Xorshift RNGs", 2003), so that no processor does two at a time. Requires: `value` is not 0; nor
// is the result then.
//
// Defined out of line: every caller runs the same instructions, and no compiler that sees only this
// line leaves them out or moves them past a reading of the clock.
std::uint64_t compute(std::uint64_t steps, std::uint64_t value) noexcept;

}  // namespace drover::lab
