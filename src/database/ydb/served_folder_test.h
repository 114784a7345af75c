// For tests of workloads: test/ydb_server and the PostgreSQL behind it, one for the program, and a
// folder for each test.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "database/ydb/database_access.h"
#include "database/ydb/target.h"
#include "support/ydb_test_server.h"

namespace drover::database::ydb {

// Null where test::YdbTestServer::reason_to_skip() says why.
inline test::YdbTestServer* served() {
  if (!test::YdbTestServer::reason_to_skip().empty()) return nullptr;
  static test::YdbTestServer server({.arguments = {"--lock-timeout", "60"}});
  return &server;
}

// A new one, whose name begins so. Patient: a starved machine is no failure.
inline YdbDatabase served_folder(std::string_view name) {
  static int folders = 0;
  ClientOptions client;
  client.target = parse_target(served() ? served()->url() : "ydb://nowhere/Root/test");
  client.opening_timeout = std::chrono::minutes(5);
  client.request_timeout = std::chrono::minutes(5);
  return {.client = std::move(client), .folder = fmt::format("bench/{}_{}", name, ++folders)};
}

}  // namespace drover::database::ydb
