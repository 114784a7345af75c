#include "tpcc/ydb/table_session.h"

#include <optional>
#include <utility>

#include "database/ydb/call.h"
#include "database/ydb/channel.h"
#include "database/ydb/reply.h"
#include "operation.pb.h"
#include "table.pb.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::ydb::Call;
using database::ydb::Client;
using database::ydb::Method;
using database::ydb::Stage;
using database::ydb::TransportStatus;
using database::ydb::YdbError;
using Ydb::Operations::Operation;

TableSession::TableSession(Client& client) : client_(client), place_(client.choose_place()) {}

Task<Operation> TableSession::call(Method method, const google::protobuf::MessageLite& request) {
  std::optional<YdbError> error;
  {
    Ydb::Operations::GetOperationResponse response;
    Call call(place_.channel(), method, request, client_.metadata(),
              client_.options().request_timeout);
    co_await call;
    try {
      call.require_transport(Stage::working);
      // Every reply that has an operation has it as its first field.
      call.parse_message(0, response, Stage::working);
      co_return std::move(*response.mutable_operation());
    } catch (const YdbError& thrown) {
      error = thrown;
    }
  }
  client_.note_failure(place_.channel(), *error);
  throw YdbError(*error);
}

Task<void> TableSession::open() {
  const Ydb::Table::CreateSessionRequest request;
  const Operation operation = co_await call(Method::create_table_session, request);
  require_success(operation, Method::create_table_session, Stage::working);
  Ydb::Table::CreateSessionResult result;
  if (!operation.result().UnpackTo(&result) || result.session_id().empty()) {
    throw YdbError(TransportStatus::data_loss, "the reply is not what the protocol has for it",
                   info_of(Method::create_table_session).name, place_.channel().authority(),
                   Stage::working);
  }
  id_ = result.session_id();
}

Task<void> TableSession::close() {
  if (id_.empty()) co_return;
  Ydb::Table::DeleteSessionRequest request;
  request.set_session_id(std::exchange(id_, {}));
  Call call(place_.channel(), Method::delete_table_session, request, client_.metadata(),
            client_.options().opening_timeout);
  co_await call;
}

}  // namespace drover::tpcc::ydb
