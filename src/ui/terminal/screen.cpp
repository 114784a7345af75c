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

// Returns the signals that are not ignored: nohup and shells without job control ignore some.
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

// Stops the job as an unblocked SIGTSTP does, and returns when the job continues. The kernel
// ignores this signal, unlike SIGSTOP, if no process could continue the job.
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
  stale_ = !terminal_.output().flush();
  if (!stale_) {
    const TerminalSize size = terminal_.size();
    Canvas canvas(size.rows, size.columns, terminal_.unicode());
    page_ = content_.draw(canvas);
    terminal_.paint(canvas);
  }
  if (terminal_.output().pending()) waiting_.notify();
}

void Screen::add_line(Level level, std::string_view text) {
  content_.viewer.log.add(level, text);
  paint();
}

void Screen::on_key(Key key) {
  Viewer& viewer = content_.viewer;
  if (key == Key::repaint) return terminal_.forget_picture();
  if (key != Key::quit) {
    return viewer.take_key(key, static_cast<std::size_t>(page_), terminal_.size().columns);
  }
  const bool again = std::exchange(viewer.quitting, true);
  viewer.log.add(Level::note, again ? content_.next_quit : content_.first_quit);
  if (!again) content_.on_quit();
}

Task<void> Screen::attend() {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(log_error_of(attend_keys()));
    scope.start(log_error_of(attend_signals()));
    scope.start(log_error_of(attend_output()));
    scope.start(log_error_of(attend_stray()));
    scope.start(attend_time());
    co_return;
  };
  co_await coro::with_scope(body);
}

Task<void> Screen::log_error_of(Task<void> task) {
  try {
    co_await std::move(task);
  } catch (const std::exception& error) {
    content_.viewer.log.add(Level::note, fmt::format("error of the terminal: {}", error.what()));
  }
}

// Reads nothing while the job is in the background, because the kernel would stop it.
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
      on_key(key);
    }
    if (any) {
      paint();
    } else if (terminal_.input_ended()) {
      co_return;
    } else {
      // Part of an escape sequence, or nothing: wait, so that the loop does not spin.
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
    default:  // SIGHUP: the terminal is gone, and the run continues without it
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
        // The descriptor is writable, but the terminal is stopped.
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
    for (const std::string& line : terminal_.stray().take()) {
      content_.viewer.log.add(Level::note, line);
    }
    paint();
  }
}

// Repaints a screen that was not painted for a second, because it shows the time.
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
