// State: values by name that the steps of a flow share, including the children of a parallel, and
// information on the last error. Made at its first use. Belongs to the flow's worker; not
// thread-safe.
#pragma once

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "coro/detail/intrusive.h"
#include "steps/error.h"

namespace drover::steps {

// String of up to 40 characters inside the object. A longer one moves to the heap, unless it is
// cut.
class Text : coro::Pinned {
 public:
  static constexpr std::size_t inline_size = 40;

  Text() noexcept {}  // NOLINT(*-member-init, *-equals-default): leaves the characters unset
  explicit Text(std::string_view text) : Text() { assign(text); }
  ~Text() {
    if (on_heap_) delete[] heap_.data;
  }

  std::string_view view() const noexcept { return {on_heap_ ? heap_.data : inline_, size_}; }
  void clear() noexcept { size_ = 0; }

  // `text` may be a part of this text.
  void assign(std::string_view text) {
    if (text.size() > capacity()) {
      char* larger = new char[text.size()];
      std::memcpy(larger, text.data(), text.size());
      if (on_heap_) delete[] heap_.data;
      heap_ = {larger, text.size()};
      on_heap_ = true;
      size_ = static_cast<std::uint32_t>(text.size());
    } else {
      assign_cut(text);
    }
  }

  // Cuts a text that is longer than the present memory.
  void assign_cut(std::string_view text) noexcept {
    size_ = static_cast<std::uint32_t>(std::min(text.size(), capacity()));
    if (size_ != 0) std::memmove(on_heap_ ? heap_.data : inline_, text.data(), size_);
  }

 private:
  struct Heap {
    char* data;
    std::size_t capacity;
  };

  std::size_t capacity() const noexcept { return on_heap_ ? heap_.capacity : inline_size; }

  union {
    char inline_[inline_size];
    Heap heap_;
  };
  std::uint32_t size_ = 0;
  bool on_heap_ = false;
};

class State {
 public:
  // If `bounded`, the information of an error is cut to Text::inline_size, so that it needs no
  // heap.
  explicit State(bool bounded) noexcept : bounded_(bounded) {}

  // Returns the value of `key`, which is empty at first.
  std::any& operator[](std::string_view key) {
    const auto found = values_.find(key);
    return found != values_.end() ? found->second : values_[std::string(key)];
  }

  bool contains(std::string_view key) const { return values_.contains(key); }

  // Throws std::bad_cast if there is no value, or one of another type.
  template <class T>
  T& get(std::string_view key) {
    const auto found = values_.find(key);
    T* value = found == values_.end() ? nullptr : std::any_cast<T>(&found->second);
    if (value == nullptr) throw std::bad_cast();
    return *value;
  }

  // Sets the value to `initial` if there is none.
  template <class T>
  T& get(std::string_view key, T initial) {
    if (contains(key)) return get<T>(key);
    return values_[std::string(key)].template emplace<T>(std::move(initial));
  }

  // Returns the information of the error that is being handled, or an empty text.
  std::string_view error_info() const noexcept { return error_info_.view(); }

  void set_error_info(std::string_view info) {
    if (bounded_) {
      error_info_.assign_cut(info);
    } else {
      error_info_.assign(info);
    }
  }

  // Returns the last exception that left a step or a handler. A recovery does not clear it.
  const std::exception_ptr& last_exception() const noexcept { return last_exception_; }

  // Called with each exception that leaves a step or a handler. Must not throw.
  std::function<void(const std::exception_ptr&)> catch_trace;

  // Called with the code of an error that no handler recovered from, when the flow has ended. If it
  // is empty, the flow keeps the code. Must neither throw nor destroy the flow.
  std::function<void(ErrorCode)> unhandled_error;

  // For the engine.
  void caught(std::exception_ptr error) {
    last_exception_ = std::move(error);
    if (catch_trace) catch_trace(last_exception_);
  }

 private:
  Text error_info_;
  bool bounded_;
  std::exception_ptr last_exception_;
  std::map<std::string, std::any, std::less<>> values_;
};

}  // namespace drover::steps
