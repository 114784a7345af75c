#include "ranks/link.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"

namespace drover::ranks {

using coro::Readiness;
using coro::Task;

namespace {

constexpr std::size_t length_bytes = 4;

std::string reason(int error) {
  return std::generic_category().message(error);
}

// A socket address of either family.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress address_of(const Endpoint& endpoint) {
  SocketAddress address;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (inet_pton(AF_INET, endpoint.host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(endpoint.port);
    std::memcpy(&address.storage, &four, sizeof four);
    address.length = sizeof four;
  } else if (inet_pton(AF_INET6, endpoint.host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(endpoint.port);
    std::memcpy(&address.storage, &six, sizeof six);
    address.length = sizeof six;
  } else {
    throw std::invalid_argument(fmt::format("{}: expected a numeric address", endpoint.host));
  }
  return address;
}

Endpoint endpoint_of(const sockaddr* address) {
  Endpoint endpoint;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, address, sizeof four);
    inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    endpoint.port = ntohs(four.sin_port);
  } else {
    sockaddr_in6 six{};
    std::memcpy(&six, address, sizeof six);
    inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
    endpoint.port = ntohs(six.sin6_port);
  }
  endpoint.host = text.data();
  return endpoint;
}

// Returns true for link-local addresses, which are valid on one network only.
bool is_of_one_link(const sockaddr* address) {
  if (address->sa_family != AF_INET6) return false;
  sockaddr_in6 six{};
  std::memcpy(&six, address, sizeof six);
  return IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr) != 0;
}

int type_of_ours() {
  return SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
}

void set_timeout(int socket, coro::Duration timeout) {
  const auto ms = static_cast<unsigned>(timeout / std::chrono::milliseconds(1));
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

// Sends small messages at once, and limits how long the kernel waits for a peer that is gone.
void set_up(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  set_timeout(socket, std::chrono::seconds(20));
}

// Reads CBOR up to a depth, because the reader uses stack for each level.
class ShallowReader : public nlohmann::detail::json_sax_dom_parser<Message> {
 public:
  explicit ShallowReader(Message& into) : json_sax_dom_parser(into, false) {}

  bool start_object(std::size_t size) {
    return ++depth_ <= depth_most && json_sax_dom_parser::start_object(size);
  }
  bool end_object() {
    --depth_;
    return json_sax_dom_parser::end_object();
  }
  bool start_array(std::size_t size) {
    return ++depth_ <= depth_most && json_sax_dom_parser::start_array(size);
  }
  bool end_array() {
    --depth_;
    return json_sax_dom_parser::end_array();
  }

 private:
  static constexpr int depth_most = 32;
  int depth_ = 0;
};

// Returns nothing if the bytes are not a message.
std::optional<Message> message_in(const std::string& bytes) {
  Message read;
  ShallowReader reader(read);
  try {
    if (!Message::sax_parse(bytes, &reader, Message::input_format_t::cbor)) return std::nullopt;
  } catch (const Message::exception&) {  // impossible sizes
    return std::nullopt;
  }
  if (kind_of(read).empty()) return std::nullopt;
  return read;
}

Task<void> connected(int socket, const SocketAddress& address) {
  if (connect(socket, address.get(), address.length) == 0) co_return;
  if (errno != EINPROGRESS) throw LinkError(reason(errno));
  coro::FdWatch writable(socket);
  co_await writable.ready(Readiness::write);
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) throw LinkError(reason(error));
}

Task<file::FileDescriptor> connect_to(Endpoint endpoint, coro::Duration timeout) {
  const SocketAddress address = address_of(endpoint);
  file::FileDescriptor socket(::socket(address.storage.ss_family, type_of_ours(), 0));
  if (!socket) throw LinkError(reason(errno));
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + timeout,
                                 connected(socket.get(), address));
  } catch (const coro::DeadlineExceeded&) {
    throw LinkError("no answer");
  }
  set_up(socket.get());
  co_return socket;
}

}  // namespace

