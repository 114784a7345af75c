// Endpoints: the nodes of a database, and on which of them the next session goes.
//
// A choice is random among the nodes of the least load, and of these among the ones on which we
// have the fewest sessions. A node whose connection has failed, or that is about to shut down, is
// left out until the next discovery, unless there is no other.
//
// Pure; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace drover::database::ydb {

struct Endpoint {
  std::string authority;  // "host:port"
  bool tls = false;
  std::string server_name = {};  // in its certificate, where it is not the host
  std::uint32_t node_id = 0;     // 0: not known
  float load = 0;                // load_factor: the less the better

  bool operator==(const Endpoint&) const = default;
};

class Endpoints {
 public:
  explicit Endpoints(std::uint64_t seed)
      : random_(static_cast<std::minstd_rand::result_type>(seed)) {}

  // What a discovery has found. Forgets who was left out; sessions stay counted. Of more than 1000
  // endpoints the first ones are kept.
  void replace(std::vector<Endpoint> endpoints);

  // Null if there is none. Valid until the next replace().
  const Endpoint* choose();

  // Null if it is not there.
  const Endpoint* of_node(std::uint32_t node_id) const noexcept;

  // Leaves it out until the next replace().
  void demote(const std::string& authority) { demoted_.insert(authority); }

  void session_opened(const std::string& authority) { ++sessions_[authority]; }
  void session_closed(const std::string& authority) noexcept;

  std::size_t size() const noexcept { return endpoints_.size(); }
  const std::vector<Endpoint>& list() const noexcept { return endpoints_; }

 private:
  std::size_t sessions_of(const std::string& authority) const noexcept;

  std::vector<Endpoint> endpoints_;
  std::set<std::string> demoted_;                // by authority
  std::map<std::string, std::size_t> sessions_;  // the same; they outlive their node's place above
  std::minstd_rand random_;
};

}  // namespace drover::database::ydb
