// require(): what must hold whatever the database does, looked at in release builds, too. A run that
// breaks it has wrong figures, and is given up with an error in place of a result.
#pragma once

#include <stdexcept>
#include <string>

namespace drover::load {

inline void require(bool holds, const char* what) {
  if (holds) [[likely]] {
    return;
  }
  throw std::logic_error(std::string("a bug of Drover's, please report it: ") + what);
}

}  // namespace drover::load
