#include "cli/hosts_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <numeric>
#include <random>

#include "cli/option/option_sources.h"
#include "cli/program.h"
#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/worker.h"
#include "file/bounded_file.h"
#include "measure/process.h"
#include "metrics/listen_address.h"
#include "ranks/mpi_meeting.h"
#include "ranks/starter.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

using coro::Task;
using ranks::Message;

// Lines that are kept of the output of a process whose agent has not joined.
constexpr std::size_t kept_lines_most = 20;

// Returns true for options that concern the coordinator alone.
bool is_of_coordinator(const Option& option) {
  return option.group == hosts_group || option.group == output_group ||
         option.group == general_group;
}

std::vector<load::Share> shares_of(std::vector<std::uint64_t> weights, std::size_t hosts) {
  if (weights.empty()) weights.resize(hosts, 1);
  if (weights.size() != hosts) {
    throw UsageError(fmt::format("--weights {}: expected one weight for each of {}",
                                 fmt::join(weights, ","), text::counted(hosts, "host")));
  }
  const auto total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  std::vector<load::Share> shares;
  std::uint64_t before = 0;
  for (const std::uint64_t weight : weights) {
    shares.push_back({before, weight, total, shares.size(), hosts});
    before += weight;
  }
  return shares;
}

// Returns a name that no other run has: the time and a random number.
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
    throw UsageError(
        fmt::format("--listen {}: expected a port, or a numeric address of this machine and a "
                    "port, such as 4711, 10.0.0.1:4711 or [fd00::1]:4711",
                    written));
  }
  const bool port_alone = written.rfind(':') == std::string::npos || written.starts_with(':');
  return {port_alone ? std::string() : address->host, address->port};
}

std::shared_ptr<ranks::Conductor> new_conductor(std::vector<std::string> names,
                                                const HostsArguments& arguments,
                                                const ranks::Endpoint& listen,
                                                std::string secret = {}) {
  ranks::ConductorSettings settings{std::move(names), listen, own_version(), std::move(secret)};
  settings.silence_most = arguments.host_timeout;
  settings.join_most = arguments.join_timeout;
  try {
    return std::make_shared<ranks::Conductor>(std::move(settings));
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("--listen {}: {}", arguments.listen, error.what()));
  }
}

using Note = std::function<void(std::string_view)>;

// The command that starts one agent.
struct AgentStart {
  std::size_t rank = 0;
  ranks::Host host;
  std::vector<std::string> words;
};

// Starts an agent and returns when its process has ended. If the process ends before the agent has
// joined, the host is lost; afterwards only the connection of the agent decides.
Task<void> started(ranks::Conductor& conductor, AgentStart start, Note on_note) {
  const std::size_t rank = start.rank;
  const auto note = [&](std::string_view line) {
    on_note(fmt::format("{}: {}", start.host.name, line));
  };
  std::vector<std::string> lines;
  try {
    ranks::Starter starter(start.words, conductor.secret() + "\n",
                           start.host.is_local() ? ranks::Starter::Lifetime::goes_on
                                                 : ranks::Starter::Lifetime::ends_with_starter);
    const int status = co_await starter.ended([&](const std::string& line) {
      if (conductor.has_come(rank)) return note(line);
      if (!line.empty() && lines.size() < kept_lines_most) lines.push_back(line);
    });
    const std::string last = lines.empty() ? std::string() : lines.back();
    const std::string reason = ranks::end_reason(start.host, status, own_program(), last);
    if (!conductor.has_come(rank)) {
      for (std::size_t i = 0; i + 1 < lines.size(); ++i) note(lines[i]);
      conductor.lose(rank, reason);
    } else if (WIFSIGNALED(status) && !conductor.is_released(rank)) {
      // On this machine the started process is the agent itself; for another machine it is ssh.
      const bool goes_on = !start.host.is_local() && !conductor.is_lost(rank);
      note(goes_on ? text::sentence(reason) + " The agent continues" : reason);
    }
  } catch (const std::exception& error) {
    conductor.lose(rank, error.what());
  }
}

