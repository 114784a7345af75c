#include "report/comparability.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>

#include "report/audit.h"
#include "report/bounded_file.h"

namespace drover::report {

namespace {

constexpr std::size_t values_shown_most = 4;
constexpr std::size_t notes_most = 24;

// What has to be equal.
struct Trait {
  std::string_view key;
  std::string_view name;
  std::string (*text)(const Result&);
};

std::string pacing_text(const Result& result) {
  if (result.plan.no_delays) return "no delays";
  return result.plan.pace == 1 ? "as specified" : fmt::format("{:g} times", result.plan.pace);
}

std::string backend_text(const Result& result) {
  if (result.plan.simulate_ms) return fmt::format("simulated, {:g} ms", *result.plan.simulate_ms);
  // A document from before there was another kind does not name it.
  return result.environment.server ? shown(result.environment.server->kind) : "a database";
}

// Without delays, it is the transactions at a time that make the load; with them, the terminals.
std::string inflight_text(const Result& result) {
  if (!result.plan.no_delays) return "by the terminals";
  return fmt::format("{}", std::min(result.plan.max_inflight, result.plan.connections));
}

std::string setting_text(const Result& result, const std::string& name) {
  if (!result.environment.server) return "unknown";
  const auto& settings = result.environment.server->settings;
  const auto found = settings.find(name);
  return found == settings.end() ? "unknown" : shown(found->second);
}

constexpr std::array<Trait, 11> traits = {
    {{"benchmark", "benchmark", [](const Result& r) { return shown(r.plan.benchmark); }},
     {"backend", "transactions run on", backend_text},
     {"warehouses", "warehouses",
      [](const Result& r) { return fmt::format("{}", r.plan.warehouses); }},
     {"pacing", "pacing (keying and think times)", pacing_text},
     {"inflight", "transactions at a time without delays", inflight_text},
     {"isolation", "isolation", [](const Result& r) { return shown(r.plan.isolation); }},
     {"statements", "style of statements",
      [](const Result& r) { return shown(r.plan.statements); }},
     {"delivery", "Delivery",
      [](const Result& r) {
        return std::string(r.plan.deferred_delivery ? "deferred" : "by the terminal");
      }},
     {"fsync", "server setting fsync", [](const Result& r) { return setting_text(r, "fsync"); }},
     {"synchronous_commit", "server setting synchronous_commit",
      [](const Result& r) { return setting_text(r, "synchronous_commit"); }},
     {"full_page_writes", "server setting full_page_writes",
      [](const Result& r) { return setting_text(r, "full_page_writes"); }}}};

constexpr std::string_view key_duration = "duration";
constexpr std::string_view key_invalid = "invalid";
constexpr std::string_view key_interrupted = "interrupted";
constexpr std::string_view key_failed = "failed";
constexpr std::string_view key_duplicate = "duplicate";

// Values in the order of the runs, each once.
std::string values_text(std::span<const Result> runs,
                        const std::function<std::string(const Result&)>& text) {
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

// Nothing if all runs of both sides say the same.
std::optional<std::string> difference_text(const RunSet& base, const RunSet& new_runs,
                                           const SideWords& words, std::string_view name,
                                           const std::function<std::string(const Result&)>& text) {
  std::set<std::string> values;
  for (const Result& run : base.runs) values.insert(text(run));
  for (const Result& run : new_runs.runs) values.insert(text(run));
  if (values.size() <= 1) return std::nullopt;
  return fmt::format("{}: {} {}, {} {}", name, words.base, values_text(base.runs, text),
                     words.new_runs, values_text(new_runs.runs, text));
}

void add_duration(std::vector<Obstacle>& obstacles, const RunSet& base, const RunSet& new_runs,
                  const SideWords& words) {
  double shortest = base.runs.front().summary.time_seconds;
  double longest = shortest;
  for (const RunSet* side : {&base, &new_runs}) {
    for (const Result& run : side->runs) {
      shortest = std::min(shortest, run.summary.time_seconds);
      longest = std::max(longest, run.summary.time_seconds);
    }
  }
  if (longest <= shortest * duration_ratio_most) return;
  const auto text = [](const Result& run) {
    return fmt::format("{:.0f} s", run.summary.time_seconds);
  };
  obstacles.push_back({std::string(key_duration),
                       fmt::format("measured time, by more than {:g} times: {} {}, {} {}",
                                   duration_ratio_most, words.base, values_text(base.runs, text),
                                   words.new_runs, values_text(new_runs.runs, text))});
}

// Copies of one run would make certainty out of nothing.
void add_duplicates(std::vector<Obstacle>& obstacles, const RunSet& base, const RunSet& new_runs) {
  std::vector<std::pair<const Result*, std::string>> seen;
  const auto add = [&](const RunSet& side, std::string_view side_name) {
    for (std::size_t i = 0; i < side.runs.size(); ++i) {
      const Result& run = side.runs[i];
      const std::string name = side.name_of(i, side_name);
      const auto same = std::ranges::find_if(
          seen, [&run](const auto& one) { return is_same_run(*one.first, run); });
      if (same != seen.end()) {
        obstacles.push_back({std::string(key_duplicate),
                             fmt::format("{} and {} are the same run", same->second, name)});
      }
      seen.emplace_back(&run, name);
    }
  };
  add(base, "base");
  add(new_runs, "new");
}

std::string server_version_text(const Result& result) {
  return result.environment.server ? shown(result.environment.server->version) : "none";
}

std::string client_text(const Result& result) {
  const measure::Host& client = result.environment.client;
  return fmt::format("{} ({} CPUs, {})", shown(client.hostname), client.cpus,
                     shown(client.cpu_model));
}

}  // namespace

std::string RunSet::name_of(std::size_t index, std::string_view side) const {
  if (index < names.size()) return shown(names[index], 120);
  return fmt::format("{} run {}", side, index + 1);
}

std::vector<Obstacle> find_obstacles(const RunSet& base, const RunSet& new_runs,
                                     const SideWords& words) {
  std::vector<Obstacle> obstacles;
  if (base.runs.empty() || new_runs.runs.empty()) return obstacles;
  const auto add = [&](std::string_view key, std::string_view name, const auto& text) {
    if (auto difference = difference_text(base, new_runs, words, name, text)) {
      obstacles.push_back({std::string(key), std::move(*difference)});
    }
  };
  for (const Trait& trait : traits) add(trait.key, trait.name, trait.text);
  add_duration(obstacles, base, new_runs, words);
  const auto add_flaws = [&obstacles](const RunSet& side, std::string_view side_name) {
    for (std::size_t i = 0; i < side.runs.size(); ++i) {
      for (Obstacle& flaw : find_flaws(side.runs[i], side.name_of(i, side_name))) {
        obstacles.push_back(std::move(flaw));
      }
    }
  };
  add_flaws(base, "base");
  add_flaws(new_runs, "new");
  add_duplicates(obstacles, base, new_runs);
  return obstacles;
}

std::vector<Obstacle> find_flaws(const Result& run, std::string_view name) {
  std::vector<Obstacle> flaws;
  const auto add = [&flaws](std::string_view key, std::string text) {
    flaws.push_back({std::string(key), std::move(text)});
  };
  if (run.failure) {
    add(key_failed, fmt::format("{} was given up: {}", name, shown(*run.failure, 200)));
  }
  if (run.interrupted) add(key_interrupted, fmt::format("{} was interrupted", name));
  if (const AuditSummary audit = summarise(run.audit); !audit.valid) {
    add(key_invalid, fmt::format("the audit of {} says {}", name, shown(audit.sentence, 200)));
  }
  return flaws;
}

std::vector<std::string> find_other_differences(const RunSet& base, const RunSet& new_runs) {
  std::vector<std::string> notes;
  const auto add = [&](std::string_view name, const auto& text) {
    if (auto difference = difference_text(base, new_runs, {}, name, text)) {
      notes.push_back(std::move(*difference));
    }
  };
  add("server version", server_version_text);
  add("drover", [](const Result& r) {
    return fmt::format("{} ({})", shown(r.tool.version), shown(r.tool.commit));
  });
  add("client machine", client_text);
  add("worker threads", [](const Result& r) { return fmt::format("{}", r.plan.threads); });
  add("connections", [](const Result& r) { return fmt::format("{}", r.plan.connections); });
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
    add(fmt::format("server setting {}", shown(name)),
        [&name](const Result& r) { return setting_text(r, name); });
  }
  if (notes.size() > notes_most) {
    const std::size_t more = notes.size() - notes_most;
    notes.resize(notes_most);
    notes.push_back(fmt::format("and {} more differences of settings", more));
  }
  return notes;
}

std::string circumstances_of(const Result& result, std::span<const std::string> allow_different) {
  const auto is_allowed = [&](std::string_view key) {
    return std::ranges::any_of(allow_different,
                               [key](const auto& one) { return one == key || one == "all"; });
  };
  std::string circumstances;
  for (const Trait& trait : traits) {
    if (!is_allowed(trait.key)) circumstances += trait.text(result);
    circumstances += '\n';
  }
  return circumstances;
}

bool is_same_run(const Result& one, const Result& other) {
  return one.summary.measure_start_ts == other.summary.measure_start_ts &&
         one.environment.client.hostname == other.environment.client.hostname &&
         one.summary.new_orders == other.summary.new_orders &&
         one.summary.time_seconds == other.summary.time_seconds &&
         one.client.cpu_seconds == other.client.cpu_seconds;
}

std::span<const std::string_view> obstacle_keys() {
  static constexpr auto keys = [] {
    std::array<std::string_view, traits.size() + 5> all;
    for (std::size_t i = 0; i < traits.size(); ++i) all[i] = traits[i].key;
    std::size_t next = traits.size();
    for (const std::string_view key :
         {key_duration, key_invalid, key_interrupted, key_failed, key_duplicate}) {
      all[next++] = key;
    }
    return all;
  }();
  return keys;
}

}  // namespace drover::report
