// The error of a session that ended before the server executed the statement: nothing was changed
// or committed.
#pragma once

#include "database/error.h"

namespace drover::database {

class NeverExecuted : public Error {
 public:
  // Copies `error`, with the class connection_lost.
  explicit NeverExecuted(const Error& error)
      : Error(ErrorClass::connection_lost, error.sqlstate(), error.what()) {}
};

}  // namespace drover::database
