// Pinned and IntrusiveList, for objects whose address other objects hold.
#pragma once

namespace drover::coro {

// Base of a type that is neither copied nor moved.
class Pinned {
 public:
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 protected:
  Pinned() = default;
  ~Pinned() = default;
};

template <class T>
class IntrusiveList;

// Base of a T that may be in one IntrusiveList<T> at a time.
template <class T>
class ListNode {
  friend class IntrusiveList<T>;
  T* before_ = nullptr;
  T* behind_ = nullptr;
};

// FIFO whose links are in its elements, so it allocates nothing and removes any element at once.
// Not thread-safe.
template <class T>
class IntrusiveList {
 public:
  bool empty() const noexcept { return first_ == nullptr; }

  // Returns the oldest element, or null.
  T* first() const noexcept { return first_; }

  void push_back(T& element) noexcept {
    node(element).before_ = last_;
    node(element).behind_ = nullptr;
    (last_ != nullptr ? node(*last_).behind_ : first_) = &element;
    last_ = &element;
  }

  // Requires: the element is in this list.
  void remove(T& element) noexcept {
    T* before = node(element).before_;
    T* behind = node(element).behind_;
    (before != nullptr ? node(*before).behind_ : first_) = behind;
    (behind != nullptr ? node(*behind).before_ : last_) = before;
  }

  // Removes and returns the oldest element, or returns null.
  T* pop_front() noexcept {
    T* oldest = first_;
    if (oldest != nullptr) remove(*oldest);
    return oldest;
  }

 private:
  static ListNode<T>& node(T& element) noexcept { return element; }

  T* first_ = nullptr;
  T* last_ = nullptr;
};

}  // namespace drover::coro