Task<void> all_started(ranks::Conductor& conductor, std::vector<AgentStart> starts, Note on_note) {
  const auto each = [&](coro::Scope& scope) -> Task<void> {
    for (AgentStart& start : starts) scope.start(started(conductor, std::move(start), on_note));
    co_return;
  };
  co_await coro::with_scope(each);
}

// Returns the command that starts the agent of this rank, which reads its secret from the standard
// input.
AgentStart start_of(const ranks::Conductor& conductor, std::size_t rank, const ranks::Host& host,
                    const std::string& ssh) {
  std::vector<std::string> words =
      agent_words(ranks::endpoints_text(conductor.endpoints()), rank, "-", coro::Duration::zero());
  words.insert(words.begin(), own_program());
  return {rank, host, ranks::start_words(host, ssh, words)};
}

// Prepares the start of the agents of --hosts.
void start_hosts(const HostsArguments& arguments, run::Conducting& conducting) {
  std::vector<ranks::Host> hosts;
  try {
    hosts = ranks::parse_hosts(arguments.hosts);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--hosts {}: {}", arguments.hosts, error.what()));
  }
  std::vector<std::string> names;
  for (const ranks::Host& host : hosts) names.push_back(host.name);
  ranks::Endpoint listen = listen_at(arguments.listen);
  const bool all_local = std::ranges::all_of(hosts, &ranks::Host::is_local);
  if (arguments.listen.empty() && all_local) listen.host = "127.0.0.1";
  conducting.conductor = new_conductor(names, arguments, listen);
  std::vector<AgentStart> starts;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    starts.push_back(start_of(*conducting.conductor, rank, hosts[rank], arguments.ssh));
  }
  conducting.launch = [&conductor = *conducting.conductor, starts](Note on_note) {
    return all_started(conductor, starts, std::move(on_note));
  };
}

// Prepares the wait for agents that are started by other means, with `drover agent --join`.
void await_agents(const HostsArguments& arguments, run::Conducting& conducting) {
  if (!arguments.join.empty()) {
    throw UsageError(
        "--join works only in a job that starts this command on every host. Elsewhere, start "
        "'drover agent --join' on each host");
  }
  const ranks::Endpoint listen = listen_at(arguments.listen);
  if (listen.port == 0) {
    throw UsageError(
        "--agents needs --listen PORT, the port at which the agents join, such as --listen 4711");
  }
  const auto agents = static_cast<std::size_t>(*arguments.agents);
  conducting.conductor = new_conductor(std::vector<std::string>(agents), arguments, listen,
                                       read_secret(arguments.secret_file));
  const std::string note =
      fmt::format("waiting for {} at {} (drover agent --join)", text::counted(agents, "agent"),
                  ranks::endpoints_text(conducting.conductor->endpoints()));
  conducting.launch = [note](Note on_note) -> Task<void> {
    on_note(note);
    co_return;
  };
}

}  // namespace

