// ScrapeServer: answers GET /metrics with what a collectable says, and nothing else.
//
// Two threads of low priority (nice 10) serve, one accepts: clients that are slow, or ask all the
// time, take little from the run. A client has a few seconds for its request; those that wait in
// line beyond the queues of civetweb (20) and of the kernel are refused. No file is ever read, no
// other method or path is answered, no script of a foreign web page may read the answer.
//
// Its threads take no signals, whatever the mask of the thread that makes it: SIGINT, SIGTERM and
// SIGWINCH are for others. While it lives, the process ignores SIGPIPE.
#pragma once

#include <prometheus/collectable.h>

#include <csignal>
#include <memory>

#include "metrics/listen_address.h"

namespace prometheus {
class Exposer;
}

namespace drover::metrics {

class ScrapeServer {
 public:
  // Throws std::runtime_error with the address and the reason if it cannot be listened on.
  // `collectable` is called on the threads of the server, as long as this lives.
  ScrapeServer(const ListenAddress& address, prometheus::Collectable& collectable);
  ScrapeServer(const ScrapeServer&) = delete;
  ScrapeServer& operator=(const ScrapeServer&) = delete;
  ~ScrapeServer();  // at once, or when a slow client has had its time

  // With the port that was taken, if it was to be any.
  const ListenAddress& address() const noexcept { return address_; }

 private:
  ListenAddress address_;
  std::shared_ptr<prometheus::Collectable> collectable_;  // of somebody else
  // civetweb's threads ignore SIGPIPE for the whole process, each when it begins: it can be as it
  // was only when they have ended.
  struct sigaction pipe_before_{};
  std::unique_ptr<prometheus::Exposer> exposer_;
};

}  // namespace drover::metrics
