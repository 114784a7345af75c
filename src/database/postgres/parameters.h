// Parameters of one statement in PostgreSQL's binary format. A statement declares the types by
// casts ($1::int4, $2::int4[], …); what is added here has to fit.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace drover::database::postgres {

class Parameters {
 public:
  static constexpr std::size_t capacity = 16;

  void clear() noexcept {
    count_ = 0;
    bytes_.clear();
  }

  void add(std::int32_t value);                        // int4
  void add(std::int64_t value);                        // int8
  void add(std::string_view value);                    // text, varchar, char
  void add(std::span<const std::int32_t> values);      // int4[]
  void add(std::span<const std::string_view> values);  // text[]

  int count() const noexcept { return static_cast<int>(count_); }

  // For libpq; good until the next add() or clear().
  const char* const* values() noexcept;
  const int* lengths() const noexcept { return lengths_.data(); }
  const int* formats() const noexcept { return all_binary.data(); }

 private:
  static constexpr std::array<int, capacity> all_binary = [] {
    std::array<int, capacity> formats{};
    formats.fill(1);
    return formats;
  }();

  void put32(std::uint32_t value);
  void put64(std::uint64_t value);
  void begin() noexcept {
    assert(count_ < capacity);
    offsets_[count_] = bytes_.size();
  }
  void end() noexcept {
    lengths_[count_] = static_cast<int>(bytes_.size() - offsets_[count_]);
    ++count_;
  }
  void put_array_header(std::size_t size, std::uint32_t type);

  std::size_t count_ = 0;
  std::array<std::size_t, capacity> offsets_{};
  std::array<const char*, capacity> values_{};
  std::array<int, capacity> lengths_{};
  std::string bytes_;
};

}  // namespace drover::database::postgres
