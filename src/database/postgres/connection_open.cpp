// Opens connections: to one host or several, with time limits and passwords, and classifies
// failures.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/deadline.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/postgres/conninfo.h"
#include "text/plain_text.h"

namespace drover::database::postgres {

std::string one_line(const char* text) {
  std::string_view rest = text != nullptr ? text : "";
  std::vector<std::string_view> lines;
  std::string all;
  while (!rest.empty() && all.size() <= message_bytes_max) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (std::find(lines.begin(), lines.end(), line) != lines.end()) continue;
    lines.push_back(line);
    all.append(line).push_back('\n');
  }
  return database::one_line(all);
}

namespace {

using coro::Readiness;
using coro::Task;

// Classes texts of libpq, which are English here because Drover does not call
// setlocale(LC_MESSAGES), and of poolers, which are always English. Refusals by a server are
// classed by SQLSTATE.
ErrorClass classify_english(std::string_view message) noexcept {
  // A server that disappears during the greeting may come back, also behind a proxy that answers
  // something else.
  for (const std::string_view sign :
       {"SSL SYSCALL error", "unexpected eof", "closed unexpectedly", "could not send",
        "invalid response to", "Too many open files", "invalid message"}) {
    if (message.find(sign) != std::string_view::npos) return ErrorClass::unavailable;
  }
  for (const std::string_view sign : {"authentication failed", "does not exist", "no such database",
                                      "no such user", "certificate", "SSL", "invalid "}) {
    if (message.find(sign) != std::string_view::npos) return ErrorClass::denied;
  }
  return ErrorClass::unavailable;
}

// The SQLSTATE and message with which a server refused a connection.
struct ConnectRefusal {
  std::string sqlstate;  // empty if no server answered
  std::string message;
};

// Returns the position of ":  28P01: ", which follows the severity in a verbose message, or npos.
std::size_t find_sqlstate(std::string_view line) noexcept {
  constexpr std::string_view before = ":  ";
  constexpr std::size_t length = 5;
  const auto is_of_sqlstate = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
  };
  for (auto at = line.find(before); at != line.npos; at = line.find(before, at + 1)) {
    const std::string_view rest = line.substr(at + before.size());
    if (rest.size() > length + 1 && rest.substr(length, 2) == ": " &&
        std::ranges::all_of(rest.substr(0, length), is_of_sqlstate)) {
      return at + before.size();
    }
  }
  return line.npos;
}

// libpq reports the SQLSTATE of a refused connection only within its verbose message, such as
// "FATAL:  28P01: password …". Returns that SQLSTATE, and the message without it and without the
// position in the server's source. If there were several attempts, the last one counts.
ConnectRefusal refusal_in(std::string_view verbose) {
  ConnectRefusal refusal;
  while (!verbose.empty()) {
    std::string line(verbose.substr(0, verbose.find('\n')));
    verbose.remove_prefix(std::min(line.size() + 1, verbose.size()));
    if (line.starts_with("LOCATION:  ")) continue;
    if (const auto at = find_sqlstate(line); at != line.npos) {
      refusal.sqlstate = line.substr(at, 5);
      line.erase(at, 7);
    }
    refusal.message += line + '\n';
  }
  refusal.message = one_line(refusal.message.c_str());
  return refusal;
}

ErrorClass classify_refusal(const ConnectRefusal& refusal) noexcept {
  // PgBouncer and pgpool-II use this SQLSTATE for nearly every refusal.
  constexpr std::string_view protocol_violation = "08P01";
  if (refusal.sqlstate.empty() || refusal.sqlstate == protocol_violation) {
    return classify_english(refusal.message);
  }
  const ErrorClass error_class = classify_sqlstate(refusal.sqlstate);
  const std::string_view family = std::string_view(refusal.sqlstate).substr(0, 2);
  // The server does not know a parameter of the connection string, or refuses its value.
  const bool is_wrong_parameter = family == "22" || family == "42" || family == "0A";
  return error_class == ErrorClass::denied || is_wrong_parameter ? ErrorClass::denied
                                                                 : ErrorClass::unavailable;
}

Error connect_failure(PGconn* handle) {
  const char* said = PQerrorMessage(handle);
  ConnectRefusal refusal = refusal_in(said != nullptr ? said : "");
  const ErrorClass error_class =
      PQconnectionNeedsPassword(handle) != 0 ? ErrorClass::denied : classify_refusal(refusal);
  std::string& message = refusal.message;
  if (!refusal.sqlstate.empty()) message += fmt::format(" [SQLSTATE {}]", refusal.sqlstate);
  if (message.find("Too many open files") != std::string::npos) {
    message += ". Raise the limit of this process with ulimit -n, or use fewer connections";
  }
  return {error_class, refusal.sqlstate, message};
}

