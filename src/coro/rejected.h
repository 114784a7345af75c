// Rejected: thrown by an await in place of waiting where too many wait already. What was rejected
// has taken no place and no part of a rate: to try again later is up to whoever asked.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace drover::coro {

class Rejected : public std::runtime_error {
 public:
  explicit Rejected(std::size_t queue_limit)
      : std::runtime_error("rejected: " + std::to_string(queue_limit) +
                           " tasks may wait here, and do") {}
};

}  // namespace drover::coro
