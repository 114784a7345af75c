#include "run/interrupt.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "coro/block_on.h"
#include "coro/fd_watch.h"
#include "run/usage_error.h"

namespace drover::run {
namespace {

sigset_t interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// What the signal handler reads. Written before it is installed, by the thread that takes the
// signals.
const coro::Clock* request_clock = nullptr;
coro::Instant requested_at;

// Asked twice: nothing is worth waiting for. Safe in a signal handler, as to read a clock is.
void end_at_once(int) {
  if (request_clock->now() - requested_at < one_request_lasts) return;
  _exit(exit_interrupted);
}

// The next signal does not wait for the worker's loop, which may be busy or stuck. Only this thread
// takes it: the others go on blocking it. One that is taken too early interrupts no system call
// that can be taken up again.
void let_the_next_one_end_the_process(const coro::Clock& clock) {
  request_clock = &clock;
  requested_at = clock.now();
  struct sigaction action{};
  action.sa_handler = end_at_once;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  const sigset_t signals = interrupts();
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace

BlockedInterrupts::BlockedInterrupts() {
  const sigset_t signals = interrupts();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

BlockedInterrupts::~BlockedInterrupts() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

InterruptWatch::InterruptWatch(std::function<void()> on_first, const coro::Clock& clock)
    : on_first_(std::move(on_first)), clock_(clock) {
  const sigset_t signals = interrupts();
  signal_fd_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signal_fd_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

InterruptWatch::~InterruptWatch() {
  close(signal_fd_);
}

coro::Task<void> InterruptWatch::watch() {
  coro::FdWatch readable(signal_fd_);
  signalfd_siginfo signal{};
  do {
    co_await readable.ready(coro::Readiness::read);
  } while (read(signal_fd_, &signal, sizeof signal) != sizeof signal);
  let_the_next_one_end_the_process(clock_);
  on_first_();
}

static coro::Task<void> until_interrupted(coro::Task<void> work, bool& done) {
  coro::CancelSource& outer = co_await coro::current_source();
  coro::Scope scope(outer);
  InterruptWatch interrupt([&] { scope.cancel(); });
  auto body = [&]() -> coro::Task<void> {
    co_await std::move(work);
    done = true;
    scope.cancel();  // ends the watch
  };
  scope.start(interrupt.watch());
  scope.start(body());
  co_await scope.join();
}

int run_command(coro::Task<void> work) {
  const BlockedInterrupts blocked;
  coro::Worker worker;
  bool done = false;
  coro::block_on(worker, until_interrupted(std::move(work), done));
  return done ? exit_success : exit_interrupted;
}

}  // namespace drover::run