// Returns the failure of PQconnectStartParams(). If libpq refused an option, the message begins
// with the option of Drover that contains it.
Error start_failure(PGconn* handle) {
  Error error = connect_failure(handle);
  const std::string_view message = error.what();
  if (!message.starts_with("invalid ") && !message.starts_with("could not match ")) return error;
  return {ErrorClass::denied, "", fmt::format("--db: {}", message)};
}

std::chrono::seconds timeout_in(const ConninfoOptions& options) {
  const std::string text = value_of(options, "connect_timeout");
  int seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(seconds > 0 ? seconds : 10);
}

// Returns the elements of a list of libpq, which has no quotes.
std::vector<std::string> elements_of(std::string_view list) {
  std::vector<std::string> elements;
  while (!list.empty()) {
    const auto comma = list.find(',');
    elements.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
    if (list.empty()) elements.emplace_back();
  }
  return elements;
}

bool has_gap(const std::vector<std::string>& elements) {
  return std::ranges::find(elements, "") != elements.end();
}

// Returns the host that libpq connects to if none is given: a folder of sockets, or localhost.
// Empty if libpq does not tell.
std::string default_host() {
  // A list of empty elements, so that libpq ignores PGHOST. No server is expected at port 1.
  const char* const keywords[] = {"host", "port", nullptr};
  const char* const values[] = {",", "1", nullptr};
  PGconn* const handle = PQconnectStartParams(keywords, values, 0);
  const char* const host = PQhost(handle);
  std::string name = host != nullptr ? host : "";
  PQfinish(handle);
  return name;
}

const char* or_null(const std::string& text) noexcept {
  return text.empty() ? nullptr : text.c_str();
}

}  // namespace

struct Connection::Host {
  std::string name;
  std::string address;  // hostaddr
  std::string port;     // empty: the default
  std::size_t number = 0;

  std::string description() const {
    return fmt::format("host={}{}{}", name.empty() ? address : name,
                       port.empty() ? "" : " port=", port);
  }

  // libpq skips a host with an invalid port, and refuses the string if there is no other host.
  void require_port() const {
    if (port.empty()) return;
    const auto parsed = text::number_of<int>(port);
    if (parsed && *parsed >= 1 && *parsed <= 65535) return;
    throw Error(ErrorClass::unavailable, "",
                fmt::format("{}: expected a port from 1 to 65535", description()));
  }
};

std::vector<Connection::Host> Connection::hosts_in(const ConninfoOptions& options) {
  std::vector<std::string> names = elements_of(value_of(options, "host"));
  const std::vector<std::string> addresses = elements_of(value_of(options, "hostaddr"));
  const std::vector<std::string> ports = elements_of(value_of(options, "port"));
  const std::size_t count = addresses.empty() ? names.size() : addresses.size();
  const bool matches =
      (names.empty() || names.size() == count) && (ports.size() <= 1 || ports.size() == count);
  // libpq itself refuses lists of different lengths.
  if (!matches || has_gap(addresses)) return {};
  if (addresses.empty() && has_gap(names)) {
    const std::string named = default_host();
    if (named.empty()) return {};
    std::ranges::replace(names, std::string(), named);
  }
  constexpr const char* default_port = "5432";  // of an empty element, also with PGPORT
  std::vector<Host> hosts;
  for (std::size_t i = 0; i < count; ++i) {
    Host& host = hosts.emplace_back();
    host.number = i;
    if (!names.empty()) host.name = names[i];
    if (!addresses.empty()) host.address = addresses[i];
    if (ports.empty()) continue;
    host.port = ports[ports.size() == 1 ? 0 : i];
    if (host.port.empty()) host.port = default_port;
  }
  return hosts;
}

std::vector<std::string> Connection::hosts_of(const std::string& conninfo) {
  std::vector<std::string> names;
  for (const Host& host : hosts_in(options_in_force(conninfo))) {
    names.push_back(fmt::format("{}:{}", host.name.empty() ? host.address : host.name,
                                host.port.empty() ? "5432" : host.port));
  }
  return names;
}

coro::Duration connect_timeout_of(const std::string& conninfo) {
  return timeout_in(options_in_force(conninfo));
}

// Starts to connect. Later options override the string. connect_in_time() reports a failure.
std::unique_ptr<Connection> Connection::start(const std::string& conninfo,
                                              const ConnectionChoice& choice, const Host* host,
                                              const char* session_attributes) {
  const char* const keywords[] = {
      "dbname", "fallback_application_name", "client_encoding", "host", "hostaddr",
      "port",   "target_session_attrs",      "password",        nullptr};
  const char* const values[] = {conninfo.c_str(),
                                "drover",
                                "UTF8",
                                host != nullptr ? or_null(host->name) : nullptr,
                                host != nullptr ? or_null(host->address) : nullptr,
                                host != nullptr ? or_null(host->port) : nullptr,
                                session_attributes,
                                choice.password ? choice.password->c_str() : nullptr,
                                nullptr};
  PGconn* handle = PQconnectStartParams(keywords, values, 1);
  if (handle == nullptr) throw std::bad_alloc();
  std::unique_ptr<Connection> connection(new Connection(handle));
  PQsetNoticeReceiver(handle, on_notice, connection.get());
  PQsetErrorVerbosity(handle, PQERRORS_VERBOSE);  // with the SQLSTATE (connect_failure)
  return connection;
}

