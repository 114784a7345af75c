// How a connection is opened: one host or several, timeouts, and why there is none.
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
  // A server that goes away while it greets us may come back; and so may one behind a proxy that
  // answers with something else.
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

// An option as it is in force: from the string, the service file, the variables or a default.
std::string option_of(PGconn* handle, std::string_view keyword) {
  return value_of(ConninfoOptions(PQconninfo(handle)), keyword);
}

std::string option_of(const std::string& conninfo, std::string_view keyword) {
  return value_of(options_in_force(conninfo), keyword);
}

std::chrono::seconds seconds_to_connect(const std::string& text) {
  int seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(seconds > 0 ? seconds : 10);
}

// The elements of libpq's lists, which know no quotes; none of an empty one.
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
  return std::find(elements.begin(), elements.end(), "") != elements.end();
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

bool is_port(std::string_view text) noexcept {
  const auto number = text::number_of<int>(text);
  return number && *number >= 1 && *number <= 65535;
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
};

struct Connection::Route {
  std::vector<Host> hosts;  // fewer than two: there is nothing to choose
  bool prefers_standby = false;

  template <class Source>
  static std::vector<Host> hosts_in(const Source& source);
};

// libpq says what is in force where it has been given the whole string.
template <class Source>
std::vector<Connection::Host> Connection::Route::hosts_in(const Source& source) {
  std::vector<std::string> names = elements_of(option_of(source, "host"));
  const std::vector<std::string> addresses = elements_of(option_of(source, "hostaddr"));
  const std::vector<std::string> ports = elements_of(option_of(source, "port"));
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
  constexpr const char* default_port = "5432";  // of an element, whatever PGPORT says
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

// libpq skips a host with an invalid port, and refuses the string if there is no other host.
void Connection::require_port(const Host& host) {
  if (host.port.empty() || is_port(host.port)) return;
  throw Error(ErrorClass::unavailable, "",
              fmt::format("{}: expected a port from 1 to 65535", host.description()));
}

Connection::Route Connection::route_of(PGconn* handle, std::optional<std::size_t> first_host) {
  Route route;
  route.hosts = Route::hosts_in(handle);
  if (route.hosts.size() < 2) return route;
  route.prefers_standby = option_of(handle, "target_session_attrs") == "prefer-standby";
  if (first_host) {
    const auto first = static_cast<std::ptrdiff_t>(*first_host % route.hosts.size());
    std::rotate(route.hosts.begin(), route.hosts.begin() + first, route.hosts.end());
  } else if (option_of(handle, "load_balance_hosts") == "random") {  // libpq 16 and later
    std::random_device seed;
    std::shuffle(route.hosts.begin(), route.hosts.end(), seed);
  }
  return route;
}

std::vector<std::string> Connection::hosts_of(const std::string& conninfo) {
  std::vector<std::string> names;
  for (const Host& host : Route::hosts_in(conninfo)) {
    names.push_back(fmt::format("{}:{}", host.name.empty() ? host.address : host.name,
                                host.port.empty() ? "5432" : host.port));
  }
  return names;
}

coro::Duration connect_timeout_of(const std::string& conninfo) {
  return seconds_to_connect(option_of(conninfo, "connect_timeout"));
}

// What is given here overrides what the string says. Whether it went wrong, connect_in_time() says.
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
  // A word alone is the name of a database. Anything else that libpq cannot read it quotes whole.
  if (conninfo.find_first_of("=:@") != std::string::npos) {
    if (const auto problem = conninfo_problem(conninfo)) {
      throw Error(ErrorClass::denied, "", *problem);
    }
  }
  std::unique_ptr<Connection> connection = start(conninfo, choice);
  Route route = route_of(connection->handle_, choice.first_host);
  if (route.hosts.size() > 1) {
    connection.reset();
    co_return co_await open_one_of(std::move(conninfo), std::move(choice), std::move(route));
  }
  co_await connection->connect_in_time(describe_conninfo(conninfo));
  co_return connection;
}

// libpq would go from host to host by itself, but whoever calls it without blocking has to keep the
// time, and cannot make it leave a host that is silent.
Task<std::unique_ptr<Connection>> Connection::open_one_of(std::string conninfo,
                                                          ConnectionChoice choice, Route route) {
  std::vector<const char*> passes = {nullptr};
  if (route.prefers_standby) passes = {"standby", "any"};
  std::string reasons;
  for (const char* session_attributes : passes) {
    reasons.clear();
    for (const Host& host : route.hosts) {
      std::optional<Error> error;
      try {
        require_port(host);
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
              fmt::format("cannot connect to any of {} hosts: {}", route.hosts.size(), reasons));
}

Task<void> Connection::connect_in_time(std::string whom) {
  if (PQstatus(handle_) == CONNECTION_BAD) throw start_failure(handle_);
  const std::chrono::seconds timeout = seconds_to_connect(option_of(handle_, "connect_timeout"));
  bool timed_out = false;
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + timeout, finish_connecting());
  } catch (const coro::DeadlineExceeded&) {
    timed_out = true;
  }
  if (timed_out) {
    throw Error(
        ErrorClass::unavailable, "",
        fmt::format("no connection to {} within {} s (connect_timeout)", whom, timeout.count()));
  }
}

Task<void> Connection::finish_connecting() {
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK) {
    {
      // libpq may close the socket and open another one of the same number: watch each anew.
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

}  // namespace drover::database::postgres
