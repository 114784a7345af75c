// Errors of the step engine: codes with the names of FTN12, and exceptions. A step may throw Error,
// ExtError (with information, which handlers find in State::error_info()), or any other
// std::exception, whose what() is the code.
//
// As in FTN12, a thrown Error does not change the information of an earlier error.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace drover::steps {

// Text of an error code. A view that a handler gets is valid until the handler returns.
using ErrorCode = std::string_view;

namespace error_codes {

inline constexpr ErrorCode timeout = "Timeout";
inline constexpr ErrorCode internal_error = "InternalError";      // misuse, or a limit exceeded
inline constexpr ErrorCode defense_rejected = "DefenseRejected";  // a queue is full
inline constexpr ErrorCode loop_break = "LoopBreak";
inline constexpr ErrorCode loop_continue = "LoopCont";

}  // namespace error_codes

class Error : public std::exception {
 public:
  explicit Error(ErrorCode code) : code_(code) {}

  const char* what() const noexcept override { return code_.c_str(); }
  ErrorCode code() const noexcept { return code_; }

 private:
  std::string code_;
};

class ExtError : public Error {
 public:
  ExtError(ErrorCode code, std::string_view info) : Error(code), info_(info) {}

  std::string_view info() const noexcept { return info_; }

 private:
  std::string info_;
};

}  // namespace drover::steps
