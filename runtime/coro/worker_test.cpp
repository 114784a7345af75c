// The worker and the operating system: refused system calls, closed descriptors, forked processes.
// runtime_test.cpp tests the rest.
#include "coro/worker.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/fd_watch.h"
#include "coro/sleep.h"

namespace drover::coro {
namespace {

using namespace std::chrono_literals;

constexpr int no_filters = 77;

// Returns the status of a forked process that exits with the result of `body`.
int status_of_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(300);  // a loop that sees nothing any more would go on for ever
    int code = 1;
    try {
      code = body();
    } catch (...) {
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Makes the calls fail with `error` from now on. Exits if the system does not allow that.
void refuse(const std::vector<long>& calls, int error) {
  std::vector<sock_filter> program;
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const long call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    _exit(no_filters);
  }
}

bool no_filters_here(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == no_filters;
}

long open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

class Pair {
 public:
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    close(ends[0]);
    close(ends[1]);
  }
  void write_one() const { EXPECT_EQ(write(ends[1], "x", 1), 1); }

  int ends[2] = {-1, -1};
};

Task<void> wait_for(FdWatch& watch) {
  co_await watch.ready(Readiness::read);
}

// Sleeps, and wakes a reader by a writer, on real time.
int sleep_and_read() {
  Worker worker;
  const Pair pair;
  auto reader = [&pair]() -> Task<void> {
    FdWatch watch(pair.ends[0]);
    co_await watch.ready(Readiness::read);
  };
  bool early = false;
  auto writer = [&]() -> Task<void> {
    const Instant before = Worker::current().now();
    co_await sleep_for(2300us);
    early = Worker::current().now() < before + 2300us;
    pair.write_one();
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(reader());
    scope.start(writer());
    co_return;
  };
  block_on(worker, with_scope(body));
  return early ? 1 : 0;
}

TEST(WorkerAndFilters, AKernelWithoutTheExactWaitServes) {
  for (const int error : {EPERM, ENOSYS}) {
    const int status = status_of_child([error] {
      refuse({SYS_epoll_pwait2}, error);
      return sleep_and_read();
    });
    if (no_filters_here(status)) GTEST_SKIP() << "no filters of system calls here";
    EXPECT_EQ(status, 0) << error;
  }
}

TEST(WorkerAndFilters, AWorkerThatCannotWaitSaysSoAndAborts) {
  const int status = status_of_child([] {
    std::vector<long> calls{SYS_epoll_pwait2, SYS_epoll_pwait};
#ifdef SYS_epoll_wait
    calls.push_back(SYS_epoll_wait);
#endif
    refuse(calls, EPERM);
    return sleep_and_read();
  });
  if (no_filters_here(status)) GTEST_SKIP() << "no filters of system calls here";
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

TEST(WorkerAndFilters, AConstructorThatFailsLeavesNoDescriptor) {
  const int status = status_of_child([] {
    const long before = open_descriptors();
    refuse({SYS_epoll_ctl}, ENOMEM);
    try {
      const Worker worker;
    } catch (const std::system_error&) {
      return open_descriptors() == before ? 0 : 2;
    }
    return 3;
  });
  if (no_filters_here(status)) GTEST_SKIP() << "no filters of system calls here";
  EXPECT_EQ(status, 0);
}

TEST(WorkerTest, LeavesTheThreadsTimerSlackAsItWas) {
  constexpr int slack_ns = 40'000;
  prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack_ns));
  if (prctl(PR_GET_TIMERSLACK) != slack_ns) GTEST_SKIP() << "a thread without a timer slack";
  Worker worker;
  auto body = []() -> Task<int> { co_return prctl(PR_GET_TIMERSLACK); };
  EXPECT_EQ(block_on(worker, body()), 1);
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), slack_ns);
  prctl(PR_SET_TIMERSLACK, 0UL);  // the default
}

TEST(WorkerTest, RefusesALoopWithinALoop) {
  Worker worker;
  Worker other;
  auto nothing = []() -> Task<void> { co_return; };
  auto body = [&]() -> Task<void> {
    EXPECT_THROW(block_on(worker, nothing()), std::logic_error);
    EXPECT_THROW(block_on(other, nothing()), std::logic_error);
    std::thread([&] { EXPECT_THROW(block_on(worker, nothing()), std::logic_error); }).join();
    co_return;
  };
  block_on(worker, body());
  block_on(other, nothing());
}

// A wait of virtual time that no event ends takes no real time.
class FdWatchTest : public testing::Test {
 protected:
  void run(const std::function<Task<void>()>& body) { block_on(worker, body()); }

  VirtualClock clock;
  Worker worker{clock};
  Pair pair;
};

TEST_F(FdWatchTest, ASecondWaiterIsAnErrorAndTheFirstWaitsOn) {
  bool served = false;
  auto first = [&](FdWatch& watch) -> Task<void> {
    co_await watch.ready(Readiness::read);
    served = true;
  };
  auto second = [](FdWatch& watch) -> Task<void> {
    EXPECT_THROW(co_await watch.ready(Readiness::write), std::logic_error);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    FdWatch watch(pair.ends[0]);
    scope.start(first(watch));
    scope.start(second(watch));
    co_await sleep_for(1s);
    pair.write_one();
    co_await sleep_for(1s);
    EXPECT_TRUE(served);
  };
  block_on(worker, with_scope(body));
}

TEST_F(FdWatchTest, AChildProcessThatDestroysItLeavesTheParentsAlone) {
  run([&]() -> Task<void> {
    std::optional<FdWatch> watch(pair.ends[0]);
    const int status = status_of_child([&watch] {
      watch.reset();
      return 0;
    });
    EXPECT_EQ(status, 0);
    pair.write_one();
    co_await with_deadline(clock.now() + 1h, wait_for(*watch));
  });
}

TEST_F(FdWatchTest, AChildProcessThatMakesOneTakesItAway) {
  run([&]() -> Task<void> {
    auto own = std::make_unique<Pair>();
    const int status = status_of_child([] {
      const Pair of_the_child;
      const FdWatch watch(of_the_child.ends[0]);
      of_the_child.write_one();
      return 0;
    });
    EXPECT_EQ(status, 0);
    FdWatch watch(own->ends[0]);
    own->write_one();
    co_await with_deadline(clock.now() + 1h, wait_for(watch));
  });
}

TEST_F(FdWatchTest, OneWhoseDescriptorWasClosedLeavesTheNextOfItsNumberAlone) {
  run([&]() -> Task<void> {
    std::optional<FdWatch> old(pair.ends[0]);
    const Pair next;
    EXPECT_EQ(dup2(next.ends[0], pair.ends[0]), pair.ends[0]);
    FdWatch watch(pair.ends[0]);
    EXPECT_THROW(co_await old->ready(Readiness::read), std::system_error);
    old.reset();
    next.write_one();
    co_await with_deadline(clock.now() + 1h, wait_for(watch));
  });
}

TEST_F(FdWatchTest, AWaitForAClosedDescriptorIsAnError) {
  run([&]() -> Task<void> {
    Pair closed;
    FdWatch watch(closed.ends[0]);
    close(closed.ends[0]);
    closed.ends[0] = -1;
    EXPECT_THROW(co_await watch.ready(Readiness::read), std::system_error);
  });
}

}  // namespace
}  // namespace drover::coro
