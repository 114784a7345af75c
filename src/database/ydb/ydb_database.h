// Which database of YDB, and in which of its folders the tables of a workload lie.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "database/ydb/client.h"

namespace drover::database::ydb {

struct YdbDatabase {
  ClientOptions client;
  std::string folder = {};  // below the database: "bench/tpcc"; empty: the database itself
};

// What --schema names: takes off slashes at both ends. Throws TargetError for what is no path, or
// would have to be quoted: each part has letters, digits, '_', '-' and '.', and does not begin with
// '.'.
std::string parse_folder(std::string_view text);

// "/Root/database/bench/tpcc", without a slash at its end.
std::string folder_path(const YdbDatabase& database);

// What each text begins with, so that tables are named as they are: PRAGMA TablePathPrefix(…); and
// a line's end.
std::string folder_pragma(const YdbDatabase& database);

}  // namespace drover::database::ydb
