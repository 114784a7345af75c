// The address of the metrics endpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover::metrics {

struct ListenAddress {
  std::string host = "127.0.0.1";  // IPv4 or IPv6, in digits
  std::uint16_t port = 0;          // 0: any free port
  bool loopback = true;            // only this machine can reach the address

  // "127.0.0.1:9464", "[::1]:9464"
  std::string text() const;
};

// Parses "127.0.0.1:9464", "[::1]:9464", "0.0.0.0:9464" (all addresses of the machine), and "9464",
// ":9464" and "localhost:9464", which mean 127.0.0.1. Does not look up names. Returns none for
// other texts.
std::optional<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace drover::metrics
