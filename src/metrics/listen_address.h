// Where the metrics endpoint listens: an address of this machine and a port.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover::metrics {

struct ListenAddress {
  std::string host = "127.0.0.1";  // IPv4 or IPv6, in digits
  std::uint16_t port = 0;          // 0: any free one
  bool loopback = true;            // nobody reaches it but this machine

  // "127.0.0.1:9464", "[::1]:9464"
  std::string text() const;
};

// "9464", ":9464" and "localhost:9464" are 127.0.0.1; else "127.0.0.1:9464", "[::1]:9464",
// "0.0.0.0:9464" (every address of the machine). Names are not looked up. Nothing if it is no such
// address.
std::optional<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace drover::metrics