void add_hosts_options(Command& command, HostsArguments& arguments) {
  arguments.command = &command;
  command.hosts = &arguments;
  command.add_options(
      hosts_group,
      {{"--hosts", &arguments.hosts, "HOST,…",
        "Divide the work among these hosts. Starts an agent on each by ssh (localhost: without "
        "ssh)",
        command_line_only + common_option},
       {"--agents", &arguments.agents, "N",
        "Divide the work among N agents, which are started by drover agent --join or by a job. "
        "Requires a secret and --listen (in a job: --join instead of --listen)",
        in_range(1, ranks::hosts_max) + command_line_only},
       {"--weights", &arguments.weights, "N,…",
        "Relative load per host: 2,1,1 gives the first host half of the load (default: equal)",
        in_range(1, 1'000'000) + comma_list},
       {"--listen", &arguments.listen, "[ADDRESS:]PORT",
        "Address at which agents join this process (default: all addresses, any free port)"},
       {"--join", &arguments.join, "HOST:PORT",
        "Address of the coordinator, which is the first process of a job that starts this command "
        "on every host (indexed Kubernetes Job, srun)"},
       {"--secret-file", &arguments.secret_file, "FILE",
        "With --agents: file with the secret that all hosts share (default: the variable "
        "DROVER_SECRET)",
        input_file},
       {"--ssh", &arguments.ssh, "COMMAND", "ssh program for --hosts, with its options"},
       {"--host-timeout", &arguments.host_timeout, "TIME",
        "Treat a host that is silent for TIME as lost, and end the command on all hosts",
        in_range(between(std::chrono::seconds(1), std::chrono::hours(1)))},
       {"--join-timeout", &arguments.join_timeout, "TIME", "Time limit for all hosts to join",
        in_range(between(coro::Duration::zero(), join_timeout_most))}});
}

void add_parts_option(Command& command, HostsArguments& arguments) {
  command.add_options(hosts_group, {{"--parts", &arguments.parts, "DIR",
                                     "Folder in which each host stores its part of the result "
                                     "(default: ~/.local/state/drover/parts)"}});
}

void check_hosts(const HostsArguments& arguments) {
  if (arguments.several()) return file::remember_files();
  // Values from variables and from the file of --config stay without effect, since they may be
  // meant for other commands.
  for (const char* name : {"--weights", "--parts", "--listen", "--join", "--secret-file", "--ssh",
                           "--host-timeout", "--join-timeout"}) {
    const Option* option = arguments.command->find_option(name);
    if (option != nullptr && option->is_given() && option->origin.empty()) {
      throw UsageError(fmt::format("{} needs --hosts or --agents", name));
    }
  }
}

Message work_of(const Command& command) {
  Message work = ranks::message("work");
  std::vector<std::string> words(command.path.begin() + 1, command.path.end());
  for (const Option* option : all_options(command)) {
    if (is_of_coordinator(*option)) continue;
    for (const std::string& word : option->words) {
      if (option->is_flag()) {
        if (word != "false") words.push_back(option->name());
      } else {
        words.push_back(option->is_argument() ? word : fmt::format("{}={}", option->name(), word));
      }
    }
  }
  work["words"] = std::move(words);
  // libpq and YDB's client take settings from these variables.
  work["environment"] = Message::object();
  for (auto& [name, value] : variables_with_prefix({"PG", "YDB_"})) {
    work["environment"][name] = std::move(value);
  }
  return work;
}

std::shared_ptr<run::Conducting> make_conducting(const HostsArguments& arguments,
                                                 bool private_server) {
  if (!arguments.hosts.empty() && arguments.agents) {
    throw UsageError(
        "--agents cannot be combined with --hosts, which starts the agents itself. Leave out one "
        "of them");
  }
  if (private_server) {
    throw UsageError(fmt::format("{} needs --db: other hosts cannot reach the private server",
                                 !arguments.hosts.empty() ? "--hosts"
                                 : arguments.agents       ? "--agents"
                                                          : "mpirun"));
  }
  const auto conducting = std::make_shared<run::Conducting>();
  conducting->run = new_run();
  if (arguments.met) {
    conducting->conductor = arguments.met;
    // A job does not name its processes before they have joined.
    std::string name = arguments.met->name(0);
    if (name.empty()) name = "agent 0";
    const ranks::Host own{"localhost", name};
    conducting->launch = [&conductor = *arguments.met, own](Note on_note) {
      return all_started(conductor, {start_of(conductor, 0, own, "")}, std::move(on_note));
    };
  } else if (!arguments.hosts.empty()) {
    start_hosts(arguments, *conducting);
  } else {
    await_agents(arguments, *conducting);
  }
  conducting->shares = shares_of(arguments.weights, conducting->conductor->ranks());
  conducting->work = work_of(*arguments.command);
  conducting->work["parts"] = arguments.parts;
  return conducting;
}

