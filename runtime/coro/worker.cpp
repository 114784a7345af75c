#include "coro/worker.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>

#include "coro/fd_watch.h"

namespace drover::coro {
namespace {

thread_local Worker* current_worker = nullptr;

constexpr int events_per_poll = 256;

// Far enough ahead to hide a miss of all caches behind coroutines that do next to nothing (measured
// by bench/runtime_benchmark, resume_scattered_frames).
constexpr std::size_t prefetch_distance = 8;

// Returns a negative number if the clock's thread has ended.
std::int64_t read_cpu_clock(clockid_t clock) noexcept {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return -1;
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void checked(int result, const char* call) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), call);
}

// Ends the process if the worker cannot wait: its loop would spin and never see a descriptor or a
// post.
int checked_wait(int count) noexcept {
  if (count >= 0) return count;
  if (errno == EINTR) return 0;
  std::fprintf(stderr,
               "drover: a worker cannot wait for events: %s. Was its descriptor closed by somebody "
               "else, or is epoll_wait forbidden to this process?\n",
               std::strerror(errno));
  std::abort();
}

// Waits with a resolution of nanoseconds if the kernel supports it (5.11) and no filter of system
// calls answers EPERM to epoll_pwait2. Otherwise rounds up to milliseconds.
int epoll_wait_for(int epoll_fd, epoll_event* events, std::optional<Duration> timeout) noexcept {
  static std::atomic<bool> has_pwait2{true};
  if (has_pwait2.load(std::memory_order_relaxed)) {
    timespec spec{};
    if (timeout) {
      spec.tv_sec = timeout->count() / 1'000'000'000;
      spec.tv_nsec = timeout->count() % 1'000'000'000;
    }
    const int count =
        epoll_pwait2(epoll_fd, events, events_per_poll, timeout ? &spec : nullptr, nullptr);
    if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return checked_wait(count);
    has_pwait2.store(false, std::memory_order_relaxed);
  }
  using std::chrono::milliseconds;
  constexpr Duration longest = std::chrono::minutes(1);
  milliseconds rounded(-1);
  if (timeout) rounded = std::chrono::ceil<milliseconds>(std::min(*timeout, longest));
  return checked_wait(
      epoll_wait(epoll_fd, events, events_per_poll, static_cast<int>(rounded.count())));
}

}  // namespace

bool detail::queue_behind(std::coroutine_handle<> handle) noexcept {
  Worker& worker = Worker::current();
  worker.awaits_ran_out_ = true;
  try {
    worker.ready(handle);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

detail::OwnedDescriptor::OwnedDescriptor(int fd, const char* call) : fd_(fd) {
  checked(fd, call);
}

detail::OwnedDescriptor::~OwnedDescriptor() {
  close(fd_);
}

void ReadyQueue::grow() {
  std::vector<std::coroutine_handle<>> larger(ring_.size() * 2);
  const std::size_t count = size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t position = head_ + i;  // unchanged, for withdraw()
    larger[position & (larger.size() - 1)] = ring_[position & (ring_.size() - 1)];
  }
  ring_ = std::move(larger);
}

Worker::Worker(Clock& clock)
    : clock_(&clock),
      timers_(clock.now()),
      epoll_fd_(epoll_create1(EPOLL_CLOEXEC), "epoll_create1"),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd") {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_fd_.get();
  checked(epoll_ctl(epoll_fd_.get(), EPOLL_CTL_ADD, wake_fd_.get(), &event), "epoll_ctl");
}

Worker::~Worker() {
  assert(watch_count_ == 0 && ready_.empty());
  // A dropped message may own a promise of this worker, whose destructor posts another message.
  while (Posted* posted = inbox_.exchange(nullptr, std::memory_order_acquire)) {
    while (posted != nullptr) std::exchange(posted, posted->next_)->drop();
  }
}

Worker& Worker::current() noexcept {
  assert(current_worker != nullptr && "called outside of a worker's thread");
  return *current_worker;
}

Worker* Worker::try_current() noexcept {
  return current_worker;
}

void Worker::call_erased(const Callee& callee) {
  if (current_worker == this) {
    callee();
    return;
  }
  if (seat_.try_take()) {
    call_here(callee);
    return;
  }
  // Shared with the posted function, which may run after this returns. Except for `done` it belongs
  // to the thread that has the seat.
  struct Request {
    bool withdrawn = false;
    std::exception_ptr error;
    std::atomic<bool> done{false};
  };
  const auto request = std::make_shared<Request>();
  post([this, request, &callee]() noexcept {
    if (request->withdrawn) return;
    try {
      callee();
    } catch (...) {
      request->error = std::current_exception();
    }
    request->done.store(true, std::memory_order_release);  // pairs with the load below
    seat_.tell();
  });
  if (seat_.wait_or_take([&] { return request->done.load(std::memory_order_acquire); })) {
    if (request->error) std::rethrow_exception(request->error);
    return;
  }
  request->withdrawn = true;
  call_here(callee);
}

