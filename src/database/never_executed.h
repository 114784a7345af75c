// The error of a session that has ended before what it was sent was executed: nothing of it is in
// the database, be it a commit or not.
#pragma once

#include "database/error.h"

namespace drover::database {

class NeverExecuted : public Error {
 public:
  // As the error, of the class connection_lost.
  explicit NeverExecuted(const Error& error)
      : Error(ErrorClass::connection_lost, error.sqlstate(), error.what()) {}
};

}  // namespace drover::database
