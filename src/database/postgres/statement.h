// Statements: their names in SQL, their parameters and the rows that they return.
#pragma once

#include <libpq-fe.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover::database::postgres {

// Returns the name in double quotes.
std::string quote_identifier(std::string_view name);

// Returns "schema"."table", or "table" for an empty schema.
std::string qualified_name(std::string_view schema, std::string_view table);

// A prepared statement. Its name is unique within a session.
struct Statement {
  const char* name;
  std::string sql;
};

// The parameters of one execution. Drover's own statements have binary parameters, whose types the
// SQL declares by casts ($1::int4, $2::int4[]). Users' statements have parameters as text, because
// the server finds their types.
class Parameters {
 public:
  // The limit of the protocol.
  static constexpr std::size_t count_max = 65'535;

  // Keeps the memory for the next statement.
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

  // Adds a parameter as text. `append` appends the value, without a zero byte, to a string, or
  // returns false for NULL.
  template <class Append>
  void add_text(Append append) {
    begin();
    const bool is_null = !append(bytes_);
    end(0, is_null);
    bytes_.push_back('\0');  // libpq needs the end of a text
  }

  int count() const noexcept { return static_cast<int>(offsets_.size()); }

  // The arrays for libpq, valid until the next add() or clear().
  const char* const* values();
  const int* lengths() const noexcept { return lengths_.data(); }
  const int* formats() const noexcept { return formats_.data(); }

 private:
  static constexpr int binary = 1;
  static constexpr int null_length = -1;

  void put32(std::uint32_t value);
  void begin() { offsets_.push_back(bytes_.size()); }
  void end(int format = binary, bool is_null = false) {
    lengths_.push_back(is_null ? null_length : static_cast<int>(bytes_.size() - offsets_.back()));
    formats_.push_back(format);
  }
  void put_array_header(std::size_t size, std::uint32_t type);

  // These vectors have one element per parameter.
  std::vector<std::size_t> offsets_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  std::vector<const char*> values_;
  std::string bytes_;
};

// The rows that one statement returned. Owns libpq's memory.
class Result {
 public:
  explicit Result(PGresult* result = nullptr) noexcept : result_(result) {}

  int rows() const noexcept { return PQntuples(result_.get()); }
  int columns() const noexcept { return PQnfields(result_.get()); }
  bool is_null(int row, int column) const noexcept {
    return PQgetisnull(result_.get(), row, column) != 0;
  }

  // Read binary results. Throw Error (class statement) for NULL and for a column of another width.
  std::int32_t int4(int row, int column) const;
  std::int64_t int8(int row, int column) const;

  // Reads text columns of binary results, and all columns of text results; empty for NULL.
  std::string_view text(int row, int column) const noexcept {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }

  // Reads a whole number of a text result; 0 for NULL and other texts.
  template <class Number>
  Number number(int row, int column) const noexcept {
    const std::string_view digits = text(row, column);
    Number number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

  // Returns the number of rows that an INSERT, UPDATE, DELETE or COPY wrote.
  std::int64_t affected() const noexcept;

  PGresult* get() const noexcept { return result_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  const char* fixed_width(int row, int column, int width) const;

  std::unique_ptr<PGresult, Clear> result_;
};

using Results = std::vector<Result>;

}  // namespace drover::database::postgres
