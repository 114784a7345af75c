#include "load/surroundings.h"

#include <chrono>

namespace drover::load {

double unix_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace drover::load
