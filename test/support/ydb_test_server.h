// A server that speaks YDB's protocol, for tests: test/ydb_server on a private PostgreSQL, which is
// started with it unless there is one already. It ends with the object, and with the process.
//
//   static void SetUpTestSuite() {
//     if (YdbTestServer::reason_to_skip().empty()) server = std::make_unique<YdbTestServer>();
//   }
//   void SetUp() override {
//     if (!server) GTEST_SKIP() << YdbTestServer::reason_to_skip();
//   }
//
// Making one takes some seconds: one for each test program is enough. Not thread-safe; create it on
// a thread that outlives it, as the main one does. Failures are std::runtime_error.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/test_server.h"

namespace drover::test {

struct YdbTestServerOptions {
  std::string postgres = {};          // the conninfo of one that runs; empty: one of its own
  std::string schema = "ydb_server";  // in the PostgreSQL, made anew: two servers on one need two
  int nodes = 1;
  int postgres_connections = 60;  // at most
  std::string database = "/Root/test";
  std::vector<std::string> arguments = {};  // more of them, e.g. {"--auth", "user:password"}
};

class YdbTestServer {
 public:
  // Empty if there is a server to be had. Else why not: its packages cannot be installed, and
  // DROVER_OFFLINE=1 allows to go without; where it does not, this throws.
  static const std::string& reason_to_skip();

  explicit YdbTestServer(YdbTestServerOptions options = {});
  ~YdbTestServer();
  YdbTestServer(const YdbTestServer&) = delete;
  YdbTestServer& operator=(const YdbTestServer&) = delete;

  // "ydb://127.0.0.1:41765/Root/test"
  std::string url() const;
  std::uint16_t port(std::size_t node = 0) const { return ports_.at(node); }
  const std::string& database() const { return options_.database; }

  // The PostgreSQL behind. The table customer is there as t3_customer in the schema: a number that
  // grows, and its own name. A Timestamp is a bigint of microseconds, a Decimal a numeric.
  const std::string& postgres() const { return options_.postgres; }

  // JSON as the control port takes and gives it (test/ydb_server/README.md).
  void set_faults(const std::string& json) { control("PUT", "/faults", json); }  // no others then
  void change_settings(const std::string& json) { control("POST", "/settings", json); }
  void act(const std::string& json) { control("POST", "/actions", json); }
  nlohmann::json state() { return control("GET", "/state", ""); }

 private:
  void launch();
  void read_ready_line(int output);
  nlohmann::json control(const std::string& method, const std::string& path,
                         const std::string& body);

  YdbTestServerOptions options_;
  std::unique_ptr<TestServer> own_postgres_;
  pid_t process_ = -1;
  int input_ = -1;  // its standard input: it ends when that is closed
  std::vector<std::uint16_t> ports_;
  std::uint16_t control_port_ = 0;
};

}  // namespace drover::test
