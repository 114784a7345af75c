// Storage: where an engine with limits keeps its steps and what belongs to them. An engine without
// limits has none, and takes its memory from the coroutines' pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover::steps {

// What memory is asked for; each has a limit of its own.
enum class Slot : std::uint8_t { step, timeout, cancel, extended, stack, parallel, state };

class Storage {
 public:
  struct Limit {
    std::string_view name;
    std::size_t count;
    std::size_t size;  // bytes of one
  };

  // Null if the limit is reached or `size` is too large for it.
  virtual void* allocate(Slot slot, std::size_t size) noexcept = 0;
  virtual void release(Slot slot, void* block) noexcept = 0;

  virtual Limit limit(Slot slot) const noexcept = 0;
  virtual std::size_t error_code_size_max() const noexcept = 0;

 protected:
  ~Storage() = default;
};

}  // namespace drover::steps
