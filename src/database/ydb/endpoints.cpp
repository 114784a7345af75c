#include "database/ydb/endpoints.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace drover::database::ydb {

void Endpoints::replace(std::vector<Endpoint> endpoints) {
  constexpr std::size_t endpoints_most = 1000;
  if (endpoints.size() > endpoints_most) endpoints.resize(endpoints_most);
  endpoints_ = std::move(endpoints);
  demoted_.clear();
  std::erase_if(sessions_, [](const auto& entry) { return entry.second == 0; });
}

const Endpoint* Endpoints::choose() {
  using Rank = std::tuple<bool, float, std::size_t>;
  std::vector<const Endpoint*> best;
  Rank best_rank;
  for (const Endpoint& endpoint : endpoints_) {
    const Rank rank(demoted_.contains(endpoint.authority), endpoint.load,
                    sessions_of(endpoint.authority));
    if (best.empty() || rank < best_rank) {
      best.clear();
      best_rank = rank;
    }
    if (rank == best_rank) best.push_back(&endpoint);
  }
  if (best.empty()) return nullptr;
  return best[std::uniform_int_distribution<std::size_t>(0, best.size() - 1)(random_)];
}

const Endpoint* Endpoints::of_node(std::uint32_t node_id) const noexcept {
  if (node_id == 0) return nullptr;
  const auto place = std::ranges::find(endpoints_, node_id, &Endpoint::node_id);
  return place == endpoints_.end() ? nullptr : &*place;
}

void Endpoints::session_closed(const std::string& authority) noexcept {
  const auto place = sessions_.find(authority);
  if (place != sessions_.end() && place->second > 0) --place->second;
}

std::size_t Endpoints::sessions_of(const std::string& authority) const noexcept {
  const auto place = sessions_.find(authority);
  return place == sessions_.end() ? 0 : place->second;
}

}  // namespace drover::database::ydb
