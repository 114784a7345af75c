// Memory of coroutine frames: free lists by size, one set for each thread.
//
// A frame's size is fixed by its function, so a freed block nearly always fits the next call of the
// same function exactly. A frame may be freed on another thread than the one that made it: a thread
// keeps two magazines of 32 blocks of each size at most, and full ones go through a depot that all
// threads share, one lock for 32 blocks (Bonwick and Adams, "Magazines and Vmem", 2001). So there
// are never more blocks than the most frames that were ever alive at once, and the magazines of the
// threads. A thread that ends gives its magazines and the depot's back to the heap; until then the
// memory stays. Frames over 2 KiB come from the heap. Under the address sanitizer every frame does,
// so that it sees each use after free.
//
// Thread safety: any thread.
#pragma once

#include <cstddef>

namespace drover::coro {

class FramePool {
 public:
  static void* allocate(std::size_t size);
  static void release(void* block, std::size_t size) noexcept;
};

}  // namespace drover::coro
