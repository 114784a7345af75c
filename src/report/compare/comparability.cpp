#include "report/compare/comparability.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
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
    // Older documents do not name the database.
    traits.back().text = server ? text::shown(server->kind) : "a database";
  }
  traits.push_back(
      {"part", "part of the run", result.is_part() ? part_text(result.ranks.front()) : "all"});
  for (const char* name : {"fsync", "synchronous_commit", "full_page_writes"})
    traits.push_back({name, fmt::format("server setting {}", name), setting_text(result, name)});
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
std::vector<Trait> traits_to_agree_in(const std::vector<const Result*>& runs) {
  std::vector<std::vector<Trait>> traits;
  bool is_one_benchmark = true;
  for (const Result* run : runs) {
    traits.push_back(traits_of(*run));
    is_one_benchmark = is_one_benchmark && run->plan.benchmark == runs.front()->plan.benchmark;
  }
  std::vector<Trait> wanted;
  for (const std::vector<Trait>& of_run : traits) {
    for (const Trait& trait : of_run) {
      const auto has_it = [&trait](const auto& other) {
        return find_trait(other, trait) != nullptr;
      };
      if (has_it(wanted)) continue;
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
    std::string value = text(run);
    if (value.empty()) value = "none";
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  if (values.size() > values_shown_most) {
    const std::size_t more = values.size() - values_shown_most;
    values.resize(values_shown_most);
    values.push_back(fmt::format("{} more", more));
  }
  return fmt::format("{}", fmt::join(values, " and "));
}

std::string sides_text(const Sides& sides, std::string_view name, const TextOf& text) {
  return fmt::format("{}: {} {}, {} {}", name, sides.base_words, values_text(sides.base.runs, text),
                     sides.new_words, values_text(sides.new_runs.runs, text));
}

// Returns nothing if the text is equal for all runs of both sides.
std::optional<std::string> difference_text(const Sides& sides, std::string_view name,
                                           const TextOf& text) {
  const std::vector<const Result*> runs = sides.all_runs();
  const std::string first = text(*runs.front());
  if (std::ranges::all_of(runs, [&](const Result* run) { return text(*run) == first; }))
    return std::nullopt;
  return sides_text(sides, name, text);
}

// Calls `on_run` with each run and its name.
void for_each_run(const Sides& sides, const auto& on_run) {
  for (const auto& [side, word] : {std::pair(&sides.base, "base"), {&sides.new_runs, "new"}})
    for (std::size_t i = 0; i < side->runs.size(); ++i)
      on_run(side->runs[i], side->name_of(i, word));
}

std::string statement_text(const Result& run, const std::string& script, std::size_t place) {
  const TransactionResult* found = run.find_transaction(script);
  if (found == nullptr || place >= found->statements.size()) return "";
  return text::shown(found->statements[place].name, 100);
}

// Copies of one run would look like repeated measurements.
void add_duplicates(std::vector<Obstacle>& obstacles, const Sides& sides) {
  std::vector<std::pair<const Result*, std::string>> seen;
  for_each_run(sides, [&](const Result& run, const std::string& name) {
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

std::string described(const RunSet& side, std::size_t index, std::string_view name) {
  return fmt::format("{} ({}, began {})", side.name_of(index, name), name,
                     text::moment_text(start_of(side, index)));
}

// Throws NoPairs if a run of the k-th pair began before both runs of the previous pair had begun.
// Equal seconds count as in order.
void require_turns(const Sides& sides, const std::vector<RunPair>& pairs, std::size_t k) {
  const auto& [base, new_runs, base_words, new_words] = sides;
  const RunPair& before = pairs[k - 1];
  const RunPair& pair = pairs[k];
  const std::int64_t base_start = start_of(base, pair.base);
  const std::int64_t new_start = start_of(new_runs, pair.new_run);
  if (std::min(base_start, new_start) >=
      std::max(start_of(base, before.base), start_of(new_runs, before.new_run)))
    return;
  const std::string early = base_start <= new_start ? described(base, pair.base, "base")
                                                    : described(new_runs, pair.new_run, "new");
  throw NoPairs(fmt::format(
      "the runs do not alternate: {} and {} would be pair {}, but {}, of pair {}, began between "
      "them. Expected a base run and a new run in each two consecutive runs, as in base, new, new, "
      "base. Make the runs in this order, or leave out --paired",
      described(base, before.base, "base"), described(new_runs, before.new_run, "new"), k, early,
      k + 1));
}

}  // namespace

std::string RunSet::name_of(std::size_t index, std::string_view side) const {
  if (index < names.size()) return text::shown(names[index], 120);
  return fmt::format("{} run {}", side, index + 1);
}

std::vector<const Result*> Sides::all_runs() const {
  std::vector<const Result*> runs;
  for (const RunSet* side : {&base, &new_runs})
    for (const Result& run : side->runs) runs.push_back(&run);
  return runs;
}

std::vector<Obstacle> find_obstacles(const Sides& sides) {
  std::vector<Obstacle> obstacles;
  if (sides.base.runs.empty() || sides.new_runs.runs.empty()) return obstacles;
  for (const Trait& trait : traits_to_agree_in(sides.all_runs())) {
    const auto text = [&trait](const Result& run) {
      const std::vector<Trait> traits = traits_of(run);
      const Trait* found = find_trait(traits, trait);
      return found == nullptr ? std::string() : found->text;
    };
    if (auto difference = difference_text(sides, trait.name, text))
      obstacles.push_back({trait.key, std::move(*difference)});
  }
  const auto [shortest, longest] = measured_times(sides);
  if (longest > shortest * duration_ratio_most) {
    const std::string name =
        fmt::format("measured time (different by more than a factor of {:g})", duration_ratio_most);
    obstacles.push_back({std::string(key_duration), sides_text(sides, name, [](const Result& run) {
                           return fmt::format("{:.0f} s", run.summary.time_seconds);
                         })});
  }
  for_each_run(sides, [&obstacles](const Result& run, const std::string& name) {
    std::ranges::move(find_flaws(run, name), std::back_inserter(obstacles));
  });
  add_duplicates(obstacles, sides);
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

std::vector<std::string> find_other_differences(const Sides& sides) {
  std::vector<std::string> notes;
  const auto add = [&](std::string_view name, const auto& text) {
    if (auto difference = difference_text(sides, name, text))
      notes.push_back(std::move(*difference));
  };
  add("server version", [](const Result& r) {
    return r.environment.server ? text::shown(r.environment.server->version) : "none";
  });
  add("drover", [](const Result& r) {
    return fmt::format("{} ({})", text::shown(r.tool.version), text::shown(r.tool.commit));
  });
  add("audit", [](const Result& r) { return r.audit.empty() ? "none" : "made"; });
  add("ledger compared with the data", [](const Result& r) {
    return r.kind().has_warehouses && !r.plan.simulate_ms && !r.ledger_in_data ? "no" : "yes";
  });
  add("hosts",
      [](const Result& r) { return std::to_string(std::max<std::size_t>(r.ranks.size(), 1)); });
  add("client machine", [](const Result& r) {
    const measure::Host& client = r.environment.client;
    return fmt::format("{} ({} CPUs, {})", text::shown(client.hostname), client.cpus,
                       text::shown(client.cpu_model));
  });
  const std::vector<const Result*> runs = sides.all_runs();
  const auto noted = settings::settings_worth_a_note(runs.front()->plan);
  for (std::size_t i = 0; i < noted.size(); ++i) {
    add(noted[i].label,
        [i](const Result& r) { return settings::settings_worth_a_note(r.plan)[i].text; });
  }
  std::set<std::pair<std::string, std::size_t>> statements;  // by script and position
  std::set<std::string> settings;
  for (const Result* run : runs) {
    for (const TransactionResult& script : run->transactions)
      for (std::size_t i = 0; i < script.statements.size(); ++i) statements.emplace(script.name, i);
    if (!run->environment.server) continue;
    for (const auto& [name, value] : run->environment.server->settings) {
      // The version has a note of its own, and a difference in some settings is an obstacle.
      if (name != "server_version" &&
          std::ranges::find(obstacle_keys(), name) == obstacle_keys().end())
        settings.insert(name);
    }
  }
  for (const auto& [script, place] : statements) {
    add(fmt::format("statement {} of {}", place + 1, text::shown(script, 100)),
        [&](const Result& r) { return statement_text(r, script, place); });
  }
  for (const std::string& name : settings) {
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

std::ranges::minmax_result<double> measured_times(const Sides& sides) {
  return std::ranges::minmax(sides.all_runs() | std::views::transform([](const Result* run) {
                               return run->summary.time_seconds;
                             }));
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
    Result ycsb;
    ycsb.plan.benchmark = "ycsb";
    ycsb.plan.workload = {{"readproportion", "1"}};
    for (const Result& run : {Result(), ycsb}) {
      for (const Trait& trait : traits_of(run))
        if (std::ranges::find(all, trait.key) == all.end()) all.push_back(trait.key);
    }
    for (const std::string_view key :
         {key_duration, key_invalid, key_interrupted, key_failed, key_duplicate})
      all.emplace_back(key);
    return all;
  }();
  return keys;
}

std::vector<RunPair> pair_runs(const Sides& sides) {
  const std::size_t count = sides.base.runs.size();
  if (count != sides.new_runs.runs.size()) {
    throw NoPairs(
        fmt::format("both sides need equally many results of alternating runs, but base has {} and "
                    "new has {}. Add the missing results, or leave out --paired",
                    count, sides.new_runs.runs.size()));
  }
  if (count < 2) {
    throw NoPairs(
        "at least 2 pairs are needed, better 12, because one pair does not show how much pairs "
        "vary. Make more alternating runs, or leave out --paired");
  }
  for_each_run(sides, [](const Result& run, const std::string& name) {
    if (run.summary.measure_start_ts > 0) return;
    throw NoPairs(
        fmt::format("{} has no start time (summary.measure_start_ts is 0), so --paired cannot pair "
                    "it. Leave out this result, or leave out --paired",
                    name));
  });
  const std::vector<std::size_t> base_order = by_start(sides.base);
  const std::vector<std::size_t> new_order = by_start(sides.new_runs);
  std::vector<RunPair> pairs;
  for (std::size_t k = 0; k < count; ++k) {
    pairs.push_back({base_order[k], new_order[k]});
    if (k > 0) require_turns(sides, pairs, k);
  }
  return pairs;
}

bool are_in_turns(const Sides& sides) {
  try {
    pair_runs(sides);
    return true;
  } catch (const NoPairs&) {
    return false;
  }
}

std::string wait_events_note(std::span<const Result> base, std::span<const Result> new_runs) {
  constexpr std::size_t events_shown_most = 5;
  using Shares = std::array<double, 2>;  // of base and new
  std::map<std::string, Shares> events;
  Shares all = {0, 0};
  for (const std::size_t side : {0, 1}) {
    bool any = false;
    for (const Result& run : side == 0 ? base : new_runs) {
      if (!run.server_stats) continue;
      for (const WaitEvent& one : run.server_stats->wait_events) {
        events[one.name][side] += one.sessions;
        all[side] += one.sessions;
        any = true;
      }
    }
    if (!any) return {};
  }
  std::vector<std::pair<std::string, Shares>> sorted;
  for (auto& [name, shares] : events) {
    for (const std::size_t side : {0, 1})
      shares[side] = all[side] > 0 ? shares[side] / all[side] : 0;
    sorted.emplace_back(name, shares);
  }
  std::ranges::sort(sorted, {}, [](const auto& event) {
    return std::pair(-std::ranges::max(event.second), event.first);
  });
  if (sorted.size() > events_shown_most) {
    Shares others = {1, 1};
    for (std::size_t i = 0; i < events_shown_most; ++i)
      for (const std::size_t side : {0, 1}) others[side] -= sorted[i].second[side];
    sorted.resize(events_shown_most);
    sorted.emplace_back("other events", Shares{std::max(others[0], 0.0), std::max(others[1], 0.0)});
  }
  std::vector<std::string> texts;
  for (const auto& [name, shares] : sorted) {
    texts.push_back(
        fmt::format("{} {:.0f}% to {:.0f}%", text::shown(name), shares[0] * 100, shares[1] * 100));
  }
  return fmt::format("Shares of the time in the server by wait event, from base to new: {}.",
                     fmt::join(texts, ", "));
}

}  // namespace drover::report
