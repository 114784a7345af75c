#include "report/compare/comparability.h"

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "settings/shown_settings.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

constexpr std::size_t values_shown_most = 4;
// Room for a sentence with its remedy at the end.
constexpr std::size_t sentence_bytes_most = 2'000;
constexpr std::size_t notes_most = 24;

std::string setting_text(const Result& result, const std::string& name) {
  if (!result.environment.server) return "unknown";
  const auto& settings = result.environment.server->settings;
  const auto found = settings.find(name);
  return found == settings.end() ? "unknown" : text::shown(found->second);
}

constexpr std::string_view key_backend = "backend";

// A property that must be equal in compared results.
struct Trait {
  std::string key;
  std::string name;
  std::string text;
};

// Returns the settings of the run, its part of a run on several hosts, and the settings of the
// server that decide about durability.
std::vector<Trait> traits_of(const Result& result) {
  const std::optional<Server>& server = result.environment.server;
  std::vector<Trait> traits;
  for (const auto& [key, shown] : settings::settings_to_agree_in(result.plan)) {
    traits.push_back({std::string(key), text::shown(shown.label), text::shown(shown.text)});
    if (key != key_backend || result.plan.simulate_ms) continue;
    // A document from before there was another kind does not name it.
    traits.back().text = server ? text::shown(server->kind) : "a database";
  }
  traits.push_back(
      {"part", "part of the run", result.is_part() ? part_text(result.ranks.front()) : "all"});
  for (const char* name : {"fsync", "synchronous_commit", "full_page_writes"}) {
    traits.push_back({name, fmt::format("server setting {}", name), setting_text(result, name)});
  }
  return traits;
}

const Trait* find_trait(const std::vector<Trait>& traits, const Trait& wanted) {
  const auto found = std::ranges::find_if(traits, [&wanted](const Trait& one) {
    return one.key == wanted.key && one.name == wanted.name;
  });
  return found == traits.end() ? nullptr : &*found;
}

// Returns the traits of all runs, each once. If the runs are of several workloads, traits that only
// one of them has are left out.
std::vector<Trait> traits_to_agree_in(const RunSet& base, const RunSet& new_runs) {
  std::vector<std::vector<Trait>> traits;
  bool is_one_benchmark = true;
  for (const RunSet* side : {&base, &new_runs}) {
    for (const Result& run : side->runs) {
      traits.push_back(traits_of(run));
      is_one_benchmark = is_one_benchmark && run.plan.benchmark == base.runs.front().plan.benchmark;
    }
  }
  std::vector<Trait> wanted;
  for (const std::vector<Trait>& of_run : traits) {
    for (const Trait& trait : of_run) {
      const auto has_it = [&trait](const auto& other) {
        return find_trait(other, trait) != nullptr;
      };
      if (find_trait(wanted, trait) != nullptr) continue;
      if (is_one_benchmark || std::ranges::all_of(traits, has_it)) wanted.push_back(trait);
    }
  }
  return wanted;
}

constexpr std::string_view key_duration = "duration";
constexpr std::string_view key_invalid = "invalid";
constexpr std::string_view key_interrupted = "interrupted";
constexpr std::string_view key_failed = "failed";
constexpr std::string_view key_duplicate = "duplicate";

using TextOf = std::function<std::string(const Result&)>;

