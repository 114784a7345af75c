#include "database/ydb/client.h"

#include <algorithm>
#include <ctime>
#include <tuple>
#include <utility>
#include <vector>

#include "auth.pb.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/ydb/call/call.h"
#include "discovery.pb.h"
#include "operation.pb.h"

namespace drover::database::ydb {

using coro::Duration;
using coro::Instant;
using coro::Task;
using coro::Worker;
using Ydb::Operations::Operation;

namespace {

constexpr Duration poll_first = std::chrono::milliseconds(50);
constexpr Duration poll_most = std::chrono::seconds(1);
constexpr Duration pause_after_failure = std::chrono::seconds(10);

}  // namespace

Client::Client(ClientOptions options) : options_(std::move(options)), endpoints_(options_.seed) {
  set_token(options_.credentials.token);
  endpoints_.replace({target_endpoint()});
}

Client::~Client() = default;

Endpoint Client::target_endpoint() const {
  return {.authority = options_.target.authority(), .tls = options_.target.tls};
}

void Client::set_token(const std::string& token) {
  const std::string& database = options_.target.database;
  metadata_ = std::make_shared<CallMetadata>(database, token, false);
  opening_metadata_ = std::make_shared<CallMetadata>(database, token, options_.discovery);
}

Task<void> Client::connect() {
  if (logs_in()) co_await log_in();
  if (options_.discovery) co_await discover();
}

Task<void> Client::keep_up() {
  auto keep_both = [this](coro::Scope& scope) -> Task<void> {
    if (options_.discovery) scope.start(keep_discovering());
    if (logs_in()) scope.start(keep_logged_in());
    co_return;
  };
  co_await coro::with_scope(keep_both);
}

Task<void> Client::keep_discovering() {
  for (;;) {
    co_await coro::sleep_for(options_.discovery_interval);
    try {
      co_await discover();
    } catch (const YdbError&) {
      // The known nodes may still be right.
    }
  }
}

Task<void> Client::keep_logged_in() {
  for (;;) {
    co_await coro::sleep_until(renew_at_);
    try {
      co_await log_in();
    } catch (const YdbError&) {
      // The present token is still valid for some time.
      renew_at_ = Worker::current().now() + pause_after_failure;
    }
  }
}

// Sends a request to the target's host, before a session is open.
template <class Result>
Task<Result> Client::ask_target(Method method, const google::protobuf::MessageLite& request) {
  const auto channel = channel_to(target_endpoint());
  const Operation operation =
      co_await operate_on(channel, method, request, options_.opening_timeout, Stage::opening);
  co_return result_of<Result>(operation, method, channel->authority(), Stage::opening);
}

Task<void> Client::log_in() {
  Ydb::Auth::LoginRequest request;
  request.set_user(options_.credentials.user);
  request.set_password(options_.credentials.password);
  const auto result = co_await ask_target<Ydb::Auth::LoginResult>(Method::login, request);
  set_token(result.token());
  renew_at_ = Worker::current().now() + renew_token_after(result.token(), std::time(nullptr));
  ++logins_;
}

Task<void> Client::discover() {
  Ydb::Discovery::ListEndpointsRequest request;
  request.set_database(options_.target.database);
  const auto result =
      co_await ask_target<Ydb::Discovery::ListEndpointsResult>(Method::list_endpoints, request);
  std::vector<Endpoint> found;
  for (const Ydb::Discovery::EndpointInfo& info : result.endpoints()) {
    if (info.address().empty() || info.port() == 0 || info.port() > 65535) continue;
    found.push_back({.authority = authority_of(info.address(), info.port()),
                     .tls = options_.target.tls || info.ssl(),
                     .server_name = info.ssl_target_name_override(),
                     .node_id = info.node_id(),
                     .load = info.load_factor()});
  }
  // A database without nodes of its own is served by the target.
  if (found.empty()) found.push_back(target_endpoint());
  endpoints_.replace(std::move(found));
  forget_unused_channels();
  ++discoveries_;
}

Task<void> Client::ask(Channel& channel, Method method,
                       const google::protobuf::MessageLite& request,
                       google::protobuf::MessageLite& response, SharedMetadata metadata,
                       Duration timeout, Stage stage) {
  Call call(channel, method, request, std::move(metadata), timeout);
  co_await call;
  try {
    call.require_transport(stage);
    call.parse_message(0, response, stage);
  } catch (const YdbError& error) {
    note_failure(channel, error);
    throw;
  }
}

Task<Operation> Client::begin_operation(Channel& channel, Method method,
                                        const google::protobuf::MessageLite& request,
                                        Duration timeout, Stage stage) {
  // Every reply with an operation has the operation as its only field.
  Ydb::Operations::GetOperationResponse response;
  co_await ask(channel, method, request, response, metadata_, timeout, stage);
  co_return std::move(*response.mutable_operation());
}

Task<Operation> Client::operate(Method method, const google::protobuf::MessageLite& request) {
  return operate_on(choose_channel(), method, request, options_.request_timeout, Stage::working);
}

Task<Operation> Client::operate_on(std::shared_ptr<Channel> channel, Method method,
                                   const google::protobuf::MessageLite& request, Duration timeout,
                                   Stage stage) {
  Operation operation = co_await begin_operation(*channel, method, request, timeout, stage);
  const Instant begun = Worker::current().now();
  for (Duration pause = poll_first; !operation.ready(); pause = std::min(2 * pause, poll_most)) {
    if (timeout > Duration::zero() && Worker::current().now() - begun >= timeout) {
      throw transport_error(TransportStatus::deadline_exceeded,
                            "the server did not finish the operation in time", method,
                            channel->authority(), stage);
    }
    co_await coro::sleep_for(pause);
    Ydb::Operations::GetOperationRequest poll;
    poll.set_id(operation.id());
    operation = co_await begin_operation(*channel, Method::get_operation, poll, timeout, stage);
  }
  require_success(operation, method, stage);
  co_return operation;
}

Task<void> Client::cancel_operation(std::string id) {
  const auto channel = choose_channel();
  Ydb::Operations::CancelOperationRequest request;
  request.set_id(std::move(id));
  Ydb::Operations::CancelOperationResponse response;
  co_await ask(*channel, Method::cancel_operation, request, response, metadata_,
               options_.request_timeout, Stage::working);
  require_success(response, Method::cancel_operation, Stage::working);
}

std::shared_ptr<Channel> Client::channel_to(const Endpoint& endpoint) {
  std::shared_ptr<Channel>& channel = channels_[endpoint.authority];
  if (!channel) {
    channel = std::make_shared<Channel>(completions_, endpoint, options_.credentials.ca_pem);
  }
  return channel;
}

std::shared_ptr<Channel> Client::choose_channel() {
  const Endpoint* endpoint = endpoints_.choose();
  return channel_to(endpoint != nullptr ? *endpoint : target_endpoint());
}

Client::NodeLease::NodeLease(Client& client, std::shared_ptr<Channel> channel)
    : client_(client), channel_(std::move(channel)) {
  client_.endpoints_.session_opened(channel_->authority());
}

Client::NodeLease::~NodeLease() {
  if (channel_) client_.endpoints_.session_closed(channel_->authority());
}

std::optional<Client::NodeLease> Client::lease_node(std::uint32_t node_id) {
  const Endpoint* endpoint = endpoints_.of_node(node_id);
  if (endpoint == nullptr) return std::nullopt;
  return NodeLease(*this, channel_to(*endpoint));
}

// Forgets the channels of nodes that have gone, unless a session still uses them.
void Client::forget_unused_channels() {
  const std::vector<Endpoint>& known = endpoints_.list();
  const std::string target = options_.target.authority();
  std::erase_if(channels_, [&](const auto& entry) {
    return entry.second.use_count() == 1 && entry.first != target &&
           std::ranges::find(known, entry.first, &Endpoint::authority) == known.end();
  });
}

void Client::note_failure(const Channel& channel, const YdbError& error) noexcept {
  // A timeout or a cancellation does not say that the node failed.
  const TransportStatus status = error.transport();
  if (!ends_session(status) || status == TransportStatus::deadline_exceeded ||
      status == TransportStatus::cancelled) {
    return;
  }
  avoid(channel);
}

void Endpoints::replace(std::vector<Endpoint> endpoints) {
  constexpr std::size_t endpoints_most = 1000;
  if (endpoints.size() > endpoints_most) endpoints.resize(endpoints_most);
  endpoints_ = std::move(endpoints);
  demoted_.clear();
  std::erase_if(sessions_, [](const auto& entry) { return entry.second == 0; });
}

const Endpoint* Endpoints::choose() {
  using Rank = std::tuple<bool, float, std::size_t>;
  std::vector<const Endpoint*> best;
  Rank best_rank;
  for (const Endpoint& endpoint : endpoints_) {
    const auto opened = sessions_.find(endpoint.authority);
    const Rank rank(demoted_.contains(endpoint.authority), endpoint.load,
                    opened == sessions_.end() ? 0 : opened->second);
    if (best.empty() || rank < best_rank) {
      best.clear();
      best_rank = rank;
    }
    if (rank == best_rank) best.push_back(&endpoint);
  }
  if (best.empty()) return nullptr;
  return best[std::uniform_int_distribution<std::size_t>(0, best.size() - 1)(random_)];
}

const Endpoint* Endpoints::of_node(std::uint32_t node_id) const noexcept {
  if (node_id == 0) return nullptr;
  const auto place = std::ranges::find(endpoints_, node_id, &Endpoint::node_id);
  return place == endpoints_.end() ? nullptr : &*place;
}

void Endpoints::session_closed(const std::string& authority) noexcept {
  const auto place = sessions_.find(authority);
  if (place != sessions_.end() && place->second > 0) --place->second;
}

}  // namespace drover::database::ydb