Message message(std::string_view kind) {
  return {{"kind", kind}};
}

std::string kind_of(const Message& message) {
  if (!message.is_object()) return {};
  const auto found = message.find("kind");
  return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Link::Link(file::FileDescriptor socket)
    : socket_(std::move(socket)),
      for_writing_(fcntl(socket_.get(), F_DUPFD_CLOEXEC, 0)),
      readable_(socket_.get()),
      writable_(for_writing_.get()) {}

void Link::fail_after(coro::Duration silence_of_host) {
  set_timeout(socket_.get(), silence_of_host);
}

Task<void> Link::read(char* into, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = recv(socket_.get(), into, bytes, 0);
    if (got == 0) throw LinkError("the connection was closed");
    if (got > 0) {
      into += got;
      bytes -= static_cast<std::size_t>(got);
    } else if (errno == EAGAIN) {
      co_await readable_.ready(Readiness::read);
    } else if (errno != EINTR) {
      throw LinkError(reason(errno));
    }
  }
}

Task<Message> Link::receive(std::size_t bytes_max) {
  std::array<char, length_bytes> header{};
  co_await read(header.data(), header.size());
  std::uint32_t length = 0;
  std::memcpy(&length, header.data(), sizeof length);
  length = ntohl(length);
  if (length > bytes_max)
    throw LinkError(fmt::format("received a message of {} bytes, which is too long", length));
  std::string bytes(length, '\0');
  co_await read(bytes.data(), bytes.size());
  std::optional<Message> received = message_in(bytes);
  if (!received) throw LinkError("received data that is not a message");
  co_return std::move(*received);
}

void Link::send(const Message& message) {
  const std::vector<std::uint8_t> body = Message::to_cbor(message);
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(body.size()));
  std::string bytes(length_bytes + body.size(), '\0');
  std::memcpy(bytes.data(), &length, length_bytes);
  std::copy(body.begin(), body.end(), bytes.begin() + length_bytes);
  outbox_.push_back(std::move(bytes));
  more_.notify();
}

Task<void> Link::write_out() {
  for (;;) {
    while (!outbox_.empty()) {
      const std::string& first = outbox_.front();
      const ssize_t sent = ::send(for_writing_.get(), first.data() + sent_of_first_,
                                  first.size() - sent_of_first_, MSG_NOSIGNAL);
      if (sent >= 0) {
        sent_of_first_ += static_cast<std::size_t>(sent);
        if (sent_of_first_ < first.size()) continue;
        outbox_.pop_front();
        sent_of_first_ = 0;
      } else if (errno == EAGAIN) {
        co_await writable_.ready(Readiness::write);
      } else if (errno != EINTR) {
        throw LinkError(reason(errno));
      }
    }
    co_await more_.wait();
  }
}

