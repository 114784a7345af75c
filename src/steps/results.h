// Results: up to four values on their way from one step to the next, with their exact types. Values
// of up to 32 bytes lie in place, larger ones in a block of their own. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "coro/frame_pool.h"

namespace drover::steps {

namespace detail {

struct ResultType {
  void (*destroy)(void* place) noexcept;  // null if there is nothing to do
};

inline constexpr std::size_t result_size_in_place = 32;

template <class T>
inline constexpr bool result_in_place =
    sizeof(T) <= result_size_in_place && alignof(T) <= alignof(void*);

template <class T>
void destroy_result(void* place) noexcept {
  if constexpr (result_in_place<T>) {
    std::destroy_at(static_cast<T*>(place));
  } else {
    T* value = *static_cast<T**>(place);
    std::destroy_at(value);
    coro::FramePool::release(value, sizeof(T));
  }
}

// The address is the identity of the type.
template <class T>
inline constexpr ResultType result_type{
    result_in_place<T> && std::is_trivially_destructible_v<T> ? nullptr : &destroy_result<T>};

template <class T>
struct ResultOf {
  using Type = std::decay_t<T>;
};

template <class T>
  requires std::is_convertible_v<T, const char*> && std::is_pointer_v<std::decay_t<T>>
struct ResultOf<T> {
  using Type = std::string;  // a literal may outlive the step, an array in it does not
};

}  // namespace detail

// What a result given as a T is kept as.
template <class T>
using ResultOf = typename detail::ResultOf<T>::Type;

class Results {
 public:
  static constexpr std::size_t capacity = 4;

  Results() noexcept = default;
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  ~Results() { clear(); }

  std::size_t size() const noexcept { return size_; }

  // Requires: fewer than `capacity`.
  template <class T>
  void push(T&& value) {
    using Value = ResultOf<T>;
    static_assert(!std::is_pointer_v<Value>, "a raw pointer is no result: hand on what owns it");
    static_assert(alignof(Value) <= alignof(std::max_align_t), "an over-aligned type is no result");
    Slot& slot = slots_[size_];
    if constexpr (detail::result_in_place<Value>) {
      ::new (static_cast<void*>(slot.place)) Value(std::forward<T>(value));
    } else {
      Block block{coro::FramePool::allocate(sizeof(Value)), sizeof(Value)};
      ::new (static_cast<void*>(slot.place))
          Value*(::new (block.memory) Value(std::forward<T>(value)));
      block.memory = nullptr;
    }
    slot.type = &detail::result_type<Value>;
    ++size_;
  }

  // To be moved from. Throws std::bad_cast if there is none, or one of another type.
  template <class T>
  T&& take(std::size_t index) {
    if (index >= size_ || slots_[index].type != &detail::result_type<T>) throw std::bad_cast();
    if constexpr (detail::result_in_place<T>) {
      return std::move(*std::launder(reinterpret_cast<T*>(slots_[index].place)));
    } else {
      return std::move(**std::launder(reinterpret_cast<T**>(slots_[index].place)));
    }
  }

  void clear() noexcept {
    while (size_ > 0) {
      Slot& slot = slots_[--size_];
      if (slot.type->destroy != nullptr) slot.type->destroy(slot.place);
    }
  }

 private:
  struct Slot {
    const detail::ResultType* type;
    alignas(void*) std::byte place[detail::result_size_in_place];
  };

  // Gives the memory back if the value's constructor throws.
  struct Block {
    ~Block() {
      if (memory != nullptr) coro::FramePool::release(memory, size);
    }
    void* memory;
    std::size_t size;
  };

  std::size_t size_ = 0;
  std::array<Slot, capacity> slots_;  // NOLINT(*-member-init): written before it is read
};

}  // namespace drover::steps
