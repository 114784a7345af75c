// Results: up to four values on their way from one step to those behind, with their exact types, in
// one block of the flow's memory. For the engine's own use; not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace drover::steps {

inline constexpr std::size_t results_max = 4;

namespace detail {

template <class T>
struct ResultOf {
  using Type = std::decay_t<T>;
};

template <class T>
  requires std::is_convertible_v<T, const char*> && std::is_pointer_v<std::decay_t<T>>
struct ResultOf<T> {
  using Type = std::string;  // a literal may outlive the step, an array in it does not
};

// The address is the identity of the type.
template <class T>
inline constexpr char result_type = 0;

struct ResultBlock;

struct ResultOps {
  std::uint32_t size;
  std::uint32_t count;
  std::array<const char*, results_max> types;
  void* (*value)(ResultBlock& block, std::size_t index) noexcept;
  void (*destroy)(ResultBlock& block) noexcept;  // null if there is nothing to do
};

struct ResultBlock {
  const ResultOps* ops;
};

template <class... Values>
struct TypedResults final : ResultBlock {
  static_assert(sizeof...(Values) <= results_max, "a step gives up to four results");
  static_assert((!std::is_pointer_v<Values> && ...),
                "a raw pointer is no result: hand on what owns it");
  static_assert(((alignof(Values) <= alignof(std::max_align_t)) && ...),
                "an over-aligned type is no result");

  template <class... Args>
  explicit TypedResults(Args&&... args)
      : ResultBlock{&operations}, values(std::forward<Args>(args)...) {}

  static void* value(ResultBlock& block, std::size_t index) noexcept {
    return std::apply(
        [index](auto&... each) {
          const std::array<void*, sizeof...(Values)> places{&each...};
          return places[index];
        },
        static_cast<TypedResults&>(block).values);
  }

  static void destroy(ResultBlock& block) noexcept {
    static_cast<TypedResults&>(block).~TypedResults();
  }

  static const ResultOps operations;
  std::tuple<Values...> values;
};

template <class... Values>
const ResultOps TypedResults<Values...>::operations{
    sizeof(TypedResults),
    sizeof...(Values),
    {&result_type<Values>...},
    &TypedResults::value,
    (std::is_trivially_destructible_v<Values> && ...) ? nullptr : &TypedResults::destroy};

// Throws std::bad_cast unless these are the types of the first results.
template <class... Values>
ResultBlock& typed_results(ResultBlock* block) {
  constexpr std::array<const char*, sizeof...(Values)> types{&result_type<Values>...};
  const bool matches = block != nullptr && block->ops->count >= types.size() &&
                       std::equal(types.begin(), types.end(), block->ops->types.begin());
  if (!matches) throw std::bad_cast();
  return *block;
}

template <class T>
T& result(ResultBlock& block, std::size_t index) noexcept {
  return *static_cast<T*>(block.ops->value(block, index));
}

}  // namespace detail

// What a result given as a T is kept as.
template <class T>
using ResultOf = typename detail::ResultOf<T>::Type;

}  // namespace drover::steps
