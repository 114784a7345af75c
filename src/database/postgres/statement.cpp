#include "database/postgres/statement.h"

#include <fmt/format.h>

#include "database/error.h"
#include "text/plain_text.h"

namespace drover::database::postgres {

namespace {

constexpr std::uint32_t int4_type = 23;
constexpr std::uint32_t text_type = 25;

std::uint32_t read32(const char* bytes) noexcept {
  const auto* b = reinterpret_cast<const unsigned char*>(bytes);
  return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
}

}  // namespace

void Parameters::put32(std::uint32_t value) {
  const char bytes[4] = {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
                         static_cast<char>(value >> 8), static_cast<char>(value)};
  bytes_.append(bytes, sizeof bytes);
}

void Parameters::add(std::int32_t value) {
  begin();
  put32(static_cast<std::uint32_t>(value));
  end();
}

void Parameters::add(std::int64_t value) {
  begin();
  const auto bits = static_cast<std::uint64_t>(value);
  put32(static_cast<std::uint32_t>(bits >> 32));
  put32(static_cast<std::uint32_t>(bits));
  end();
}

void Parameters::add(std::string_view value) {
  begin();
  bytes_.append(value);
  end();
}

void Parameters::put_array_header(std::size_t size, std::uint32_t type) {
  put32(size > 0 ? 1 : 0);  // dimensions
  put32(0);                 // no NULLs
  put32(type);
  if (size == 0) return;
  put32(static_cast<std::uint32_t>(size));
  put32(1);  // the first index
}

void Parameters::add(std::span<const std::int32_t> values) {
  begin();
  put_array_header(values.size(), int4_type);
  for (const std::int32_t value : values) {
    put32(sizeof value);
    put32(static_cast<std::uint32_t>(value));
  }
  end();
}

void Parameters::add(std::span<const std::string_view> values) {
  begin();
  put_array_header(values.size(), text_type);
  for (const std::string_view value : values) {
    put32(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
  }
  end();
}

const char* const* Parameters::values() {
  values_.resize(offsets_.size());
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    values_[i] = lengths_[i] == null_length ? nullptr : bytes_.data() + offsets_[i];
  }
  return values_.data();
}

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

std::string quote_identifier(std::string_view name) {
  return fmt::format("\"{}\"", text::replaced(std::string(name), "\"", "\"\""));
}

std::string qualified_name(std::string_view schema, std::string_view table) {
  if (schema.empty()) return quote_identifier(table);
  return fmt::format("{}.{}", quote_identifier(schema), quote_identifier(table));
}

}  // namespace drover::database::postgres
