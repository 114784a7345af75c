// Memory of coroutine frames: free lists by size, one set for each thread.
//
// A frame's size is fixed by its function, so a freed block nearly always fits the next call of the
// same function exactly. A block that is freed on another thread than the one that made it joins
// the freeing thread's list. What a list holds is given back to the heap when its thread ends;
// until then the pool stays at its high-water mark. Frames over 2 KiB come from the heap. Under the
// address sanitizer every frame does, so that it sees each use after free.
#pragma once

#include <cstddef>

namespace drover::coro {

class FramePool {
 public:
  static void* allocate(std::size_t size);
  static void release(void* block, std::size_t size) noexcept;
};

}  // namespace drover::coro