namespace {

// Replaces this process with an agent.
[[noreturn]] void become_agent(std::vector<std::string> words) {
  const std::string program = own_program();
  words.insert(words.begin(), "drover");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw std::system_error(errno, std::generic_category(), "cannot start " + program);
}

// Starts an agent as a child process without MPI and waits for it. mpirun kills all ranks when one
// of its processes dies, but does not see the death of this child.
int agent_beside_mpi(const std::vector<std::string>& words) {
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start the agent");
  if (child == 0) {
    // mpirun ends the parent; the agent must end with it.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    try {
      become_agent(words);
    } catch (const std::exception& error) {
      std::fputs(fmt::format("drover: error: {}\n", error.what()).c_str(), stderr);
      _exit(exit_failure);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(exit_success);
}

}  // namespace

std::optional<int> meet_by_mpi(HostsArguments& arguments, const std::function<void()>& complete) {
  if (!arguments.hosts.empty()) {
    throw UsageError(
        "--hosts cannot be used under mpirun, which has already started drover on each host. Leave "
        "out --hosts");
  }
  ranks::MpiMeeting meeting;
  // Each rank sends its host's name and its version. Rank 0 also sends its addresses and the
  // secret, or why it refuses the command.
  const auto size = static_cast<std::size_t>(meeting.size());
  std::shared_ptr<ranks::Conductor> conductor;
  Message own = ranks::message("meet");
  own["host"] = measure::describe_host().hostname;
  own["program"] = own_version();
  if (meeting.rank() == 0) {
    try {
      complete();
      conductor =
          new_conductor(std::vector<std::string>(size), arguments, listen_at(arguments.listen));
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
    // Rank 0 prints the error, and mpirun exits with its exit code. If another rank failed first,
    // mpirun would kill rank 0.
    if (rank != 0) return exit_success;
    throw UsageError(all.front()["refusal"].get<std::string>());
  }
  if (rank != 0) {
    setenv(secret_variable, all.front()["secret"].get<std::string>().c_str(), 1);
    return agent_beside_mpi(
        agent_words(all.front()["conductor"].get<std::string>(), rank, "", coro::Duration::zero()));
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

void meet_in_job(HostsArguments& arguments, const ranks::JobPlace& place) {
  if (!arguments.hosts.empty()) {
    throw UsageError(
        "--hosts cannot be used in this job, which has already started drover on each host. Leave "
        "out --hosts");
  }
  std::size_t agents = place.size.value_or(0);
  if (arguments.agents) agents = static_cast<std::size_t>(*arguments.agents);
  if (place.index >= agents) {
    throw UsageError(
        fmt::format("--agents {}: too few, because this process has the index {}. Expected the "
                    "number of all processes of the job",
                    agents, place.index));
  }
  const std::string join = arguments.join.empty() ? place.coordinator : arguments.join;
  const auto port = text::number_of<std::uint16_t>(join.substr(join.rfind(':') + 1));
  if (join.find(':') == std::string::npos || !port || *port == 0) {
    throw UsageError(
        fmt::format("--join{}{}: expected the host of the first process and a port, "
                    "such as drover-0.drover:4711",
                    join.empty() ? "" : " ", join));
  }
  if (place.index > 0) {
    become_agent(agent_words(join, place.index, arguments.secret_file, arguments.join_timeout));
  }
  arguments.listen = fmt::format("{}", *port);
  arguments.met = new_conductor(std::vector<std::string>(agents), arguments, {"", *port},
                                read_secret(arguments.secret_file));
  arguments.agents.reset();
}

void refuse_agents(const HostsArguments& arguments) {
  constexpr coro::Duration limit = std::chrono::seconds(5);
  coro::Worker worker;
  coro::block_on(worker, arguments.met->refuse_all(
                             "the coordinator has failed. Its output has the reason", limit));
}

}  // namespace drover::cli
