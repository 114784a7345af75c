// Result: the rows that one statement returned. Owns libpq's memory; move-only.
#pragma once

#include <libpq-fe.h>

#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>

namespace drover::database::postgres {

class Result {
 public:
  explicit Result(PGresult* result = nullptr) noexcept : result_(result) {}

  int rows() const noexcept { return PQntuples(result_.get()); }
  int columns() const noexcept { return PQnfields(result_.get()); }
  bool is_null(int row, int column) const noexcept {
    return PQgetisnull(result_.get(), row, column) != 0;
  }

  // For binary results: throw Error (class statement) if the column has another width or is NULL.
  std::int32_t int4(int row, int column) const;
  std::int64_t int8(int row, int column) const;

  // Text columns of binary results and every column of text results; empty for NULL.
  std::string_view text(int row, int column) const noexcept {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }

  // A whole number of a text result; 0 for NULL and for what is none.
  template <class Number>
  Number number(int row, int column) const noexcept {
    const std::string_view digits = text(row, column);
    Number number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

  // How many rows an INSERT, UPDATE, DELETE or COPY touched.
  std::int64_t affected() const noexcept;

  PGresult* get() const noexcept { return result_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  const char* fixed_width(int row, int column, int width) const;

  std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace drover::database::postgres
