// Text: a short string that lies in its owner. Longer ones move to the heap, unless they are to be
// cut. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include "coro/detail/pinned.h"

namespace drover::steps {

class Text : coro::Pinned {
 public:
  static constexpr std::size_t inline_size = 40;

  Text() noexcept {}  // NOLINT(*-member-init, *-equals-default): the characters stay as they are
  explicit Text(std::string_view text) : Text() { assign(text); }
  ~Text() {
    if (on_heap_) delete[] heap_.data;
  }

  std::string_view view() const noexcept { return {on_heap_ ? heap_.data : inline_, size_}; }
  bool empty() const noexcept { return size_ == 0; }
  void clear() noexcept { size_ = 0; }

  // `text` may be a part of this one.
  void assign(std::string_view text) {
    if (text.size() > capacity()) {
      char* larger = new char[text.size()];
      std::memcpy(larger, text.data(), text.size());
      if (on_heap_) delete[] heap_.data;
      heap_ = {larger, text.size()};
      on_heap_ = true;
    } else if (!text.empty()) {
      std::memmove(data(), text.data(), text.size());
    }
    size_ = static_cast<std::uint32_t>(text.size());
  }

  // Keeps what fits in place.
  void assign_cut(std::string_view text) noexcept {
    size_ = static_cast<std::uint32_t>(std::min(text.size(), capacity()));
    if (size_ != 0) std::memmove(data(), text.data(), size_);
  }

 private:
  struct Heap {
    char* data;
    std::size_t capacity;
  };

  std::size_t capacity() const noexcept { return on_heap_ ? heap_.capacity : inline_size; }
  char* data() noexcept { return on_heap_ ? heap_.data : inline_; }

  union {
    char inline_[inline_size];
    Heap heap_;
  };
  std::uint32_t size_ = 0;
  bool on_heap_ = false;
};

}  // namespace drover::steps
