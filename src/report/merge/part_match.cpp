#include "report/merge/part_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "report/document/described_json.h"
#include "report/merge/merge.h"
#include "settings/run_settings.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

using Traits = std::vector<std::pair<std::string, std::string>>;

std::string quoted(const std::string& name) {
  return fmt::format("\"{}\"", text::shown(name, 300));
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw MergeError(quoted(name) + " " + what);
}

// Settings of which each host has its own value. All others must be the same in all parts of a run.
// A new setting that differs between hosts must be named here and added up in merge.cpp.
constexpr std::array<std::string_view, 8> settings_of_host = {
    "threads", "connections", "max_inflight", "server_stats",
    "clients", "rate",        "operations",   "terminals"};

void add_settings(Traits& traits, const settings::RunSettings& plan) {
  DescribedJson described;
  describe(described, plan);
  const nlohmann::json settings = described.take();
  for (const auto& [key, value] : settings.items()) {
    const bool is_of_host = std::ranges::find(settings_of_host, key) != settings_of_host.end();
    if (is_of_host || key == "of_all_hosts") continue;
    traits.emplace_back("plan." + key, value.dump());
  }
  const settings::SharedFigures of_all = plan.of_all_hosts.value_or(settings::SharedFigures());
  DescribedJson described_figures;
  describe(described_figures, of_all);
  const nlohmann::json figures = described_figures.take();
  for (const auto& [key, value] : figures.items()) {
    traits.emplace_back("plan.of_all_hosts." + key, plan.of_all_hosts ? value.dump() : "unknown");
  }
}

Traits traits_of(const Result& part) {
  const RankResult& rank = part.ranks.front();
  Traits traits = {
      {"plan.benchmark", part.plan.benchmark},
      {"the run", rank.run.empty() ? "started by hand" : rank.run},
      {"ranks", fmt::format("{}", rank.ranks)},
      {"drover", fmt::format("{} {} ({})", part.tool.name, part.tool.version, part.tool.commit)}};
  // The part of a lost host comes from another host, which may use another database.
  if (!rank.lost.empty()) return traits;
  add_settings(traits, part.plan);
  traits.emplace_back("the kind of database",
                      part.environment.server ? part.environment.server->kind : "none");
  return traits;
}

// Drover writes these sections in every part. If a part lacks one, the sum would not cover all
// hosts.
void require_sections(const Result& part, const std::string& name) {
  constexpr std::string_view expected =
      "expected a part of a result, unchanged since drover wrote it";
  if (!part.environment.server && !part.plan.simulate_ms)
    refuse(name, fmt::format("names no database (environment.server): {}", expected));
  if (part.ranks.front().start_ts <= 0 && part.summary.time_seconds > 0) {
    refuse(name, fmt::format("measured {:g} s but has no start time (ranks[0].start_ts is 0): {}",
                             part.summary.time_seconds, expected));
  }
  if (!part.kind().has_warehouses) return;
  const auto require_ledger = [&](const char* transaction, std::uint64_t written) {
    const TransactionResult* one = part.find_transaction(transaction);
    if (one == nullptr || one->ok_count <= written) return;
    refuse(name, fmt::format("committed {} {}s, but its ledger has {}: {}", one->ok_count,
                             transaction, written, expected));
  };
  require_ledger("NewOrder", part.ledger.new_orders);
  require_ledger("Payment", part.ledger.payments);
}

void require_part(const Result& part, const std::string& name) {
  if (part.ranks.size() > 1 || part.incomplete)
    refuse(name, "is already merged. Name the parts from which it was made");
  if (part.ranks.empty()) {
    refuse(name,
           "is the result of a run on one host. Expected a part that one host of a run on several "
           "hosts wrote, such as a result of 'drover tpcc run --warehouse-range'");
  }
  const RankResult& rank = part.ranks.front();
  if (rank.rank >= rank.ranks)
    refuse(name, fmt::format("has the rank {}, but the run has {} ranks, counted from 0", rank.rank,
                             rank.ranks));
  // The part of a lost host comes from the coordinator, and lacks sections.
  if (rank.lost.empty()) require_sections(part, name);
  if (!part.kind().has_warehouses) return;
  const auto [first, last] = PartMatch::range_of(part);
  if (first == 0 || first > last || last > part.plan.warehouses) {
    refuse(name, fmt::format("names the warehouses {} to {}, but the run has {}", first, last,
                             part.plan.warehouses));
  }
}

}  // namespace

