// The flows of the lab's switch experiment: what they do, and the ways to write one.
//
// Every flow loops: it computes for a while, then lets the others run. A loop is an operation. The
// same work is written once for each model, in switch_MODEL.cpp, to be read side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "coro/clock.h"

namespace drover::lab {

enum class SwitchModel : std::uint8_t { coroutine, steps, machine, future, thread };

inline constexpr std::array switch_models = {SwitchModel::coroutine, SwitchModel::steps,
                                             SwitchModel::machine, SwitchModel::future,
                                             SwitchModel::thread};

std::string_view name_of(SwitchModel model);

// nullopt if there is no model of this name.
std::optional<SwitchModel> switch_model(std::string_view name);

struct SwitchPlan {
  SwitchModel model = SwitchModel::coroutine;
  std::size_t flows = 1;
  std::size_t workers = 1;       // event loops; the model `thread` has none
  std::uint64_t work_steps = 1;  // of compute(), in each operation
  coro::Duration warm_up = std::chrono::seconds(1);
  coro::Duration duration = std::chrono::seconds(5);  // measured
};

struct SwitchOutcome {
  std::uint64_t operations = 0;  // while measured
  double seconds = 0;            // measured
  double cpu_seconds = 0;        // while measured: the user's and the system's
  double start_seconds = 0;      // until every flow was there
  double wall_seconds = 0;       // start, warm-up, measured, end
  std::uint64_t operations_in_all = 0;
  std::uint64_t residue = 0;  // what the flows computed, all of it XORed
};

// What flow number `flow` computes from; never 0.
constexpr std::uint64_t first_value(std::size_t flow) {
  return flow + 1;
}

// Runs the flows in this process. Throws std::system_error if the system does not allow so many
// threads, std::runtime_error if starting them takes 10 s longer than all that was to come.
SwitchOutcome run_switch(const SwitchPlan& plan);

}  // namespace drover::lab
