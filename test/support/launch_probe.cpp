// Starts members on hosts as `drover … --hosts` does, for a test that looks at what becomes of them.
//
//   launch_probe HOSTS SECONDS   the launch: says what the members say, asks all to end after so long
//   launch_probe member          a member: says who it is, and stays; SIGUSR1 tells it that it has lost the launch
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "ranks/launch.h"

namespace {

using namespace drover;

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

int be_member() {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size());
  const char* secret = std::getenv("DROVER_MEMBER_SECRET");
  say(fmt::format("member {} of {} on {} knows {}", std::getenv("OMPI_COMM_WORLD_RANK"),
                  std::getenv("OMPI_COMM_WORLD_SIZE"), host.data(), secret ? secret : "nothing"));
  sigset_t lost;
  ::sigemptyset(&lost);
  ::sigaddset(&lost, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &lost, nullptr);
  int number = 0;
  ::sigwait(&lost, &number);
  ranks::end_daemon_of_launch();
  return 0;
}

int launch(const std::string& hosts, std::chrono::seconds lasts) {
  coro::Worker worker;
  ranks::LaunchEnd end;
  auto run = [&](coro::Scope& scope) -> coro::Task<void> {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    ranks::Launch launch(
        ranks::mpirun_words(
            {ranks::parse_hosts(hosts), self, {"member"}, {"DROVER_MEMBER_SECRET"}, "probe"}),
        {"DROVER_MEMBER_SECRET=a secret"});
    auto end_in_time = [&]() -> coro::Task<void> {
      co_await coro::sleep_for(lasts);
      co_await launch.end(std::chrono::seconds(30));
    };
    scope.start(end_in_time());
    end = co_await launch.ended(say);
    scope.cancel();
  };
  coro::block_on(worker, coro::with_scope(run));
  say("mpirun " + end.what);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 2) return be_member();
    return launch(words[1], std::chrono::seconds(std::stol(words[2])));
  } catch (const std::exception& error) {
    say(std::string("error: ") + error.what());
    return 1;
  }
}