// Returns the values in the order of the runs, each once.
std::string values_text(std::span<const Result> runs, const TextOf& text) {
  std::vector<std::string> values;
  for (const Result& run : runs) {
    const std::string value = text(run);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  const std::size_t shown_count = std::min(values.size(), values_shown_most);
  std::string listed;
  for (std::size_t i = 0; i < shown_count; ++i) {
    listed += (i == 0 ? "" : " and ") + (values[i].empty() ? std::string("none") : values[i]);
  }
  if (shown_count < values.size()) {
    listed += fmt::format(" and {} more", values.size() - shown_count);
  }
  return listed;
}

std::string sides_text(const RunSet& base, const RunSet& new_runs, const SideWords& words,
                       std::string_view name, const TextOf& text) {
  return fmt::format("{}: {} {}, {} {}", name, words.base, values_text(base.runs, text),
                     words.new_runs, values_text(new_runs.runs, text));
}

// Returns nothing if the text is equal for all runs of both sides.
std::optional<std::string> difference_text(const RunSet& base, const RunSet& new_runs,
                                           const SideWords& words, std::string_view name,
                                           const TextOf& text) {
  std::set<std::string> values;
  for (const Result& run : base.runs) values.insert(text(run));
  for (const Result& run : new_runs.runs) values.insert(text(run));
  if (values.size() <= 1) return std::nullopt;
  return sides_text(base, new_runs, words, name, text);
}

void add_duration(std::vector<Obstacle>& obstacles, const RunSet& base, const RunSet& new_runs,
                  const SideWords& words) {
  const auto [shortest, longest] = measured_times(base, new_runs);
  if (longest <= shortest * duration_ratio_most) return;
  const std::string name =
      fmt::format("measured time (different by more than a factor of {:g})", duration_ratio_most);
  const auto text = [](const Result& run) {
    return fmt::format("{:.0f} s", run.summary.time_seconds);
  };
  obstacles.push_back({std::string(key_duration), sides_text(base, new_runs, words, name, text)});
}

void for_each_run(const RunSet& base, const RunSet& new_runs, const auto& on_run) {
  for (std::size_t i = 0; i < base.runs.size(); ++i) on_run(base.runs[i], base.name_of(i, "base"));
  for (std::size_t i = 0; i < new_runs.runs.size(); ++i) {
    on_run(new_runs.runs[i], new_runs.name_of(i, "new"));
  }
}

// Returns the statements of all scripts, by script and position.
std::set<std::pair<std::string, std::size_t>> statements_of(const RunSet& base,
                                                            const RunSet& new_runs) {
  std::set<std::pair<std::string, std::size_t>> places;
  for (const RunSet* side : {&base, &new_runs}) {
    for (const Result& run : side->runs) {
      for (const TransactionResult& script : run.transactions) {
        for (std::size_t i = 0; i < script.statements.size(); ++i) places.emplace(script.name, i);
      }
    }
  }
  return places;
}

std::string statement_text(const Result& run, const std::string& script, std::size_t place) {
  const TransactionResult* found = run.find_transaction(script);
  if (found == nullptr || place >= found->statements.size()) return "";
  return text::shown(found->statements[place].name, 100);
}

// Copies of one run would look like repeated measurements.
void add_duplicates(std::vector<Obstacle>& obstacles, const RunSet& base, const RunSet& new_runs) {
  std::vector<std::pair<const Result*, std::string>> seen;
  for_each_run(base, new_runs, [&](const Result& run, const std::string& name) {
    const auto same = std::ranges::find_if(
        seen, [&run](const auto& one) { return is_same_run(*one.first, run); });
    if (same != seen.end()) {
      obstacles.push_back({std::string(key_duplicate),
                           fmt::format("{} and {} are the same run", same->second, name)});
    }
    seen.emplace_back(&run, name);
  });
}

std::int64_t start_of(const RunSet& side, std::size_t index) {
  return side.runs[index].summary.measure_start_ts;
}

// Runs that began in the same second keep the order in which they were named.
std::vector<std::size_t> by_start(const RunSet& side) {
  std::vector<std::size_t> order(side.runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&side](std::size_t i) { return std::pair(start_of(side, i), i); });
  return order;
}

// Returns true if a run of the pair began before both runs of the previous pair had begun. Equal
// seconds count as in order.
bool is_out_of_turn(const RunSet& base, const RunSet& new_runs, const RunPair& before,
                    const RunPair& pair) {
  return std::min(start_of(base, pair.base), start_of(new_runs, pair.new_run)) <
         std::max(start_of(base, before.base), start_of(new_runs, before.new_run));
}

