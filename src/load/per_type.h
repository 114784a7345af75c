// PerType<T>: something of each type of transaction of a workload, by the type's number. What nothing was written of is
// as T is made.
//
// Whoever reads while another thread writes makes all of them before.
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>

namespace drover::load {

template <class T>
class PerType {
 public:
  PerType() = default;
  explicit PerType(std::size_t types) : items_(types) {}
  PerType(std::initializer_list<T> items) : items_(items) {}

  T& operator[](std::size_t type) {
    while (items_.size() <= type) items_.emplace_back();
    return items_[type];
  }
  const T& operator[](std::size_t type) const {
    static const T none{};
    return type < items_.size() ? items_[type] : none;
  }

  std::size_t size() const noexcept { return items_.size(); }
  auto begin() const noexcept { return items_.begin(); }
  auto end() const noexcept { return items_.end(); }

 private:
  std::deque<T> items_;  // counters cannot be moved
};

}  // namespace drover::load
