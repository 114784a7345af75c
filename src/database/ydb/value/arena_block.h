// An arena of protobuf whose first block lies beside it: what is small needs one allocation in all.
#pragma once

#include <google/protobuf/arena.h>

#include <array>
#include <cstddef>

namespace drover::database::ydb {

template <std::size_t first_block_bytes>
struct ArenaBlock {
  static google::protobuf::ArenaOptions options_of(std::array<char, first_block_bytes>& block) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block.data();
    options.initial_block_size = block.size();
    return options;
  }

  ArenaBlock() : arena(options_of(block)) {}

  alignas(8) std::array<char, first_block_bytes> block;  // NOLINT: the arena writes it
  google::protobuf::Arena arena;
};

}  // namespace drover::database::ydb
