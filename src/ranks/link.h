// Link: messages over TCP between two processes of a distributed run. A message is a JSON object
// whose member "kind" names its type. It is sent as CBOR after its length.
//
// Lives on one worker. The other side is not trusted: a message that is too long, or malformed, is
// an error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "coro/detail/intrusive.h"
#include "coro/event.h"
#include "coro/fd_watch.h"
#include "coro/task.h"
#include "file/file_descriptor.h"

namespace drover::ranks {

using Message = nlohmann::json;

// Return a message of this kind, and the kind of a message (empty if it has none).
Message message(std::string_view kind);
std::string kind_of(const Message& message);

// An error of a connection, with a text for the user.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The error of a connection whose other side does not answer. The other process may not have
// started yet.
class Unreachable : public LinkError {
 public:
  using LinkError::LinkError;
};

// Size limits, before and after the other side has proved that it belongs to the run.
inline constexpr std::size_t first_message_bytes_max = 64 * 1024;
inline constexpr std::size_t message_bytes_max = std::size_t{512} << 20;

class Link : coro::Pinned {
 public:
  // Requires: the socket is connected and non-blocking.
  explicit Link(file::FileDescriptor socket);

  // Makes the link fail if the other host does not acknowledge sent data for this long.
  void fail_after(coro::Duration silence_of_host);

  // Waits for the next message. Throws LinkError, also if the other side closed the connection.
  coro::Task<Message> receive(std::size_t bytes_max = message_bytes_max);

  // Queues a message, which write_out() sends.
  void send(const Message& message);
  // Sends queued messages until it is cancelled. Throws LinkError if the link fails.
  coro::Task<void> write_out();
  // Returns true if all queued messages were sent.
  bool is_empty() const noexcept { return outbox_.empty(); }

 private:
  coro::Task<void> read(char* into, std::size_t bytes);

  const file::FileDescriptor socket_;
  const file::FileDescriptor for_writing_;  // a duplicate, because a watch has one waiter
  coro::FdWatch readable_;
  coro::FdWatch writable_;
  std::deque<std::string> outbox_;  // part of the first message may have been sent
  std::size_t sent_of_first_ = 0;
  coro::Notification more_;
};

// An address such as "[fd00::1]:4711" or "10.0.0.1:4711".
struct Endpoint {
  std::string host;  // numeric
  std::uint16_t port = 0;

  std::string text() const;
  bool operator==(const Endpoint&) const = default;
};

// Reads a comma-separated list. Throws std::invalid_argument.
std::vector<Endpoint> parse_endpoints(std::string_view text);
// Reads a list whose hosts may be names, and looks these up. Each name may have several addresses.
// Blocks. Throws std::invalid_argument for an invalid list, and Unreachable for a name that is
// unknown, which may be temporary.
std::vector<Endpoint> looked_up(std::string_view text);
std::string endpoints_text(const std::vector<Endpoint>& endpoints);

// A listening socket.
class Listener {
 public:
  // An empty host, "0.0.0.0" and "::" mean all addresses of this machine. Port 0 means any free
  // port. Throws std::system_error.
  explicit Listener(const Endpoint& at);

  // Returns the addresses of this socket, network addresses before loopback addresses.
  std::vector<Endpoint> endpoints() const;
  // Waits for the next connection.
  coro::Task<file::FileDescriptor> accept();

 private:
  file::FileDescriptor socket_;
  Endpoint bound_;
};

// Connects to the first endpoint that answers, and removes the tried ones from the list. Throws
// LinkError with the reason of each endpoint.
coro::Task<file::FileDescriptor> connect_to_one_of(std::vector<Endpoint>& endpoints,
                                                   coro::Duration timeout_each);

}  // namespace drover::ranks