// Requires: this thread has just taken the seat.
void Worker::call_here(const Callee& callee) {
  struct Leaving {
    ~Leaving() {
      current_worker = before;
      seat.leave();
    }
    detail::WorkerSeat& seat;
    Worker* before;
  };
  const Leaving leaving{seat_, std::exchange(current_worker, this)};
  callee();
}

void Worker::post(Posted& posted) noexcept {
  posted.next_ = inbox_.load(std::memory_order_relaxed);
  // Releases the message to run_posted(), and is ordered before the read of asleep_ below.
  while (!inbox_.compare_exchange_weak(posted.next_, &posted, std::memory_order_seq_cst,
                                       std::memory_order_relaxed)) {
  }
  // One of several posters writes the eventfd. The worker clears the flag when it is awake.
  if (asleep_.load(std::memory_order_seq_cst) && asleep_.exchange(false)) wake();
}

void Worker::wake() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd_.get(), &one, sizeof one);
}

bool Worker::run_posted() noexcept {
  if (inbox_.load(std::memory_order_relaxed) == nullptr) return false;
  Posted* newest_first = inbox_.exchange(nullptr, std::memory_order_acquire);
  Posted* oldest_first = nullptr;
  while (newest_first != nullptr) {
    Posted* posted = std::exchange(newest_first, newest_first->next_);
    posted->next_ = oldest_first;
    oldest_first = posted;
  }
  while (oldest_first != nullptr) {
    std::exchange(oldest_first, oldest_first->next_)->deliver();
  }
  return true;
}

[[noreturn]] static void throw_run_already() {
  throw std::logic_error("the worker is run by another thread already");
}

void Worker::check_idle() const {
  if (current_worker != nullptr) {
    throw std::logic_error(
        "a thread runs one worker at a time: await the task in place of block_on");
  }
  // Relaxed, here and below: it only detects misuse. The seat passes on what one loop leaves to the
  // next.
  if (looping_.load(std::memory_order_relaxed)) throw_run_already();
}

void Worker::enter() {
  check_idle();
  if (looping_.exchange(true, std::memory_order_relaxed)) throw_run_already();
  seat_.take();
  current_worker = this;
  clockid_t clock = no_clock;
  if (pthread_getcpuclockid(pthread_self(), &clock) == 0) {
    cpu_ns_at_enter_.store(read_cpu_clock(clock), std::memory_order_relaxed);
    cpu_clock_.store(clock, std::memory_order_release);  // pairs with cpu_time()
  }
  // The default slack of 50 µs would be added to every sleep. Zero, which some threads have, cannot
  // be restored, because it stands for the default.
  const int slack = prctl(PR_GET_TIMERSLACK);
  timer_slack_ns_ = slack > 0 ? static_cast<unsigned long>(slack) : 0;
  if (timer_slack_ns_ != 0) prctl(PR_SET_TIMERSLACK, 1UL);
}

void Worker::leave() noexcept {
  if (timer_slack_ns_ != 0) prctl(PR_SET_TIMERSLACK, timer_slack_ns_);
  detail::awaits_left = 0;
  cpu_ns_at_leave_.store(
      read_cpu_clock(CLOCK_THREAD_CPUTIME_ID) - cpu_ns_at_enter_.load(std::memory_order_relaxed),
      std::memory_order_relaxed);
  cpu_clock_.store(no_clock, std::memory_order_release);  // pairs with cpu_time()
  current_worker = nullptr;
  looping_.store(false, std::memory_order_relaxed);
  seat_.leave();
}

Duration Worker::cpu_time() const noexcept {
  const clockid_t clock = cpu_clock_.load(std::memory_order_acquire);
  if (clock != no_clock) {
    const std::int64_t now = read_cpu_clock(clock);
    if (now >= 0) return Duration(now - cpu_ns_at_enter_.load(std::memory_order_relaxed));
  }
  return Duration(cpu_ns_at_leave_.load(std::memory_order_relaxed));
}

void Worker::run_turn() {
  run_posted();
  expire_timers();
  run_ready();
}

void Worker::run_ready() {
  std::size_t budget = turn_budget;
  const bool is_long = ready_.size() >= long_queue;
  while (budget > 0 && !ready_.empty()) {
    if (is_long) ready_.prefetch(prefetch_distance);
    if (const std::coroutine_handle<> handle = ready_.pop()) {
      detail::awaits_left = await_budget;
      handle.resume();
    }
    if (--budget % undated_budget == 0) {
      date_timers();
      // A task that used up its await budget has taken the time of many resumptions.
      if (std::exchange(awaits_ran_out_, false)) break;
    }
  }
  detail::add(statistics_.resumptions, turn_budget - budget);
}

void Worker::expire_timers() noexcept {
  if (timers_.size() == 0) return;
  const Instant now = clock_->now();
  timers_.date(now);
  const auto next = timers_.next_expiry();
  if (!next || *next > now) return;
  const auto lag = static_cast<std::uint64_t>((now - *next).count());
  if (lag > statistics_.timer_lag_ns_max.load(std::memory_order_relaxed)) {
    statistics_.timer_lag_ns_max.store(lag, std::memory_order_relaxed);
  }
  timers_.expire(now);
}

