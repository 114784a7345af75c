// State: what the steps of a flow share, the children of a parallel included: values by name, and
// what is known of the last error. Made when it is first asked for. Belongs to the flow's worker;
// not thread-safe.
#pragma once

#include <any>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "steps/detail/text.h"
#include "steps/error.h"

namespace drover::steps {

class State {
 public:
  // `bounded`: the information of an error is cut at Text::inline_size, so that none goes to the
  // heap.
  explicit State(bool bounded) noexcept : bounded_(bounded) {}

  // Empty if there is none.
  std::any& operator[](std::string_view key) {
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    return values_[std::string(key)];
  }

  bool contains(std::string_view key) const { return values_.contains(key); }

  // Throws std::bad_cast if there is none, or one of another type.
  template <class T>
  T& get(std::string_view key) {
    const auto found = values_.find(key);
    T* value = found == values_.end() ? nullptr : std::any_cast<T>(&found->second);
    if (value == nullptr) throw std::bad_cast();
    return *value;
  }

  // Sets it to `initial` if there is none.
  template <class T>
  T& get(std::string_view key, T initial) {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      return values_[std::string(key)].template emplace<T>(std::move(initial));
    }
    return get<T>(key);
  }

  // What is known of the error that is being handled; empty if it has none.
  std::string_view error_info() const noexcept { return error_info_.view(); }

  void set_error_info(std::string_view info) {
    if (bounded_) {
      error_info_.assign_cut(info);
    } else {
      error_info_.assign(info);
    }
  }

  // The last exception that left a step or a handler; a recovery does not clear it.
  const std::exception_ptr& last_exception() const noexcept { return last_exception_; }

  // Called with each exception that leaves a step or a handler. Must not throw.
  std::function<void(const std::exception_ptr&)> catch_trace;

  // Called with the code that nobody recovered from, when the flow has ended. Without one the error
  // stays to be read from the flow. Must neither throw nor destroy the flow.
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
