// Text: a short string that lies in its owner. Longer ones move to the heap, unless they are to be
// cut. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace drover::steps {

class Text {
 public:
  static constexpr std::size_t inline_size = 40;

  Text() noexcept = default;
  explicit Text(std::string_view text) { assign(text); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() {
    if (data_ != inline_) delete[] data_;
  }

  std::string_view view() const noexcept { return {data_, size_}; }
  bool empty() const noexcept { return size_ == 0; }
  void clear() noexcept { size_ = 0; }

  // `text` may be a part of this one.
  void assign(std::string_view text) {
    if (text.size() > capacity_) {
      char* larger = new char[text.size()];
      std::memcpy(larger, text.data(), text.size());
      if (data_ != inline_) delete[] data_;
      data_ = larger;
      capacity_ = text.size();
    } else if (!text.empty()) {
      std::memmove(data_, text.data(), text.size());
    }
    size_ = text.size();
  }

  // Keeps what fits in place.
  void assign_cut(std::string_view text) noexcept {
    size_ = std::min(text.size(), capacity_);
    if (size_ != 0) std::memmove(data_, text.data(), size_);
  }

 private:
  char* data_ = inline_;
  std::size_t size_ = 0;
  std::size_t capacity_ = inline_size;
  char inline_[inline_size];  // NOLINT(*-member-init): written before it is read
};

}  // namespace drover::steps