void Worker::poll() noexcept {
  if (!ready_.empty()) {
    if (watch_count_ > 0) collect_events(Duration::zero());
    return;
  }
  date_timers();
  const auto next = timers_.next_expiry();
  if (next && *next <= clock_->now()) {
    if (watch_count_ > 0) collect_events(Duration::zero());
    return;
  }
  wait_for_events(next);
}

void Worker::wait_for_events(std::optional<Instant> until) noexcept {
  asleep_.store(true, std::memory_order_seq_cst);
  // Pairs with post(): either this load sees the post or the poster sees asleep_.
  if (inbox_.load(std::memory_order_seq_cst) != nullptr) {
    asleep_.store(false, std::memory_order_relaxed);
    return;
  }
  if (until && clock_->is_virtual()) {
    if (outside_ == 0) {
      advance_to(*until);
      return;
    }
    until.reset();  // virtual time stands still until the pool's call has ended
  }
  std::optional<Duration> timeout;
  if (until) timeout = std::max(*until - clock_->now(), Duration::zero());
  if (!timeout || *timeout > Duration::zero()) {
    const Instant before = SteadyClock::instance().now();
    collect_events(timeout);
    const Instant after = SteadyClock::instance().now();
    detail::add(statistics_.idle_ns, static_cast<std::uint64_t>((after - before).count()));
    detail::add(statistics_.sleeps, 1);
  }
  asleep_.store(false, std::memory_order_relaxed);
}

// Advances virtual time, unless a descriptor or a post is ready, which comes before the next timer.
void Worker::advance_to(Instant instant) noexcept {
  collect_events(Duration::zero());
  asleep_.store(false, std::memory_order_relaxed);
  // A post may have come meanwhile, and collect_events() may have consumed its wake-up.
  if (inbox_.load(std::memory_order_seq_cst) != nullptr) return;
  if (ready_.empty()) clock_->advance_to(instant);
}

// Prefetches the waiting tasks of all events of a poll, so that their cache misses overlap: with
// many descriptors, a waiting task's memory has left the cache when its event arrives. Also
// prefetches the memory behind each watch, for objects that own a watch.
void Worker::prefetch_watches(std::span<const epoll_event> events) const noexcept {
  constexpr std::size_t line = 64;
  constexpr std::size_t lines = 3;
  for (const epoll_event& event : events) {
    const auto* watch = reinterpret_cast<const char*>(watch_of(event.data.fd));
    if (watch == nullptr) continue;
    for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(watch + i * line);
  }
  for (const epoll_event& event : events) {
    if (const FdWatch* watch = watch_of(event.data.fd)) watch->prefetch_waiter();
  }
}

void Worker::collect_events(std::optional<Duration> timeout) noexcept {
  std::array<epoll_event, events_per_poll> events;  // NOLINT(*-member-init): out
  const int count = epoll_wait_for(epoll_fd_.get(), events.data(), timeout);
  if (count > 1) prefetch_watches({events.data(), static_cast<std::size_t>(count)});
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd == wake_fd_.get()) {
      std::uint64_t value = 0;
      [[maybe_unused]] const ssize_t got = read(wake_fd_.get(), &value, sizeof value);
    } else if (FdWatch* watch = watch_of(event.data.fd)) {
      watch->on_events(event.events);
    }
  }
}

void Worker::add_watch(FdWatch& watch) {
  const auto fd = static_cast<std::size_t>(watch.fd_);
  if (watch.fd_ >= 0 && fd >= watches_.size()) watches_.resize(fd + 1);
  epoll_event event{};
  event.data.fd = watch.fd_;
  checked(epoll_ctl(epoll_fd_.get(), EPOLL_CTL_ADD, watch.fd_, &event), "epoll_ctl");
  watches_[fd] = &watch;
  watch.process_ = getpid();
  ++watch_count_;
}

bool Worker::is_watching(const FdWatch& watch) const noexcept {
  return watches_[static_cast<std::size_t>(watch.fd_)] == &watch;
}

bool Worker::change_watch(FdWatch& watch) noexcept {
  if (!is_watching(watch)) return false;
  epoll_event event{};
  event.events = watch.armed_;
  event.data.fd = watch.fd_;
  return epoll_ctl(epoll_fd_.get(), EPOLL_CTL_MOD, watch.fd_, &event) == 0;
}

void Worker::remove_watch(FdWatch& watch) noexcept {
  --watch_count_;
  FdWatch*& owner = watches_[static_cast<std::size_t>(watch.fd_)];
  if (owner != &watch) return;  // the descriptor was closed, and another watch has its number
  owner = nullptr;
  if (watch.process_ != getpid())
    return;  // the parent process still watches with this epoll instance
  epoll_event event{};
  epoll_ctl(epoll_fd_.get(), EPOLL_CTL_DEL, watch.fd_, &event);
}

}  // namespace drover::coro
