#include "database/postgres/parameters.h"

namespace drover::database::postgres {
namespace {

constexpr std::uint32_t int4_type = 23;
constexpr std::uint32_t text_type = 25;

}  // namespace

void Parameters::put32(std::uint32_t value) {
  const char bytes[4] = {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
                         static_cast<char>(value >> 8), static_cast<char>(value)};
  bytes_.append(bytes, sizeof bytes);
}

void Parameters::put64(std::uint64_t value) {
  put32(static_cast<std::uint32_t>(value >> 32));
  put32(static_cast<std::uint32_t>(value));
}

void Parameters::add(std::int32_t value) {
  begin();
  put32(static_cast<std::uint32_t>(value));
  end();
}

void Parameters::add(std::int64_t value) {
  begin();
  put64(static_cast<std::uint64_t>(value));
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

}  // namespace drover::database::postgres
