#include "load/plan.h"

namespace drover::load {

database::SessionUpkeep Plan::upkeep_of_worker(std::size_t index) const {
  const std::size_t before =
      connections_before + index * (connections / threads) + std::min(index, connections % threads);
  database::SessionUpkeep upkeep{.max_age = connection_max_age,
                                 .hosts = std::max<std::size_t>(hosts.size(), 1),
                                 .first_number = affinity ? home_first + index : before,
                                 .number_step = affinity ? threads : 1};
  if (affinity && !home_hosts.empty()) upkeep.first_hosts = hosts_by_homes(index);
  return upkeep;
}

// Each connection goes to the host that has the fewest connections per home, so that each host has
// one before any has two.
std::vector<std::size_t> Plan::hosts_by_homes(std::size_t index) const {
  std::vector<std::size_t> homes(hosts.size());
  for (std::size_t own = index; own < home_count; own += threads) {
    ++homes[host_of_home(home_first + own)];
  }
  std::vector<std::size_t> given(hosts.size());
  std::vector<std::size_t> chosen;
  if (index >= home_count) return chosen;
  const auto connections_here = static_cast<std::size_t>(share_of_worker(index, connections));
  while (chosen.size() < connections_here) {
    std::size_t next = hosts.size();
    for (std::size_t host = 0; host < hosts.size(); ++host) {
      if (homes[host] == 0) continue;
      const bool is_behind =
          next == hosts.size() || given[host] * homes[next] < given[next] * homes[host];
      if (is_behind) next = host;
    }
    ++given[next];
    chosen.push_back(next);
  }
  return chosen;
}

}  // namespace drover::load
