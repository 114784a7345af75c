// The codes of the errors that the step engine itself raises, with the names that FTN12 gives them.
#pragma once

#include <string_view>

namespace drover::steps {

// A code is text. The view given to a handler is good until that handler returns.
using ErrorCode = std::string_view;

namespace error_codes {

inline constexpr ErrorCode timeout = "Timeout";
inline constexpr ErrorCode internal_error = "InternalError";      // misuse, or a limit exceeded
inline constexpr ErrorCode defense_rejected = "DefenseRejected";  // a queue is full
inline constexpr ErrorCode loop_break = "LoopBreak";
inline constexpr ErrorCode loop_continue = "LoopCont";

}  // namespace error_codes
}  // namespace drover::steps
