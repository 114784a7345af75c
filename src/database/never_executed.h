// The error of a session that ended before the server completed the statement.
#pragma once

#include "database/error.h"

namespace drover::database {

class NeverExecuted : public Error {
 public:
  // Copies `error`, with the class connection_lost. `idle`: the session ended while it was idle.
  NeverExecuted(const Error& error, bool idle)
      : Error(ErrorClass::connection_lost, error.sqlstate(), error.what()), idle_(idle) {}

  // Returns true if the server had not begun any part of the unanswered message. Otherwise, it
  // rolled back the statement's transaction, but a statement that commits on its own (CALL, DO,
  // VACUUM) may have committed a part before.
  bool idle() const noexcept { return idle_; }

 private:
  bool idle_;
};

}  // namespace drover::database
