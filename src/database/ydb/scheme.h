// What is asked of a database beside statements: its folders, rows in bulk, and operations that
// build indexes.
//
// Belongs to the client's worker; the client must outlive the tasks. All of it throws YdbError.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/ydb/client.h"
#include "database/ydb/ydb_error.h"

namespace drover::database::ydb {

// Paths are absolute: "/Root/database/folder/table".

// The names of the tables in a folder; nothing if there is no such folder.
coro::Task<std::vector<std::string>> list_tables(Client& client, std::string folder);

// Does nothing if it is there.
coro::Task<void> make_folder(Client& client, std::string path);

// Writes rows, and over those with the same key. It may be sent several times; some rows may be
// there after an error. `rows`: the bytes of a Ydb.TypedValue, which is a List<Struct<…>>.
using BulkUpsert = std::shared_ptr<const google::protobuf::MessageLite>;
BulkUpsert make_bulk_upsert(std::string table, std::string rows);
coro::Task<void> send(Client& client, BulkUpsert request);

// How far the server is.
struct IndexOperation {
  std::string id = {};
  bool ready = false;
  std::optional<YdbError> error = {};  // one that is ready has failed
  bool ended =
      false;  // by the error: the build itself, and not only the call that has asked for it
};

// Has the server build an index in the background. Throws if it refuses.
coro::Task<IndexOperation> begin_index(Client& client, std::string table, std::string_view index,
                                       std::span<const std::string_view> columns);

coro::Task<IndexOperation> ask_for_index(Client& client, std::string id);

}  // namespace drover::database::ydb
