// Parameters of one statement. Those of a known type are in PostgreSQL's binary format: the statement declares the
// types by casts ($1::int4, $2::int4[], …), and what is added here has to fit. Those of statements that others wrote go
// as text, for the server finds out of which type each is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover::database::postgres {

class Parameters {
 public:
  // What the protocol can number; more are refused when they are sent.
  static constexpr std::size_t count_max = 65'535;

  // Keeps its memory for the next statement.
  void clear() noexcept {
    offsets_.clear();
    lengths_.clear();
    formats_.clear();
    bytes_.clear();
  }

  void add(std::int32_t value);                        // int4
  void add(std::int64_t value);                        // int8
  void add(std::string_view value);                    // text, varchar, char
  void add(std::span<const std::int32_t> values);      // int4[]
  void add(std::span<const std::string_view> values);  // text[]

  // As text. `append` adds the value to the string that it is given, without a zero in it; it adds nothing and says
  // false where the parameter is NULL.
  template <class Append>
  void add_text(Append append) {
    begin();
    const bool is_null = !append(bytes_);
    end(0, is_null);
    bytes_.push_back('\0');  // libpq takes the length from it
  }

  int count() const noexcept { return static_cast<int>(offsets_.size()); }

  // For libpq; good until the next add() or clear().
  const char* const* values();
  const int* lengths() const noexcept { return lengths_.data(); }
  const int* formats() const noexcept { return formats_.data(); }

 private:
  static constexpr int binary = 1;
  static constexpr int null_length = -1;

  void put32(std::uint32_t value);
  void put64(std::uint64_t value);
  void begin() { offsets_.push_back(bytes_.size()); }
  void end(int format = binary, bool is_null = false) {
    lengths_.push_back(is_null ? null_length : static_cast<int>(bytes_.size() - offsets_.back()));
    formats_.push_back(format);
  }
  void put_array_header(std::size_t size, std::uint32_t type);

  // One each a parameter.
  std::vector<std::size_t> offsets_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  std::vector<const char*> values_;
  std::string bytes_;
};

}  // namespace drover::database::postgres
