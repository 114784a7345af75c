#include "cli/hosts_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <random>
#include <string_view>
#include <utility>

#include "cli/member.h"
#include "cli/option/quantity.h"
#include "cli/version.h"
#include "coro/cancellation.h"
#include "coro/worker.h"
#include "file/bounded_file.h"
#include "measure/host.h"
#include "metrics/listen_address.h"
#include "ranks/launch.h"
#include "ranks/mpi_meeting.h"
#include "run/usage_error.h"
#include "text/plain_text.h"

namespace drover::cli {
namespace {

using coro::Task;
using ranks::Message;

constexpr std::string_view hosts_group = "Several hosts";
// For mpirun to end when all ranks have, and when it is asked to; then it is killed.
constexpr coro::Duration patience_with_mpirun = std::chrono::seconds(5);
constexpr coro::Duration patience_with_loss = std::chrono::seconds(1);

// What is the conductor's alone: who the hosts are, and what a person sees and gets.
bool is_of_conductor(const Option& option) {
  constexpr std::array<std::string_view, 14> names = {
      "--hosts",        "--weights", "--parts",   "--gather-at", "--json",
      "--ui",           "--metrics", "--strict",  "--config",    "--no-environment",
      "--server-stats", "--format",  "--hdr-log", "--help"};
  return std::ranges::find(names, option.name()) != names.end();
}

// What libpq and YDB's client take from the environment here holds there, too.
Message environment_of_databases() {
  Message variables = Message::object();
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    if (!text.starts_with("PG") && !text.starts_with("YDB_")) continue;
    variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  return variables;
}

std::vector<std::uint64_t> weights_of(const HostsArguments& arguments, std::size_t hosts) {
  if (arguments.weights.empty()) return std::vector<std::uint64_t>(hosts, 1);
  std::vector<std::uint64_t> weights;
  for (const std::string& one : text::parts(arguments.weights, ',')) {
    weights.push_back(static_cast<std::uint64_t>(parse_count("--weights", one, 1, 1'000'000)));
  }
  if (weights.size() != hosts) {
    throw UsageError(fmt::format("--weights {}: expected one for each of {}", arguments.weights,
                                 text::counted(hosts, "host")));
  }
  return weights;
}

std::vector<load::Share> shares_of(const std::vector<std::uint64_t>& weights) {
  std::uint64_t total = 0;
  for (const std::uint64_t weight : weights) total += weight;
  std::vector<load::Share> shares;
  std::uint64_t before = 0;
  for (std::size_t rank = 0; rank < weights.size(); ++rank) {
    shares.push_back({before, weights[rank], total, rank, weights.size()});
    before += weights[rank];
  }
  return shares;
}

// When and by chance: no other run has it.
std::string new_run() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> text{};
  std::tm utc{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
  return fmt::format("{}-{:08x}", text.data(), std::random_device()());
}

ranks::Endpoint listen_at(const std::string& written) {
  if (written.empty()) return {};
  const auto address = metrics::parse_listen_address(written);
  if (!address) {
    throw UsageError(fmt::format(
        "--gather-at {}: expected a port, or an address of this machine in digits and a port, "
        "such as 4711, 10.0.0.1:4711 or [fd00::1]:4711",
        written));
  }
  const bool port_alone = written.rfind(':') == std::string::npos || written.starts_with(':');
  return {port_alone ? std::string() : address->host, address->port};
}

std::shared_ptr<ranks::Conductor> new_conductor(std::vector<std::string> names,
                                                const std::string& gather_at) {
  try {
    return std::make_shared<ranks::Conductor>(
        ranks::ConductorSettings{std::move(names), listen_at(gather_at), own_version()});
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("--gather-at {}: {}", gather_at, error.what()));
  }
}

// What Open MPI 4 says of itself when a rank ends otherwise than it likes, or is started by a shell.
bool is_prattle(std::string_view line) {
  return line.find("PMIX ERROR: BAD-PARAM") != std::string_view::npos ||
         line.find("plm:rsh: Warning: setpgid") != std::string_view::npos;
}

// Ends what it has launched when it is cancelled, and returns when that is done.
Task<void> launched(const ranks::Conductor& conductor, std::vector<std::string> words,
                    std::vector<std::string> variables,
                    std::function<void(std::string_view)> on_note, std::string who) {
  ranks::Launch launch(words, variables);
  bool cancelled = false;
  try {
    const ranks::LaunchEnd end = co_await launch.ended([&](const std::string& line) {
      if (!is_prattle(line)) on_note(fmt::format("{}: {}", who, line));
    });
    if (!end.succeeded) on_note(fmt::format("{} {}", who, end.what));
  } catch (const coro::Cancelled&) {
    cancelled = true;
  }
  if (!cancelled) co_return;
  coro::CancelSource unhurried(coro::Worker::current());
  // Where a rank is lost it does not; the others have ended, and its daemons end what is left without it.
  const bool is_orderly = conductor.all_have_come() && !conductor.any_lost();
  if (is_orderly) co_await launch.end_by_itself(patience_with_mpirun).under(unhurried);
  co_await launch.end(!is_orderly ? patience_with_loss : patience_with_mpirun).under(unhurried);
  throw coro::Cancelled{};
}

}  // namespace

