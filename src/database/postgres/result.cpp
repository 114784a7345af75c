#include "database/postgres/result.h"

#include <fmt/format.h>

#include "database/error.h"

namespace drover::database::postgres {
namespace {

std::uint32_t read32(const char* bytes) noexcept {
  const auto* b = reinterpret_cast<const unsigned char*>(bytes);
  return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
}

}  // namespace

const char* Result::fixed_width(int row, int column, int width) const {
  const int found = is_null(row, column) ? -1 : PQgetlength(result_.get(), row, column);
  if (found != width) {
    throw Error(
        ErrorClass::statement, "",
        fmt::format("the server returned column {} ({}) {}, not as an integer of {} bytes", column,
                    column < columns() ? PQfname(result_.get(), column) : "not there",
                    found < 0 ? "NULL" : fmt::format("with {} bytes", found), width));
  }
  return PQgetvalue(result_.get(), row, column);
}

std::int32_t Result::int4(int row, int column) const {
  return static_cast<std::int32_t>(read32(fixed_width(row, column, 4)));
}

std::int64_t Result::int8(int row, int column) const {
  const char* bytes = fixed_width(row, column, 8);
  return static_cast<std::int64_t>(std::uint64_t{read32(bytes)} << 32 | read32(bytes + 4));
}

std::int64_t Result::affected() const noexcept {
  const std::string_view text = PQcmdTuples(result_.get());
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

}  // namespace drover::database::postgres
