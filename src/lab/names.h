// The names of an enumeration's values, as on the command line and in documents. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace drover::lab {

// In the order of the values, which count from 0. Specialised beside each enumeration.
template <class Kind>
inline constexpr std::array<std::string_view, 0> names{};

template <class Kind>
constexpr std::size_t index_of(Kind kind) {
  return static_cast<std::size_t>(kind);
}

template <class Kind>
constexpr std::string_view name_of(Kind kind) {
  return names<Kind>.at(index_of(kind));
}

// Every value, in order.
template <class Kind>
constexpr auto all_of() {
  std::array<Kind, names<Kind>.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Kind>(i);
  return all;
}

// nullopt if no value has this name.
template <class Kind>
constexpr std::optional<Kind> named(std::string_view name) {
  for (const Kind kind : all_of<Kind>()) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace drover::lab
