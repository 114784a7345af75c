// The YDB stub as a program. Prints its port, answers until SIGTERM or SIGINT, then prints the
// counts of its requests as one line of JSON.
//
//   build/release/bench/ydb_client/ydb_stub --port 2136 --warehouses 100 &
//   drover tpcc run --db ydb://127.0.0.1:2136/Root/stub --no-discovery --no-delays --duration 10s
#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "stub_server.h"

namespace drover::bench {
namespace {

int run(int count, char** arguments) {
  int port = 0;
  std::int32_t warehouses = 100;
  CLI::App app("Simulates a YDB server that answers at once");
  app.add_option("--port", port, "Port to listen on; 0: any free port")
      ->check(CLI::Range(0, 65'535));
  app.add_option("--warehouses", warehouses, "Number of warehouses that the answers assume")
      ->check(CLI::PositiveNumber);
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  // Before there is any other thread, so that all of them have them blocked.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  const StubServer server(port, warehouses);
  fmt::print("{{\"port\": {}}}\n", server.port());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ending, &signal);
  const StubCounts counts = server.counts();
  fmt::print(
      "{{\"requests\": {}, \"parts\": {}, \"sessions\": {}, \"connections\": {}, "
      "\"new_orders\": {}}}\n",
      counts.requests, counts.parts, counts.sessions, counts.connections, counts.new_orders);
  return 0;
}

}  // namespace
}  // namespace drover::bench

int main(int count, char** arguments) {
  try {
    return drover::bench::run(count, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ydb_stub: error: {}\n", error.what());
    return 1;
  }
}