void add_hosts_options(Command& command, HostsArguments& arguments) {
  arguments.command = &command;
  command.hosts = &arguments;
  command.add_options(
      std::string(hosts_group),
      {{"--hosts", &arguments.hosts, "NAME,…",
        "These hosts do it together, each its part: mpirun starts drover there by ssh, from the "
        "same file as here. This process gathers and shows what they do",
        command_line_only},
       {"--weights", &arguments.weights, "N,…",
        "With --hosts: how the parts are to each other: 2,1,1 gives the first half of it"},
       {"--gather-at", &arguments.gather_at, "[ADDRESS:]PORT",
        "Where the hosts report to this one, which a firewall has to let through (default: any "
        "free port of all addresses)"}});
}

void add_parts_option(Command& command, HostsArguments& arguments) {
  command.add_options(
      std::string(hosts_group),
      {{"--parts", &arguments.parts, "DIR",
        "With --hosts: where each host keeps its part (default: drover/parts in the folder for "
        "programs' state)"}});
}

void check_hosts(const HostsArguments& arguments) {
  if (arguments.several()) return file::remember_files();
  // In a variable or a file of settings they are for those commands that have --hosts.
  for (const char* name : {"--weights", "--parts", "--gather-at"}) {
    const Option* option = arguments.command->find_option(name);
    if (option != nullptr && option->is_given() && option->origin.empty()) {
      throw UsageError(fmt::format("{} needs --hosts", name));
    }
  }
}

Message work_of(const Command& command) {
  Message work = ranks::message("work");
  std::vector<std::string> words(command.path.begin() + 1, command.path.end());
  for (const std::vector<Option>* options : {&command.options, &command.arguments}) {
    for (const Option& option : *options) {
      if (!option.is_given() || is_of_conductor(option)) continue;
      for (const std::string& word : option.words) {
        if (option.is_flag()) {
          if (word != "false") words.push_back(option.name());
        } else {
          words.push_back(option.is_argument() ? word : fmt::format("{}={}", option.name(), word));
        }
      }
    }
  }
  work["words"] = std::move(words);
  work["environment"] = environment_of_databases();
  return work;
}

