// The ways to write a flow of the experiments `terminals` and `switch`. Each experiment has the same
// work once for each model, in EXPERIMENT_models.cpp, to be read side by side.
#pragma once

#include <cstdint>

#include "lab/names.h"

namespace drover::lab {

enum class FlowModel : std::uint8_t { coroutine, steps, machine, future, thread };

template <>
inline constexpr auto names<FlowModel> =
    std::to_array<std::string_view>({"coroutine", "steps", "machine", "future", "thread"});

}  // namespace drover::lab
