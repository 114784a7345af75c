// Pinned: the base of what is neither copied nor moved, because others hold its address.
#pragma once

namespace drover::coro {

class Pinned {
 public:
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 protected:
  Pinned() = default;
  ~Pinned() = default;
};

}  // namespace drover::coro
