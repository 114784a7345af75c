// FramePool: memory for coroutine frames, in free lists by size for each thread.
//
// A frame's size is fixed by its function, so a freed block nearly always fits the next call of the
// same function exactly. A frame may be freed on another thread than the one that allocated it: a
// thread keeps at most two magazines of 32 blocks of each size, and full magazines go through a
// depot that all threads share, with one lock for 32 blocks (Bonwick and Adams, "Magazines and
// Vmem", 2001). So the number of blocks never exceeds the largest number of frames alive at once
// plus the threads' magazines. A thread that ends returns its magazines and the depot's to the
// heap; until then the pool keeps the memory. Frames over 2 KiB come from the heap. Under the
// address sanitizer every frame does, so that it detects each use after free.
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
