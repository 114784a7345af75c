// What a command finds in the database is not what it needs.
#pragma once

#include <stdexcept>

namespace drover::database {

// The message says what to do.
class UnfitSchema : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace drover::database
