// One simulated run: what a seed came to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drover::simulation {

struct Verdict {
  std::uint64_t trace = 0;          // equal for two runs of a seed
  std::size_t transactions = 0;     // attempts at them
  std::vector<std::string> faults;  // of the engine: none if all is well
};

// `prints`: every event, as it happens.
Verdict simulate(std::uint64_t seed, bool prints);

}  // namespace drover::simulation
