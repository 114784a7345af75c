// Requirements on the items of a queue.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace drover::queue {

// Value that a queue can hold: a pointer, an index or another small value that is copied as bytes.
template <class Item>
concept QueueItem = std::is_trivially_copyable_v<Item> && std::default_initializable<Item> &&
                    sizeof(Item) <= sizeof(void*);

// Distance between data that different threads write.
inline constexpr std::size_t cache_line_bytes = 64;

}  // namespace drover::queue
