// What stands between us and the processes of a server, and for how long it lends us one. Plain values.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::database {

enum class Pooling : std::uint8_t {
  none,         // a session has a process of its own
  session,      // a pooler lends one to each session, for as long as the session lasts
  transaction,  // for a transaction each: nothing that a session was told lasts
  pgpool,       // as `session`, of several servers at once: what only reads may go to a standby
};

inline std::string_view pooling_name(Pooling pooling) noexcept {
  switch (pooling) {
    case Pooling::session:
      return "session";
    case Pooling::transaction:
      return "transaction";
    case Pooling::pgpool:
      return "pgpool";
    case Pooling::none:
      break;
  }
  return "none";
}

}  // namespace drover::database
