// Link: messages between two processes of a run that several hosts make, over TCP. A message is a JSON object whose member
// "kind" says what it is; on the wire it is CBOR behind its length.
//
// Lives on one worker. Nothing of the other side is believed: a message that is too long, or is none, is an error.
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

// Message{{"kind", kind}, …}, and back; empty if it has none.
Message message(std::string_view kind);
std::string kind_of(const Message& message);

// What is wrong with a link, in words for people.
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

// Before the other side has shown that it belongs to the run, and after it.
inline constexpr std::size_t first_message_bytes_max = 64 * 1024;
inline constexpr std::size_t message_bytes_max = std::size_t{512} << 20;

class Link : coro::Pinned {
 public:
  // Takes a socket that is connected and does not block.
  explicit Link(file::FileDescriptor socket);

  // It fails when the other host acknowledges nothing of what was sent for so long, or takes nothing more.
  void fail_after(coro::Duration silence_of_host);

  // The next message. Throws LinkError, also where the other side has closed.
  coro::Task<Message> receive(std::size_t bytes_max = message_bytes_max);

  // Puts it behind those that are to be sent; write_out() sends them.
  void send(const Message& message);
  // Until it is cancelled, or the link fails: throws LinkError.
  coro::Task<void> write_out();
  // All that send() was given is on its way.
  bool is_empty() const noexcept { return outbox_.empty(); }

 private:
  coro::Task<void> read(char* into, std::size_t bytes);

  const file::FileDescriptor socket_;
  const file::FileDescriptor for_writing_;  // the same one: a watch has one waiter
  coro::FdWatch readable_;
  coro::FdWatch writable_;
  std::deque<std::string> outbox_;  // the first one may be sent in part
  std::size_t sent_of_first_ = 0;
  coro::Notification more_;
};

// "[fd00::1]:4711", "10.0.0.1:4711"
struct Endpoint {
  std::string host;  // an address in digits
  std::uint16_t port = 0;

  std::string text() const;
  bool operator==(const Endpoint&) const = default;
};

// A list of them, with commas. Throws std::invalid_argument.
std::vector<Endpoint> parse_endpoints(std::string_view text);
// Reads a list whose hosts may be names, and looks these up. Each name may have several addresses.
// Blocks. Throws std::invalid_argument for an invalid list, and Unreachable for a name that is
// unknown, which may be temporary.
std::vector<Endpoint> looked_up(std::string_view text);
std::string endpoints_text(const std::vector<Endpoint>& endpoints);

// A socket that listens. Throws std::system_error. An empty host is every address of this machine, port 0 any free one.
class Listener {
 public:
  // No host, "0.0.0.0" and "::" are every address.
  explicit Listener(const Endpoint& at);

  // Those by which others may reach it, those of networks before those of this machine alone.
  std::vector<Endpoint> endpoints() const;
  // The next one who connects.
  coro::Task<file::FileDescriptor> accept();

 private:
  file::FileDescriptor socket_;
  Endpoint bound_;
};

// Tries them in turn, each for so long, and takes away those that it has tried. Throws LinkError, which says of each why
// not.
coro::Task<file::FileDescriptor> connect_to_one_of(std::vector<Endpoint>& endpoints,
                                                   coro::Duration patience_each);

}  // namespace drover::ranks
