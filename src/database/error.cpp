#include "database/error.h"

#include <array>

#include "text/utf8.h"

namespace drover::database {
namespace {

// The SQLSTATEs whose class differs from that of their family (the first two characters).
constexpr std::pair<std::string_view, ErrorClass> exceptions[] = {
    {"40001", ErrorClass::retryable},         // serialization failure
    {"40P01", ErrorClass::retryable},         // deadlock
    {"40003", ErrorClass::ambiguous_commit},  // statement completion unknown
    {"08007", ErrorClass::ambiguous_commit},  // transaction resolution unknown
    {"25P03", ErrorClass::connection_lost},   // idle in a transaction for too long
    {"57P05", ErrorClass::connection_lost},   // idle for too long
    {"57P01", ErrorClass::connection_lost},   // ended by the administrator
    {"57P02", ErrorClass::connection_lost},   // another session of the server has crashed
    {"57P03", ErrorClass::unavailable},       // starting up or shutting down
    {"53300", ErrorClass::unavailable},       // out of connection slots
    {"25006", ErrorClass::unavailable},       // read only: the server is a standby by now
    {"57P04", ErrorClass::denied},            // the database was dropped
    {"42501", ErrorClass::denied},            // no permission
    {"57014", ErrorClass::timed_out},         // statement_timeout, or cancelled
    {"55P03", ErrorClass::timed_out},         // lock_timeout, or NOWAIT
};

// Separates two lines of a message, with a full stop if the second line begins a sentence.
void begin_line(std::string& message, std::string_view line) {
  if (message.empty()) return;
  const char last = message.back();
  const bool ends_in_word = (last >= '0' && last <= '9') || (last >= 'a' && last <= 'z') ||
                            (last >= 'A' && last <= 'Z') || last == '"' || last == ')';
  if (ends_in_word && line.front() >= 'A' && line.front() <= 'Z') message += '.';
  message += ' ';
}

}  // namespace

std::string_view error_class_name(ErrorClass error_class) noexcept {
  constexpr std::array<std::string_view, error_class_count> names = {
      "retryable", "connection_lost", "ambiguous_commit", "unavailable",
      "denied",    "statement",       "timeout"};
  const auto index = static_cast<std::size_t>(error_class);
  return index < names.size() ? names[index] : "unknown";
}

ErrorClass classify_sqlstate(std::string_view sqlstate) noexcept {
  for (const auto& [state, error_class] : exceptions) {
    if (state == sqlstate) return error_class;
  }
  const std::string_view family = sqlstate.substr(0, 2);
  if (family == "08") return ErrorClass::connection_lost;
  if (family == "28" || family == "3D") return ErrorClass::denied;
  return ErrorClass::statement;
}

std::string one_line(std::string_view text, std::size_t bytes_max) {
  std::string message;
  bool is_apart = false;  // blanks or control characters follow the message so far
  bool is_new_line = false;
  for (std::string_view rest = text; !rest.empty();) {
    if (message.size() >= bytes_max) {
      message += "…";
      break;
    }
    text::Utf8Character next = text::first_character(rest);
    // The control characters U+0080 to U+009F count as invalid bytes.
    if (next.point >= 0x80 && next.point < 0xa0) next = {};
    if (next.valid && (next.point <= 0x20 || next.point == 0x7f)) {
      is_apart = true;
      is_new_line = is_new_line || next.point == '\n';
    } else {
      if (is_new_line) {
        begin_line(message, rest);
      } else if (is_apart && !message.empty()) {
        message += ' ';
      }
      is_apart = is_new_line = false;
      message += next.valid ? rest.substr(0, next.bytes) : std::string_view("?");
    }
    rest.remove_prefix(next.bytes);
  }
  return message;
}

}  // namespace drover::database
