// The kinds of fields of a document. A struct is described once, by a function
//
//   void describe(auto& visit, Of<Bounds> auto& bounds) {
//     visit.field("low", bounds.low, count, "The smallest load to try.");
//   }
//
// and visitors write, read and show the document and make its schema (described_json.h,
// described_reader.h and result_schema_test.cpp in report/document). A visitor has
//
//   definition(says, name)                  name of the struct in the schema; without a name, the
//                                           schema describes the struct in place
//   field(name, value, kind, says, need)    a value with bounds; an optional value may be null
//   field(name, value, says, need)          a described struct, or a list of described structs
//   within(name, says, need, describe)      an object without a struct: describe(visit)
//   where(applies, describe)                fields that only some documents have: describe(visit)
//   list_if_any(name, list, says)           a list that is written unless it is empty
//   repeats(name, value, kind, says, need)  value() computed from other fields. A reader refuses a
//                                           document with another value
//   follows(name, value, kind, says, need)  the same, but a reader ignores the field
//
// and more for single fields, such as figures() of a histogram. Constants only, for any thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace drover::settings {

// A parameter of type Plain or const Plain: writers take const structs.
template <class Type, class Plain>
concept Of = std::same_as<std::remove_const_t<Type>, Plain>;

enum class Need : std::uint8_t {
  required,
  written,  // always written, but not required by a reader
  added,    // in a later version; older documents lack the field
};

// `definition`: name of the bounds in the schema; empty: the schema has them in place.

struct Whole {
  std::uint64_t most;
  std::string_view definition = {};
};

struct Amount {
  std::int64_t least;
  std::int64_t most;
  std::string_view definition = {};
};

struct Real {
  double least;
  double most;
  std::string_view definition = {};
};

struct Flag {};

struct Text {
  std::size_t bytes_max;
  // "batched|single": values that drover writes. A reader accepts other values of newer versions.
  std::string_view words = {};
  bool closed = false;  // a reader refuses other values
};

// Largest count: 10 million per second for two centuries. A sum of 255 counts fits into 64 bits.
inline constexpr std::uint64_t count_max = std::uint64_t{1} << 56;
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

inline constexpr Whole count{count_max, "count"};
inline constexpr Whole objects{1'000'000'000, "objects"};  // warehouses, sessions, threads
inline constexpr Whole any_whole{unlimited, "unsigned"};
inline constexpr Amount amount{-static_cast<std::int64_t>(count_max),
                               static_cast<std::int64_t>(count_max), "amount"};
inline constexpr Real seconds{0, 1e10, "seconds"};
inline constexpr Real milliseconds{0, 2e13, "milliseconds"};  // 64 bits of nanoseconds
inline constexpr Real share{0, 2, "share"};                   // with tolerance for differing clocks
inline constexpr Real figure{0, 1e18};
inline constexpr Flag flag{};
inline constexpr Text name{200};
inline constexpr Text sentence{100'000};  // settings, messages of a server

constexpr Text one_of(std::string_view words) {
  return {.bytes_max = name.bytes_max, .words = words};
}

constexpr Text only(std::string_view words) {
  return {.bytes_max = 10'000, .words = words, .closed = true};
}

// Calls on_word(word) for each of "one|two", in their order.
constexpr void for_each_word(std::string_view words, auto&& on_word) {
  for (;;) {
    const std::size_t end = words.find('|');
    on_word(words.substr(0, end));
    if (end == std::string_view::npos) return;
    words.remove_prefix(end + 1);
  }
}

}  // namespace drover::settings
