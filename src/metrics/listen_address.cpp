#include "metrics/listen_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>

#include "text/plain_text.h"

namespace drover::metrics {
namespace {

// Sets the host in the canonical form of the address.
bool parse_host(int family, const std::string& text, ListenAddress& address) {
  std::array<unsigned char, sizeof(in6_addr)> binary{};
  if (inet_pton(family, text.c_str(), binary.data()) != 1) return false;
  std::array<char, INET6_ADDRSTRLEN> host{};
  address.host = inet_ntop(family, binary.data(), host.data(), host.size());
  constexpr std::array<unsigned char, sizeof(in6_addr)> loopback = {0, 0, 0, 0, 0, 0, 0, 0,
                                                                    0, 0, 0, 0, 0, 0, 0, 1};
  address.loopback = family == AF_INET ? binary[0] == 127 : binary == loopback;
  return true;
}

}  // namespace

std::string ListenAddress::text() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
  ListenAddress address;
  const std::size_t colon = text.rfind(':');
  const std::string_view digits = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const auto port = text::number_of<std::uint16_t>(digits);
  if (!port) return std::nullopt;
  address.port = *port;
  const std::string host(colon == std::string_view::npos ? "" : text.substr(0, colon));
  if (host.empty() || host == "localhost") return address;
  if (host.find('\0') != std::string::npos)
    return std::nullopt;  // inet_pton() would ignore the text after it
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const bool known = brackets ? parse_host(AF_INET6, host.substr(1, host.size() - 2), address)
                              : parse_host(AF_INET, host, address);
  if (!known) return std::nullopt;
  return address;
}

}  // namespace drover::metrics