Task<std::unique_ptr<Connection>> Connection::open(std::string conninfo, ConnectionChoice choice) {
  // A single word is the name of a database. libpq quotes the whole of a text that it cannot read.
  if (conninfo.find_first_of("=:@") != std::string::npos) {
    if (const auto problem = conninfo_problem(conninfo)) {
      throw Error(ErrorClass::denied, "", *problem);
    }
  }
  std::unique_ptr<Connection> connection = start(conninfo, choice);
  const ConninfoOptions options(PQconninfo(connection->handle_));
  std::vector<Host> hosts = hosts_in(options);
  if (hosts.size() < 2) {
    co_await connection->connect_in_time(describe_conninfo(conninfo));
    co_return connection;
  }
  connection.reset();
  if (choice.first_host) {
    std::ranges::rotate(
        hosts, hosts.begin() + static_cast<std::ptrdiff_t>(*choice.first_host % hosts.size()));
  } else if (value_of(options, "load_balance_hosts") == "random") {  // libpq 16 and later
    std::random_device seed;
    std::ranges::shuffle(hosts, seed);
  }
  std::vector<const char*> passes = {nullptr};
  if (value_of(options, "target_session_attrs") == "prefer-standby") passes = {"standby", "any"};
  co_return co_await open_one_of(std::move(conninfo), std::move(choice), std::move(hosts),
                                 std::move(passes));
}

// Tries the hosts one by one, because non-blocking libpq has no time limit for each host.
Task<std::unique_ptr<Connection>> Connection::open_one_of(std::string conninfo,
                                                          ConnectionChoice choice,
                                                          std::vector<Host> hosts,
                                                          std::vector<const char*> passes) {
  std::string reasons;
  for (const char* session_attributes : passes) {
    reasons.clear();
    for (const Host& host : hosts) {
      std::optional<Error> error;
      try {
        host.require_port();
        std::unique_ptr<Connection> connection = start(conninfo, choice, &host, session_attributes);
        connection->host_ = host.number;
        co_await connection->connect_in_time(host.description());
        co_return connection;
      } catch (const Error& thrown) {
        error = thrown;
      }
      if (!reasons.empty()) reasons += "; ";
      reasons += error->what();
      if (error->error_class() == ErrorClass::denied) {
        throw Error(ErrorClass::denied, error->sqlstate(), reasons);
      }
    }
  }
  throw Error(ErrorClass::unavailable, "",
              fmt::format("cannot connect to any of {} hosts: {}", hosts.size(), reasons));
}

Task<void> Connection::connect_in_time(std::string whom) {
  if (PQstatus(handle_) == CONNECTION_BAD) throw start_failure(handle_);
  const std::chrono::seconds timeout = timeout_in(ConninfoOptions(PQconninfo(handle_)));
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + timeout, finish_connecting());
  } catch (const coro::DeadlineExceeded&) {
    throw Error(
        ErrorClass::unavailable, "",
        fmt::format("no connection to {} within {} s (connect_timeout)", whom, timeout.count()));
  }
}

Task<void> Connection::finish_connecting() {
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK) {
    {
      // libpq may reopen the socket with the same number, so each step needs a new watch.
      coro::FdWatch watch(PQsocket(handle_));
      co_await watch.ready(status == PGRES_POLLING_READING ? Readiness::read : Readiness::write);
    }
    status = PQconnectPoll(handle_);
    if (status == PGRES_POLLING_FAILED) throw connect_failure(handle_);
  }
  PQsetErrorVerbosity(handle_, PQERRORS_DEFAULT);
  PQsetnonblocking(handle_, 1);
  watch_.emplace(PQsocket(handle_));
}

Task<std::unique_ptr<Connection>> open(Access access) {
  ConnectionChoice choice{.password = {}, .first_host = access.first_host};
  if (access.password_command.empty()) {
    co_return co_await Connection::open(std::move(access.conninfo), std::move(choice));
  }
  choice.password = co_await ask_password(std::move(access.password_command),
                                          connect_timeout_of(access.conninfo));
  try {
    co_return co_await Connection::open(std::move(access.conninfo), std::move(choice));
  } catch (const Error& error) {
    // PgBouncer refuses a password with 08P01, and a server with 28P01.
    const bool is_refused_password =
        error.sqlstate() == "28P01" ||
        (error.sqlstate() == "08P01" && error.error_class() == ErrorClass::denied);
    if (!is_refused_password) throw;
    throw Error(ErrorClass::unavailable, error.sqlstate(), error.what());
  }
}

}  // namespace drover::database::postgres