std::vector<std::string> transaction_names(const Result& result) {
  std::vector<std::string> names;
  for (const TransactionResult& one : result.transactions) {
    names.push_back(one.name);
    for (const StatementResult& statement : one.statements)
      names.push_back(one.name + ": " + statement.name);
  }
  return names;
}

std::pair<std::uint64_t, std::uint64_t> PartMatch::range_of(const Result& part) {
  const RankResult& rank = part.ranks.front();
  if (rank.warehouse_first == 0 && rank.warehouse_last == 0) return {1, part.plan.warehouses};
  return {rank.warehouse_first, rank.warehouse_last};
}

void PartMatch::require(const Result& part, const std::string& name) const {
  require_part(part, name);
  if (known_.empty()) return;
  if (known_.size() >= ranks_max)
    refuse(name, fmt::format("is one part too many. At most {} parts can be merged", ranks_max));
  require_same(part, name);
  require_another_rank(part, name);
  require_same_start(part, name);
}

void PartMatch::require_same(const Result& part, const std::string& name) const {
  constexpr std::size_t value_most = 200;
  const std::string& first = known_.front().name;
  const auto differ = [&](const std::string& what, const std::string& here,
                          const std::string& there) {
    refuse(name, fmt::format("belongs to another run than {}: {} is {} here and {} there. Expected "
                             "parts of one run whose hosts had the same options",
                             quoted(first), what, text::shown(here, value_most),
                             text::shown(there, value_most)));
  };
  const Traits traits = traits_of(part);
  for (std::size_t i = 0; i < std::min(traits.size(), traits_.size()); ++i) {
    if (traits[i] != traits_[i]) differ(traits[i].first, traits[i].second, traits_[i].second);
  }
  // The part of a lost host has no statements.
  const bool knows_types =
      part.ranks.front().lost.empty() && !part.transactions.empty() && !transactions_.empty();
  if (knows_types && transaction_names(part) != transactions_)
    refuse(name, fmt::format("has different transactions or statements than {}", quoted(first)));
}

void PartMatch::require_another_rank(const Result& part, const std::string& name) const {
  const RankResult& rank = part.ranks.front();
  const bool is_by_number = !rank.run.empty() || rank.ranks > 1;
  if (!is_by_number && !part.kind().has_warehouses) {
    refuse(name, fmt::format("and {} are both results of whole runs. Expected the parts of one run",
                             quoted(known_.front().name)));
  }
  const auto range = range_of(part);
  for (const Known& one : known_) {
    if (is_by_number && one.rank.rank == rank.rank)
      refuse(name, fmt::format("and {} both have the rank {}", quoted(one.name), rank.rank));
    if (!part.kind().has_warehouses || range.first > one.range.second ||
        one.range.first > range.second)
      continue;
    refuse(
        name,
        fmt::format(
            "has the warehouses {} to {}, and {} has {} to {}. Expected no warehouse in two parts",
            range.first, range.second, quoted(one.name), one.range.first, one.range.second));
  }
}

void PartMatch::require_same_start(const Result& part, const std::string& name) const {
  const RankResult& rank = part.ranks.front();
  const std::optional<double> start = start_of(rank);
  if (!rank.run.empty() || !start) return;
  for (const Known& one : known_) {
    if (!one.start || std::abs(*start - *one.start) <= starts_apart_s_most) continue;
    refuse(name,
           fmt::format("began {:.3f} s {} {}. Expected at most {:g} s between them. Give all hosts "
                       "the same --start-at, and check their clocks",
                       std::abs(*start - *one.start), *start > *one.start ? "after" : "before",
                       quoted(one.name), starts_apart_s_most));
  }
}

void PartMatch::take(const Result& part, const std::string& name) {
  if (Traits traits = traits_of(part); traits.size() > traits_.size()) traits_ = std::move(traits);
  if (known_.empty()) transactions_ = transaction_names(part);
  RankResult rank = part.ranks.front();
  rank.latency = rank.timer_lag = {};
  const std::optional<double> start = start_of(rank);
  known_.push_back({name, std::move(rank), range_of(part), start});
}

}  // namespace drover::report
