#include "database/ydb/server_facts.h"

#include <string>
#include <utility>

namespace drover::database::ydb {

coro::Task<ServerFacts> read_server_facts(ClientOptions options) {
  Client client(std::move(options));
  co_await client.connect();
  ServerFacts facts;
  facts.settings["nodes"] = std::to_string(client.endpoints().size());
  facts.settings["discovery"] = client.options().discovery ? "on" : "off";
  facts.settings["tls"] = client.options().target.tls ? "on" : "off";
  co_return facts;
}

}  // namespace drover::database::ydb
