// SessionPool: sessions over the nodes of the database, in a pool (database/session_pool.h), taken
// in turn. A session that the server ends is taken out at once, idle ones included. Failures to
// open one are YdbError.
//
// Belongs to the client's worker; not thread-safe. The client must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "coro/task.h"
#include "database/session_pool.h"
#include "database/ydb/session.h"

namespace drover::database::ydb {

class SessionPool final : public database::SessionPool<Session> {
 public:
  struct Options {
    std::size_t size = 1;
    bool wait_for_server = true;
    std::uint64_t seed = 0;
  };

  SessionPool(Client& client, Options options)
      : database::SessionPool<Session>({.size = options.size,
                                        .open = [this, &client] { return open_one(client); },
                                        .wait_for_server = options.wait_for_server,
                                        .seed = options.seed}) {}

 private:
  coro::Task<std::unique_ptr<Session>> open_one(Client& client) {
    std::unique_ptr<Session> session = co_await Session::open(client);
    session->on_end = [this](Session& ended) { on_end(ended); };
    co_return session;
  }
};

}  // namespace drover::database::ydb