std::string described(const RunSet& side, std::size_t index, std::string_view name) {
  return fmt::format("{} ({}, began {})", side.name_of(index, name), name,
                     text::moment_text(start_of(side, index)));
}

std::string out_of_turn_text(const RunSet& base, const RunSet& new_runs,
                             const std::vector<RunPair>& pairs, std::size_t k) {
  const RunPair& before = pairs[k - 1];
  const RunPair& pair = pairs[k];
  const bool base_is_early = start_of(base, pair.base) <= start_of(new_runs, pair.new_run);
  const std::string early =
      base_is_early ? described(base, pair.base, "base") : described(new_runs, pair.new_run, "new");
  return fmt::format(
      "the runs do not alternate: {} and {} would be pair {}, but {}, of pair {}, began between "
      "them. Expected a base run and a new run in each two consecutive runs, as in base, new, new, "
      "base. Make the runs in this order, or leave out --paired",
      described(base, before.base, "base"), described(new_runs, before.new_run, "new"), k, early,
      k + 1);
}

// The share of each event in the time of all sessions; empty without --server-stats.
using Shares = std::map<std::string, double>;

Shares shares_of(std::span<const Result> runs) {
  Shares shares;
  double all = 0;
  for (const Result& run : runs) {
    if (!run.server_stats) continue;
    for (const WaitEvent& one : run.server_stats->wait_events) {
      shares[one.name] += one.sessions;
      all += one.sessions;
    }
  }
  for (auto& [name, share] : shares) share = all > 0 ? share / all : 0;
  return shares;
}

double share_in(const Shares& shares, const std::string& name) {
  const auto found = shares.find(name);
  return found == shares.end() ? 0 : found->second;
}

std::string event_text(const std::string& name, double base, double new_share) {
  return fmt::format("{} {:.0f}% to {:.0f}%", text::shown(name), base * 100, new_share * 100);
}

}  // namespace

std::string RunSet::name_of(std::size_t index, std::string_view side) const {
  if (index < names.size()) return text::shown(names[index], 120);
  return fmt::format("{} run {}", side, index + 1);
}

std::vector<Obstacle> find_obstacles(const RunSet& base, const RunSet& new_runs,
                                     const SideWords& words) {
  std::vector<Obstacle> obstacles;
  if (base.runs.empty() || new_runs.runs.empty()) return obstacles;
  for (const Trait& trait : traits_to_agree_in(base, new_runs)) {
    const auto text = [&trait](const Result& run) {
      const std::vector<Trait> traits = traits_of(run);
      const Trait* found = find_trait(traits, trait);
      return found == nullptr ? std::string() : found->text;
    };
    if (auto difference = difference_text(base, new_runs, words, trait.name, text)) {
      obstacles.push_back({trait.key, std::move(*difference)});
    }
  }
  add_duration(obstacles, base, new_runs, words);
  for_each_run(base, new_runs, [&obstacles](const Result& run, const std::string& name) {
    std::ranges::move(find_flaws(run, name), std::back_inserter(obstacles));
  });
  add_duplicates(obstacles, base, new_runs);
  return obstacles;
}

std::vector<Obstacle> find_flaws(const Result& run, std::string_view name) {
  std::vector<Obstacle> flaws;
  const auto add = [&flaws](std::string_view key, std::string text) {
    flaws.push_back({std::string(key), std::move(text)});
  };
  if (run.failure) {
    add(key_failed,
        fmt::format("{} was aborted: {}", name, text::shown(*run.failure, sentence_bytes_most)));
  }
  if (!run.environment.server && !run.plan.simulate_ms)
    add(key_backend, fmt::format("{} does not name its database", name));
  if (run.interrupted) add(key_interrupted, fmt::format("{} was interrupted", name));
  if (const AuditSummary audit = summarise(run.audit); !audit.valid) {
    add(key_invalid, fmt::format("the audit of {} is {}", name,
                                 text::shown(audit.sentence, sentence_bytes_most)));
  }
  return flaws;
}

