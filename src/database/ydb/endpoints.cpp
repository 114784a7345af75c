#include "database/ydb/endpoints.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace drover::database::ydb {
namespace {

constexpr std::size_t endpoints_most = 1000;

}  // namespace

void Endpoints::replace(std::vector<Endpoint> endpoints) {
  if (endpoints.size() > endpoints_most) endpoints.resize(endpoints_most);
  entries_.clear();
  for (Endpoint& endpoint : endpoints) entries_.push_back({std::move(endpoint)});
  std::erase_if(counts_, [](const Count& count) { return count.sessions == 0; });
}

const Endpoint* Endpoints::choose() {
  using Rank = std::tuple<bool, float, std::size_t>;
  std::vector<const Endpoint*> best;
  Rank best_rank;
  for (const Entry& entry : entries_) {
    const Rank rank(entry.demoted, entry.endpoint.load, sessions_of(entry.endpoint.authority));
    if (best.empty() || rank < best_rank) {
      best.clear();
      best_rank = rank;
    }
    if (rank == best_rank) best.push_back(&entry.endpoint);
  }
  if (best.empty()) return nullptr;
  return best[std::uniform_int_distribution<std::size_t>(0, best.size() - 1)(random_)];
}

const Endpoint* Endpoints::of_node(std::uint32_t node_id) const noexcept {
  if (node_id == 0) return nullptr;
  for (const Entry& entry : entries_) {
    if (entry.endpoint.node_id == node_id) return &entry.endpoint;
  }
  return nullptr;
}

void Endpoints::demote(const std::string& authority) noexcept {
  for (Entry& entry : entries_) {
    if (entry.endpoint.authority == authority) entry.demoted = true;
  }
}

void Endpoints::session_opened(const std::string& authority) {
  for (Count& count : counts_) {
    if (count.authority == authority) {
      ++count.sessions;
      return;
    }
  }
  counts_.push_back({authority, 1});
}

void Endpoints::session_closed(const std::string& authority) noexcept {
  for (Count& count : counts_) {
    if (count.authority == authority && count.sessions > 0) --count.sessions;
  }
}

std::size_t Endpoints::sessions_of(const std::string& authority) const noexcept {
  for (const Count& count : counts_) {
    if (count.authority == authority) return count.sessions;
  }
  return 0;
}

std::vector<Endpoint> Endpoints::list() const {
  std::vector<Endpoint> endpoints;
  for (const Entry& entry : entries_) endpoints.push_back(entry.endpoint);
  return endpoints;
}

}  // namespace drover::database::ydb
