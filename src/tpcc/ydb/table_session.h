// TableSession: a session of YDB's Table service, which AlterTable wants to have. On one node, as
// all calls of a session must be.
//
// Belongs to the client's worker; the client must outlive it. Throws database::ydb::YdbError.
#pragma once

#include <string>

#include "coro/task.h"
#include "database/ydb/client.h"
#include "database/ydb/method.h"

namespace google::protobuf {
class MessageLite;
}
namespace Ydb::Operations {
class Operation;
}

namespace drover::tpcc::ydb {

class TableSession {
 public:
  explicit TableSession(database::ydb::Client& client);

  coro::Task<void> open();
  const std::string& id() const noexcept { return id_; }

  // Hands back the reply's operation as it is, failed or not ready. The request must outlive the
  // task.
  coro::Task<Ydb::Operations::Operation> call(database::ydb::Method method,
                                              const google::protobuf::MessageLite& request);

  // Does not mind if the server cannot. Does nothing if none is open.
  coro::Task<void> close();

 private:
  database::ydb::Client& client_;
  database::ydb::Client::Place place_;
  std::string id_;
};

}  // namespace drover::tpcc::ydb