std::vector<std::string> find_other_differences(const RunSet& base, const RunSet& new_runs,
                                                const SideWords& words) {
  std::vector<std::string> notes;
  const auto add = [&](std::string_view name, const auto& text) {
    if (auto difference = difference_text(base, new_runs, words, name, text)) {
      notes.push_back(std::move(*difference));
    }
  };
  add("server version", [](const Result& r) {
    return r.environment.server ? text::shown(r.environment.server->version) : "none";
  });
  add("drover", [](const Result& r) {
    return fmt::format("{} ({})", text::shown(r.tool.version), text::shown(r.tool.commit));
  });
  add("audit", [](const Result& r) { return r.audit.empty() ? "none" : "made"; });
  add("ledger compared with the data", [](const Result& r) {
    return r.is_tpcc() && !r.plan.simulate_ms && !r.ledger_in_data ? "no" : "yes";
  });
  add("hosts",
      [](const Result& r) { return fmt::format("{}", std::max<std::size_t>(r.ranks.size(), 1)); });
  add("client machine", [](const Result& r) {
    const measure::Host& client = r.environment.client;
    return fmt::format("{} ({} CPUs, {})", text::shown(client.hostname), client.cpus,
                       text::shown(client.cpu_model));
  });
  const auto noted = settings::settings_worth_a_note(base.runs.front().plan);
  for (std::size_t i = 0; i < noted.size(); ++i) {
    add(noted[i].label,
        [i](const Result& r) { return settings::settings_worth_a_note(r.plan)[i].text; });
  }
  for (const auto& [script, place] : statements_of(base, new_runs)) {
    add(fmt::format("statement {} of {}", place + 1, text::shown(script, 100)),
        [&](const Result& r) { return statement_text(r, script, place); });
  }
  std::set<std::string> settings;
  for (const RunSet* side : {&base, &new_runs}) {
    for (const Result& run : side->runs) {
      if (!run.environment.server) continue;
      for (const auto& [name, value] : run.environment.server->settings) settings.insert(name);
    }
  }
  for (const std::string& name : settings) {
    // Those are obstacles, or said with the version.
    if (std::ranges::find(obstacle_keys(), name) != obstacle_keys().end()) continue;
    if (name == "server_version") continue;
    add(fmt::format("server setting {}", text::shown(name)),
        [&name](const Result& r) { return setting_text(r, name); });
  }
  if (notes.size() > notes_most) {
    const std::size_t more = notes.size() - notes_most;
    notes.resize(notes_most);
    notes.push_back(fmt::format("and {} more differences of settings", more));
  }
  return notes;
}

bool is_allowed(std::string_view key, std::span<const std::string> allow_different) {
  return std::ranges::any_of(allow_different,
                             [key](const auto& one) { return one == key || one == "all"; });
}

std::string circumstances_of(const Result& result, std::span<const std::string> allow_different) {
  std::string circumstances;
  for (const Trait& trait : traits_of(result)) {
    if (is_allowed(trait.key, allow_different)) continue;
    circumstances += fmt::format("{}: {}\n", trait.name, trait.text);
  }
  return circumstances;
}

std::ranges::minmax_result<double> measured_times(const RunSet& base, const RunSet& new_runs) {
  const auto seconds = [](const Result& run) { return run.summary.time_seconds; };
  const auto of_base = std::ranges::minmax(base.runs | std::views::transform(seconds));
  const auto of_new = std::ranges::minmax(new_runs.runs | std::views::transform(seconds));
  return {std::min(of_base.min, of_new.min), std::max(of_base.max, of_new.max)};
}

std::string tool_text(const Result& result) {
  return fmt::format("{} {} ({})", text::shown(result.tool.name), text::shown(result.tool.version),
                     text::shown(result.tool.commit));
}

std::string server_text(const Result& result) {
  return result.environment.server ? text::shown(result.environment.server->name()) : "";
}