std::string Endpoint::text() const {
  const bool is_six = host.find(':') != std::string::npos;
  return is_six ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

namespace {

// Removes the first element from a comma-separated list and returns it. Its host may be a name.
Endpoint take_endpoint(std::string_view& list) {
  const std::string_view one = list.substr(0, list.find(','));
  list.remove_prefix(std::min(one.size() + 1, list.size()));
  const std::size_t colon = one.rfind(':');
  std::string_view host = one.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  Endpoint endpoint{std::string(host), 0};
  const std::string_view port = colon == std::string_view::npos ? "" : one.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.begin(), port.end(), endpoint.port);
  if (error != std::errc() || end != port.end() || endpoint.port == 0 || host.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: expected a host and a port, such as 10.0.0.1:4711", one));
  }
  return endpoint;
}

void look_up(const Endpoint& named, std::vector<Endpoint>& endpoints) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int error = getaddrinfo(named.host.c_str(), nullptr, &wanted, &first);
  if (error != 0) {
    throw Unreachable(
        fmt::format("cannot reach the coordinator ({}: {})", named.text(), gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(first, freeaddrinfo);
  for (const addrinfo* one = first; one != nullptr; one = one->ai_next) {
    endpoints.push_back(endpoint_of(one->ai_addr));
    endpoints.back().port = named.port;
  }
}

}  // namespace

std::vector<Endpoint> parse_endpoints(std::string_view text) {
  std::vector<Endpoint> endpoints;
  while (!text.empty()) {
    endpoints.push_back(take_endpoint(text));
    address_of(endpoints.back());
  }
  return endpoints;
}

std::vector<Endpoint> looked_up(std::string_view text) {
  std::vector<Endpoint> endpoints;
  while (!text.empty()) look_up(take_endpoint(text), endpoints);
  return endpoints;
}

std::string endpoints_text(const std::vector<Endpoint>& endpoints) {
  std::string text;
  for (const Endpoint& one : endpoints) text += (text.empty() ? "" : ",") + one.text();
  return text;
}

Listener::Listener(const Endpoint& at) {
  // All addresses of both families, if the system has both.
  std::vector<Endpoint> places = {at};
  if (at.host.empty()) places = {{"::", at.port}, {"0.0.0.0", at.port}};
  int error = 0;
  for (const Endpoint& place : places) {
    const SocketAddress address = address_of(place);
    socket_.reset(::socket(address.storage.ss_family, type_of_ours(), 0));
    const int on = 1;
    const int off = 0;
    if (socket_) {
      setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      if (address.storage.ss_family == AF_INET6) {
        setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
      }
      if (bind(socket_.get(), address.get(), address.length) == 0 &&
          listen(socket_.get(), SOMAXCONN) == 0) {
        SocketAddress bound;
        bound.length = sizeof bound.storage;
        getsockname(socket_.get(), bound.get(), &bound.length);
        bound_ = endpoint_of(bound.get());
        return;
      }
    }
    error = errno;
  }
  throw std::system_error(error, std::generic_category(), "cannot listen on " + at.text());
}

std::vector<Endpoint> Listener::endpoints() const {
  const bool only_four = bound_.host == "0.0.0.0";
  if (!only_four && bound_.host != "::") return {bound_};
  std::vector<Endpoint> networks;
  std::vector<Endpoint> this_machine;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {{"127.0.0.1", bound_.port}};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(first, freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    const int family = one->ifa_addr->sa_family;
    if (family != AF_INET && (family != AF_INET6 || only_four)) continue;
    if (is_of_one_link(one->ifa_addr)) continue;
    Endpoint endpoint = endpoint_of(one->ifa_addr);
    endpoint.port = bound_.port;
    ((one->ifa_flags & IFF_LOOPBACK) != 0 ? this_machine : networks).push_back(std::move(endpoint));
  }
  networks.insert(networks.end(), this_machine.begin(), this_machine.end());
  return networks;
}

Task<file::FileDescriptor> Listener::accept() {
  coro::FdWatch readable(socket_.get());
  for (;;) {
    file::FileDescriptor socket(
        accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      set_up(socket.get());
      co_return socket;
    }
    // Without free descriptors, waits until some are closed.
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      co_await coro::sleep_for(std::chrono::milliseconds(100));
    }
    co_await readable.ready(Readiness::read);
  }
}

Task<file::FileDescriptor> connect_to_one_of(std::vector<Endpoint>& endpoints,
                                             coro::Duration timeout_each) {
  std::string failures;
  while (!endpoints.empty()) {
    const Endpoint endpoint = endpoints.front();
    endpoints.erase(endpoints.begin());
    try {
      co_return co_await connect_to(endpoint, timeout_each);
    } catch (const LinkError& error) {
      failures +=
          fmt::format("{}{}: {}", failures.empty() ? "" : "; ", endpoint.text(), error.what());
    }
  }
  throw LinkError(fmt::format("cannot reach the coordinator ({})", failures));
}

}  // namespace drover::ranks