std::shared_ptr<run::Conducting> make_conducting(const HostsArguments& arguments,
                                                 bool private_server) {
  const char* who = arguments.met ? "mpirun" : "--hosts";
  if (private_server) {
    throw UsageError(fmt::format(
        "{}: needs --db, since the private server can be reached on this machine alone", who));
  }
  const auto conducting = std::make_shared<run::Conducting>();
  conducting->run = new_run();
  std::vector<ranks::Host> hosts;
  if (arguments.met) {
    conducting->conductor = arguments.met;
    const std::string secret = conducting->conductor->secret();
    const auto variables = member_variables(conducting->conductor->endpoints(), secret, 0);
    conducting->launch = [&conductor = *conducting->conductor, variables](auto on_note) {
      return launched(conductor, {own_program(), "member"}, variables, std::move(on_note),
                      "rank 0");
    };
  } else {
    try {
      hosts = ranks::parse_hosts(arguments.hosts);
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--hosts {}: {}", arguments.hosts, error.what()));
    }
    std::vector<std::string> names;
    for (const ranks::Host& host : hosts) names.push_back(host.name);
    conducting->conductor = new_conductor(names, arguments.gather_at);
    const auto variables = member_variables(conducting->conductor->endpoints(),
                                            conducting->conductor->secret(), std::nullopt);
    ranks::LaunchRequest request{
        .hosts = hosts,
        .program = own_program(),
        .words = {"member"},
        .environment = {MemberVariables::conductor, MemberVariables::secret},
        .run = conducting->run};
    conducting->launch = [&conductor = *conducting->conductor, words = ranks::mpirun_words(request),
                          variables](auto on_note) {
      return launched(conductor, words, variables, std::move(on_note), "mpirun");
    };
  }
  conducting->shares = shares_of(weights_of(arguments, conducting->conductor->ranks()));
  conducting->work = work_of(*arguments.command);
  conducting->work["parts"] = arguments.parts;
  return conducting;
}

namespace {

// By a process of the same id, with nothing of MPI's in its memory.
[[noreturn]] void become_member(const std::vector<std::string>& variables) {
  for (const std::string& one : variables) {
    const std::size_t equals = one.find('=');
    setenv(one.substr(0, equals).c_str(), one.substr(equals + 1).c_str(), 1);
  }
  const std::string program = own_program();
  execl(program.c_str(), "drover", "member", nullptr);
  throw std::system_error(errno, std::generic_category(), "cannot start " + program);
}

}  // namespace

std::optional<int> meet_by_mpi(HostsArguments& arguments, const std::function<void()>& complete) {
  if (!arguments.hosts.empty()) {
    throw UsageError("--hosts: mpirun has started this drover, and knows the hosts");
  }
  ranks::MpiMeeting meeting;
  // Each says who it is, and rank 0 where the others are to come to; whoever finds something wrong says that.
  const auto size = static_cast<std::size_t>(meeting.size());
  std::shared_ptr<ranks::Conductor> conductor;
  Message own = ranks::message("meet");
  own["host"] = measure::describe_host().hostname;
  own["program"] = own_version();
  if (meeting.rank() == 0) {
    try {
      complete();
      conductor = new_conductor(std::vector<std::string>(size), arguments.gather_at);
      own["conductor"] = ranks::endpoints_text(conductor->endpoints());
      own["secret"] = conductor->secret();
    } catch (const UsageError& error) {
      own["refusal"] = error.what();
    }
  }
  const std::vector<std::string> texts = meeting.exchange(own.dump());
  const auto rank = static_cast<std::size_t>(meeting.rank());
  meeting.end();
  std::vector<Message> all;
  for (const std::string& text : texts) all.push_back(Message::parse(text));
  if (all.front().contains("refusal")) {
    // Rank 0 says it.
    if (rank != 0) return exit_usage;
    throw UsageError(all.front()["refusal"].get<std::string>());
  }
  if (rank != 0) {
    become_member(
        member_variables(ranks::parse_endpoints(all.front()["conductor"].get<std::string>()),
                         all.front()["secret"].get<std::string>(), rank));
  }
  std::map<std::string, int> times;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto host = all[i]["host"].get<std::string>();
    const int time = ++times[host];
    conductor->call(i, time == 1 ? host : fmt::format("{}#{}", host, time));
  }
  arguments.met = std::move(conductor);
  return std::nullopt;
}

}  // namespace drover::cli