bool is_same_run(const Result& one, const Result& other) {
  return one.summary.measure_start_ts == other.summary.measure_start_ts &&
         one.environment.client.hostname == other.environment.client.hostname &&
         one.all_count() == other.all_count() &&
         one.summary.time_seconds == other.summary.time_seconds &&
         one.client.cpu_seconds == other.client.cpu_seconds;
}

const std::vector<std::string>& obstacle_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all;
    Result other;
    other.plan.benchmark = "ycsb";
    other.plan.workload = {{"readproportion", "1"}};
    for (const Result& run : {Result(), other}) {
      for (const Trait& trait : traits_of(run)) {
        if (std::ranges::find(all, trait.key) == all.end()) all.push_back(trait.key);
      }
    }
    for (const std::string_view key :
         {key_duration, key_invalid, key_interrupted, key_failed, key_duplicate}) {
      all.emplace_back(key);
    }
    return all;
  }();
  return keys;
}

std::vector<RunPair> pair_runs(const RunSet& base, const RunSet& new_runs) {
  if (base.runs.size() != new_runs.runs.size()) {
    throw NoPairs(
        fmt::format("both sides need equally many results of alternating runs, but base has {} and "
                    "new has {}. Add the missing results, or leave out --paired",
                    base.runs.size(), new_runs.runs.size()));
  }
  if (base.runs.size() < 2) {
    throw NoPairs(
        "at least 2 pairs are needed, better 12, because one pair does not show how much pairs "
        "vary. Make more alternating runs, or leave out --paired");
  }
  for_each_run(base, new_runs, [](const Result& run, const std::string& name) {
    if (run.summary.measure_start_ts > 0) return;
    throw NoPairs(
        fmt::format("{} has no start time (summary.measure_start_ts is 0), so --paired cannot pair "
                    "it. Leave out this result, or leave out --paired",
                    name));
  });
  const std::vector<std::size_t> base_order = by_start(base);
  const std::vector<std::size_t> new_order = by_start(new_runs);
  std::vector<RunPair> pairs;
  for (std::size_t k = 0; k < base_order.size(); ++k) {
    pairs.push_back({base_order[k], new_order[k]});
    if (k > 0 && is_out_of_turn(base, new_runs, pairs[k - 1], pairs[k])) {
      throw NoPairs(out_of_turn_text(base, new_runs, pairs, k));
    }
  }
  return pairs;
}

bool are_in_turns(const RunSet& base, const RunSet& new_runs) {
  try {
    pair_runs(base, new_runs);
    return true;
  } catch (const NoPairs&) {
    return false;
  }
}

std::string wait_events_note(std::span<const Result> base, std::span<const Result> new_runs) {
  constexpr std::size_t events_shown_most = 5;
  const Shares of_base = shares_of(base);
  const Shares of_new = shares_of(new_runs);
  if (of_base.empty() || of_new.empty()) return {};
  std::vector<std::pair<double, std::string>> sorted;
  Shares all = of_base;
  all.insert(of_new.begin(), of_new.end());
  for (const auto& [name, share] : all) {
    sorted.emplace_back(-std::max(share_in(of_base, name), share_in(of_new, name)), name);
  }
  std::ranges::sort(sorted);
  std::string text;
  std::pair<double, double> others{1, 1};
  for (std::size_t i = 0; i < std::min(sorted.size(), events_shown_most); ++i) {
    const std::string& name = sorted[i].second;
    const double before = share_in(of_base, name);
    const double now = share_in(of_new, name);
    text += (text.empty() ? "" : ", ") + event_text(name, before, now);
    others.first -= before;
    others.second -= now;
  }
  if (sorted.size() > events_shown_most) {
    text += ", " +
            event_text("other events", std::max(others.first, 0.0), std::max(others.second, 0.0));
  }
  return fmt::format("Shares of the time in the server by wait event, from base to new: {}.", text);
}

}  // namespace drover::report
