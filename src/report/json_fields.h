// Objects of JSON as the readers of documents want them: known fields in any order, each of them
// once, and maps whose names are data.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "report/json_reader.h"

namespace drover::report {

inline constexpr std::size_t json_name_bytes_max = 200;
inline constexpr std::size_t json_names_max = 10'000;

template <class Read>
struct Field {
  std::string_view name;
  Read read;
  bool required = true;
};
template <class Read>
Field(std::string_view, Read) -> Field<Read>;
template <class Read>
Field(std::string_view, Read, bool) -> Field<Read>;

// For fields that later versions of drover have added to this schema version.
inline constexpr bool may_be_missing = false;

// Reads an object of known fields: each of them once, the required ones certainly, others skipped.
template <class... Reads>
void read_object(JsonReader& json, const Field<Reads>&... fields) {
  std::array<bool, sizeof...(Reads)> seen{};
  json.object([&](std::string_view key) {
    std::size_t index = 0;
    bool known = false;
    const auto read_if_it_is = [&](const auto& field) {
      if (!known && field.name == key) {
        known = true;
        if (std::exchange(seen[index], true)) json.refuse("one such field", "a second one");
        field.read();
      }
      ++index;
    };
    (read_if_it_is(fields), ...);
    if (!known) json.skip();
  });
  std::size_t index = 0;
  const auto require = [&](std::string_view name, bool required) {
    if (required && !seen[index]) json.refuse(fmt::format("a field {}", name), "none");
    ++index;
  };
  (require(fields.name, fields.required), ...);
}

// An object whose names are data. read_value(name) reads and keeps one.
template <class Value, class ReadValue>
void read_map(JsonReader& json, std::map<std::string, Value>& map, ReadValue read_value) {
  json.object([&](std::string_view key) {
    if (key.size() > json_name_bytes_max) {
      json.refuse(fmt::format("a name of at most {} bytes", json_name_bytes_max),
                  fmt::format("one of {}", key.size()));
    }
    if (map.size() == json_names_max)
      json.refuse(fmt::format("at most {} names", json_names_max), "more");
    const auto [entry, is_new] = map.try_emplace(std::string(key));
    if (!is_new) json.refuse("one such field", "a second one");
    entry->second = read_value();
  });
}

}  // namespace drover::report
