#include "ui/terminal/screen.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include "coro/fd_watch.h"
#include "coro/scope.h"
#include "coro/sleep.h"

namespace drover::ui {
namespace {

using coro::Task;

constexpr coro::Duration repaint_interval = std::chrono::seconds(1);

// A signal that is ignored (nohup, a shell without job control) stays so.
sigset_t signals_of_terminal() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGWINCH, SIGTSTP, SIGCONT, SIGHUP}) {
    struct sigaction action{};
    sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&signals, number);
  }
  return signals;
}

// As SIGTSTP would have done. Returns when the job goes on, or at once if nobody could make it.
// Not SIGSTOP: the kernel lets no job be stopped by this one that nobody could continue.
void stop_this_job() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  sigset_t before;
  pthread_sigmask(SIG_UNBLOCK, &stop, &before);
  pthread_kill(pthread_self(), SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

TerminalSignals::TerminalSignals() {
  const sigset_t signals = signals_of_terminal();
  fd_.reset(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw std::system_error(errno, std::generic_category(), "signalfd");
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

TerminalSignals::~TerminalSignals() {
  take();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::vector<int> TerminalSignals::take() {
  std::vector<int> numbers;
  signalfd_siginfo signal{};
  while (read(fd_.get(), &signal, sizeof signal) == sizeof signal) {
    numbers.push_back(static_cast<int>(signal.ssi_signo));
  }
  return numbers;
}

void Screen::paint() {
  painted_at_ = coro::SteadyClock::instance().now();
  if (!terminal_.shown() || terminal_.output().gone()) return;
  // A picture that nobody takes need not be drawn.
  if (terminal_.output().flush()) {
    const TerminalSize size = terminal_.size();
    Canvas canvas(size.rows, size.columns, terminal_.unicode());
    owner_.draw(canvas);
    terminal_.paint(canvas);
    stale_ = false;
  } else {
    stale_ = true;
  }
  if (terminal_.output().pending()) waiting_.notify();
}

Task<void> Screen::attend() {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(carefully(attend_keys()));
    scope.start(carefully(attend_signals()));
    scope.start(carefully(attend_output()));
    scope.start(carefully(attend_stray()));
    scope.start(attend_time());
    co_return;
  };
  co_await coro::with_scope(body);
}

Task<void> Screen::carefully(Task<void> task) {
  std::string problem;
  try {
    co_await std::move(task);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (!problem.empty()) owner_.on_line("error of the terminal: " + problem);
}

// From the background nothing is read: the kernel would stop us.
Task<void> Screen::attend_keys() {
  coro::FdWatch readable(terminal_.input_fd());
  for (;;) {
    if (!terminal_.shown()) {
      co_await shown_again_.wait();
      continue;
    }
    co_await readable.ready(coro::Readiness::read);
    if (!terminal_.shown()) continue;
    bool any = false;
    for (Key key = terminal_.key(); key != Key::none; key = terminal_.key()) {
      any = true;
      if (key == Key::repaint) {
        terminal_.forget_picture();
      } else {
        owner_.on_key(key);
      }
    }
    if (any) {
      paint();
    } else if (terminal_.input_ended()) {
      co_return;
    } else {
      // A part of a sequence, or nothing at all: not to be asked at once again and again.
      co_await coro::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

Task<void> Screen::attend_signals() {
  coro::FdWatch readable(signals_.fd());
  for (;;) {
    co_await readable.ready(coro::Readiness::read);
    for (const int number : signals_.take()) on_signal(number);
  }
}

void Screen::on_signal(int number) {
  switch (number) {
    case SIGWINCH:
      terminal_.take_size();
      break;
    case SIGTSTP:
      terminal_.leave();
      stop_this_job();
      terminal_.return_if_in_foreground();
      break;
    case SIGCONT:
      terminal_.return_if_in_foreground();
      break;
    default:  // SIGHUP: the terminal is no more, and the run goes on without it
      terminal_.output().give_up();
      return;
  }
  if (terminal_.shown()) shown_again_.notify();
  paint();
}

Task<void> Screen::attend_output() {
  coro::FdWatch writable(terminal_.output().fd());
  for (;;) {
    co_await waiting_.wait();
    while (terminal_.output().pending()) {
      co_await writable.ready(coro::Readiness::write);
      if (!terminal_.output().flush()) {
        // Writable, but not for us: the terminal is stopped.
        co_await coro::sleep_for(std::chrono::milliseconds(20));
      }
    }
    if (std::exchange(stale_, false)) paint();
  }
}

Task<void> Screen::attend_stray() {
  coro::FdWatch readable(terminal_.stray().fd());
  for (;;) {
    co_await readable.ready(coro::Readiness::read);
    for (const std::string& line : terminal_.stray().take()) owner_.on_line(line);
    paint();
  }
}

// Time passes on the screen even when nothing is told to it.
Task<void> Screen::attend_time() {
  for (;;) {
    co_await coro::sleep_for(repaint_interval);
    if (!terminal_.shown()) {
      terminal_.return_if_in_foreground();
      if (terminal_.shown()) shown_again_.notify();
    }
    if (coro::SteadyClock::instance().now() - painted_at_ >= repaint_interval * 9 / 10) paint();
  }
}

}  // namespace drover::ui
