// Results: up to four values on their way from one step to those behind, with their exact types, in
// one block of the flow's memory. For the engine's own use; not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
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

struct ResultBlock {
  virtual std::size_t size() const noexcept = 0;  // bytes
  virtual std::span<const char* const> types() const noexcept = 0;
  virtual void* value(std::size_t index) noexcept = 0;
  virtual void destroy() noexcept = 0;

 protected:
  ~ResultBlock() = default;
};

template <class... Values>
inline constexpr std::array<const char*, sizeof...(Values)> result_types{&result_type<Values>...};

template <class... Values>
struct TypedResults final : ResultBlock {
  static_assert(sizeof...(Values) <= results_max, "a step gives up to four results");
  static_assert((!std::is_pointer_v<Values> && ...),
                "a raw pointer is no result: hand on what owns it");
  static_assert(((alignof(Values) <= alignof(std::max_align_t)) && ...),
                "an over-aligned type is no result");

  template <class... Args>
  explicit TypedResults(Args&&... args) : values(std::forward<Args>(args)...) {}

  std::size_t size() const noexcept override { return sizeof(TypedResults); }
  std::span<const char* const> types() const noexcept override { return result_types<Values...>; }
  void* value(std::size_t index) noexcept override {
    return std::apply(
        [index](auto&... each) { return std::array<void*, sizeof...(Values)>{&each...}[index]; },
        values);
  }
  void destroy() noexcept override { this->~TypedResults(); }

  std::tuple<Values...> values;
};

// Throws std::bad_cast unless these are the types of the first results.
template <class... Values>
ResultBlock& typed_results(ResultBlock* block) {
  constexpr auto& types = result_types<Values...>;
  const bool matches = block != nullptr && block->types().size() >= types.size() &&
                       std::equal(types.begin(), types.end(), block->types().begin());
  if (!matches) throw std::bad_cast();
  return *block;
}

template <class T>
T& result(ResultBlock& block, std::size_t index) noexcept {
  return *static_cast<T*>(block.value(index));
}

}  // namespace detail

// What a result given as a T is kept as.
template <class T>
using ResultOf = typename detail::ResultOf<T>::Type;

}  // namespace drover::steps
