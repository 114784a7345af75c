#include "ui/run/rank_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace drover::ui {

std::vector<const load::RankNow*> ranks_to_show(const load::Snapshot& snapshot, std::size_t most) {
  std::vector<const load::RankNow*> shown;
  for (const load::RankNow& rank : snapshot.ranks) shown.push_back(&rank);
  // They lie in a row, so that of equals the lower rank comes first.
  std::ranges::sort(shown, {}, [](const load::RankNow* rank) {
    return std::tuple(!rank->is_lost, -rank->worker_load, rank);
  });
  if (shown.size() > most) shown.resize(most);
  return shown;
}

std::string lost_text(const load::Snapshot& snapshot) {
  const auto lost = std::ranges::count_if(snapshot.ranks, &load::RankNow::is_lost);
  if (lost == 0) return {};
  if (lost == 1)
    return std::ranges::find_if(snapshot.ranks, &load::RankNow::is_lost)->name + " LOST";
  return fmt::format("{} hosts LOST", lost);
}

}  // namespace drover::ui
