// Is told what becomes of sessions, on the worker that they belong to.
#pragma once

#include "database/error.h"

namespace drover::database {

class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  virtual void on_session_lost() noexcept = 0;
  // An attempt to open a session has failed.
  virtual void on_session_refused(const Error& error) noexcept = 0;
  virtual void on_session_opened() noexcept = 0;
};

}  // namespace drover::database
