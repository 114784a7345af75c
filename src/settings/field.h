// What the fields of a document can be. A struct is described once, by a function
//
//   void describe(auto& visit, Of<Bounds> auto& bounds) {
//     visit.field("low", bounds.low, count, "The smallest load to try.");
//   }
//
// and whoever writes the document, reads it, makes its schema or shows it is a visitor (described_json.h,
// described_reader.h and result_schema_test.cpp in report/document). A visitor has
//
//   definition(says, name)                  what the schema calls the struct; without a name it is
//                                           described where it stands
//   field(name, value, kind, says, need)    a value with bounds; an optional one may be null
//   field(name, value, says, need)          a struct, or a list of structs, that is itself described
//   within(name, says, need, describe)      an object that is no struct: describe(visit)
//   where(applies, describe)                fields that only some documents have: describe(visit)
//   list_if_any(name, list, says)           a list, which is not there if it is empty
//   repeats(name, value, kind, says, need)  what value() computes of other fields: it is written, and
//                                           refused where a document contradicts it
//   follows(name, value, kind, says, need)  the same, which a reader leaves aside
//
// and what few fields need, such as figures() of a histogram. Constants only, for any thread; nothing here knows of JSON.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace drover::settings {

// A parameter that may be const: a writer has no business to change what it describes.
template <class Given, class Plain>
concept Of = std::same_as<std::remove_const_t<Given>, Plain>;

enum class Need : std::uint8_t {
  required,
  written,  // by every version, but a reader does without
  added,    // by a later version than the first: older documents lack it
};

// `definition` is what the schema calls these bounds; empty: it says them in place.

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
  // "batched|single": what drover writes. A reader takes others, which a newer version may know.
  std::string_view words = {};
  bool closed = false;  // no others
};

// What a count may be at most: 10 million a second for two centuries, and a sum of 255 of them
// still fits into 64 bits.
inline constexpr std::uint64_t count_max = std::uint64_t{1} << 56;
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

inline constexpr Whole count{count_max, "count"};
inline constexpr Whole objects{1'000'000'000, "objects"};  // warehouses, sessions, threads
inline constexpr Whole any_whole{unlimited, "unsigned"};
inline constexpr Amount amount{-static_cast<std::int64_t>(count_max),
                               static_cast<std::int64_t>(count_max), "amount"};
inline constexpr Real seconds{0, 1e10, "seconds"};            // three centuries
inline constexpr Real milliseconds{0, 2e13, "milliseconds"};  // what 64 bits of nanoseconds hold
inline constexpr Real share{0, 2, "share"};  // of a whole, with room for what clocks differ by
inline constexpr Real figure{0, 1e18};       // computed from others
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
