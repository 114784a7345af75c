// What the queues of this folder carry: pointers, indexes, small values that are copied as bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace drover::queue {

template <class Item>
concept QueueItem = std::is_trivially_copyable_v<Item> && std::default_initializable<Item> &&
                    sizeof(Item) <= sizeof(void*);

// What is written by different threads lies at least so far apart.
inline constexpr std::size_t cache_line_bytes = 64;

}  // namespace drover::queue
