// IntrusiveList: a FIFO whose links lie in its elements: nothing is allocated, and whoever has an
// element takes it out at once. Not thread-safe.
#pragma once

namespace drover::coro {

template <class T>
class IntrusiveList;

// What a T derives from to be in an IntrusiveList<T>, in one at a time.
template <class T>
class ListNode {
  friend class IntrusiveList<T>;
  T* before_ = nullptr;
  T* behind_ = nullptr;
};

template <class T>
class IntrusiveList {
 public:
  bool empty() const noexcept { return first_ == nullptr; }

  // The one that has been here for longest, or null.
  T* first() const noexcept { return first_; }

  void push_back(T& element) noexcept {
    node(element).before_ = last_;
    node(element).behind_ = nullptr;
    (last_ != nullptr ? node(*last_).behind_ : first_) = &element;
    last_ = &element;
  }

  // Requires: it is in this list.
  void remove(T& element) noexcept {
    T* before = node(element).before_;
    T* behind = node(element).behind_;
    (before != nullptr ? node(*before).behind_ : first_) = behind;
    (behind != nullptr ? node(*behind).before_ : last_) = before;
  }

 private:
  static ListNode<T>& node(T& element) noexcept { return element; }

  T* first_ = nullptr;
  T* last_ = nullptr;
};

}  // namespace drover::coro
