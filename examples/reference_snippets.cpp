// The snippets of docs/runtime-reference.md, each inside a function that runs it and checks the
// result. A test compares the page with this file, so every snippet of the page compiles and works.
//
// All except the sockets and the other thread run on virtual time, so hours of sleep pass at once.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "coro/awaiter.h"
#include "coro/block_on.h"
#include "coro/channel.h"
#include "coro/deadline.h"
#include "coro/event.h"
#include "coro/fd_watch.h"
#include "coro/limiter.h"
#include "coro/promise.h"
#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/sleep.h"
#include "coro/stealing_pool.h"
#include "coro/task.h"

using namespace drover::coro;
using namespace std::chrono_literals;

namespace {

void check(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u does not hold\n", where.file_name(), where.line());
  std::exit(1);
}

Task<int> fetch_price(std::string item) {
  co_await sleep_for(20ms);
  if (item.empty()) throw std::invalid_argument("which item?");
  co_return 42;
}

Task<void> buy(std::string item) {
  const int price = co_await fetch_price(item);
  std::printf("%s costs %d\n", item.c_str(), price);
}

void a_task() {
  Worker worker;
  block_on(worker, buy("tea"));
  const int price = block_on(worker, fetch_price("milk"));
  check(price == 42);
}

Task<void> scopes() {
  std::vector<std::string> items{"tea", "milk", "sugar"};
  auto buy_all = [&](Scope& scope) -> Task<void> {
    for (const std::string& item : items) scope.start(buy(item));
    co_return;
  };
  co_await with_scope(buy_all);  // all three have ended
}

Task<void> results_of_all() {
  std::vector<Task<int>> tasks;
  for (const char* item : {"tea", "milk", "sugar"}) tasks.push_back(fetch_price(item));
  const std::vector<int> prices = co_await when_all(std::move(tasks));
  check(prices == std::vector<int>(3, 42));
}

Task<void> cancellation() {
  bool tidied_up = false;
  auto patient = [&]() -> Task<void> {
    try {
      co_await sleep_for(1h);
    } catch (const Cancelled&) {
      tidied_up = true;
      throw;
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(patient());
    co_await sleep_for(1s);
    scope.cancel();
  };
  co_await with_scope(body);
  check(tidied_up);
}

Task<void> deadlines() {
  bool late = false;
  const Instant deadline = Worker::current().now() + 10ms;
  try {
    co_await with_deadline(deadline, buy("tea"));
  } catch (const DeadlineExceeded&) {
    late = true;
  }
  check(late);
}

Task<void> sleeping() {
  Instant next = Worker::current().now();
  for (int beat = 0; beat < 3; ++beat) {
    next += 100ms;
    co_await sleep_until(next);  // does not drift, as sleep_for(100ms) in a loop would
  }
  if (!co_await slept_until(next + 1h)) co_return;  // says false if cancelled: nothing is thrown
  check(Worker::current().now() >= next + 1h);
}

Task<void> yielding() {
  long sum = 0;
  for (long i = 0; i < 100'000; ++i) {
    sum += i;
    if (i % 10'000 == 0) co_await yield();
  }
  check(sum == 4'999'950'000);
}

void virtual_time() {
  VirtualClock clock;
  Worker worker(clock);
  auto a_day = []() -> Task<void> { co_await sleep_for(24h); };
  block_on(worker, a_day());  // returns at once
  check(clock.now() >= Instant{} + 24h);
}

Task<void> events() {
  Event opened;
  auto guest = [&]() -> Task<void> { co_await opened.wait(); };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 10; ++i) scope.start(guest());
    co_await sleep_for(1s);
    opened.set();
  };
  co_await with_scope(body);
}

Task<void> latches() {
  Latch ready(3);
  auto part = [&]() -> Task<void> {
    co_await sleep_for(1s);
    ready.count_down();
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 3; ++i) scope.start(part());
    co_await ready.wait();
  };
  co_await with_scope(body);
}

Task<void> notifications() {
  std::vector<int> work;
  Notification more;
  auto worker_task = [&]() -> Task<void> {
    while (work.empty()) co_await more.wait();
    work.pop_back();
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(worker_task());
    co_await sleep_for(1s);
    work.push_back(1);
    more.notify();
  };
  co_await with_scope(body);
  check(work.empty());
}

Task<void> mutexes() {
  Mutex mutex;
  int balance = 100;
  auto withdraw = [&](int amount) -> Task<void> {
    const auto lock = co_await mutex.lock();
    if (balance < amount) co_return;
    co_await sleep_for(1ms);  // e.g. a database; nobody else withdraws meanwhile
    balance -= amount;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 3; ++i) scope.start(withdraw(60));
    co_return;
  };
  co_await with_scope(body);
  check(balance == 40);
}

Task<void> semaphores() {
  Semaphore ovens(2);
  auto bake = [&]() -> Task<void> {
    const auto permit = co_await ovens.acquire();
    co_await sleep_for(30min);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 6; ++i) scope.start(bake());
    co_return;
  };
  const Instant before = Worker::current().now();
  co_await with_scope(body);
  check(Worker::current().now() - before < 91min);
}

Task<void> channels() {
  Channel<std::string> orders(16);
  int cooked = 0;
  auto cook = [&]() -> Task<void> {
    while (const auto order = co_await orders.receive()) ++cooked;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(cook());
    scope.start(cook());
    for (int i = 0; i < 100; ++i) co_await orders.send("soup");
    orders.close();
  };
  co_await with_scope(body);
  check(cooked == 100);
}

Task<void> throttles() {
  const Rate rate{.entries = 100, .period = 1s, .burst = 10};
  Throttle throttle(rate);
  const Instant before = Worker::current().now();
  for (int i = 0; i < 110; ++i) co_await throttle.enter();
  check(Worker::current().now() - before >= 1s);  // 10 at once, then one each 10 ms
}

Task<void> limiters() {
  const Limiter::Options options{.concurrent = 2, .rate = {.entries = 100}, .queue_limit = 3};
  Limiter limiter(options);
  int served = 0;
  int refused = 0;
  auto request = [&]() -> Task<void> {
    try {
      const auto place = co_await limiter.enter();
      co_await sleep_for(5ms);
      ++served;
    } catch (const Rejected&) {
      ++refused;
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 10; ++i) scope.start(request());
    co_return;
  };
  co_await with_scope(body);
  check(served == 4 && refused == 6);
}

void rates() {
  const Rate rate{.entries = 3, .period = 1s, .burst = 1};
  Gcra gcra(rate);
  Instant now{};
  for (int i = 0; i < 4; ++i) {
    now = std::max(now, gcra.next_entry());
    gcra.enter(now);
  }
  check(now == Instant{} + 1s);  // at 0, 1/3, 2/3 and 1 s
}

Task<int> ask_a_thread() {
  auto [promise, future] = make_promise<int>();
  std::jthread other([p = std::move(promise)]() mutable { p.set_value(42); });
  co_return co_await std::move(future).get();
}

Task<void> posting(std::jthread& other) {
  Event done;
  Worker& home = Worker::current();
  other = std::jthread([&] { home.post([&done] { done.set(); }); });
  co_await done.wait();
}

Task<std::string> read_line(int fd) {
  FdWatch watch(fd);  // the descriptor is non-blocking
  std::string line;
  while (!line.ends_with('\n')) {
    char byte = 0;
    if (read(fd, &byte, 1) == 1) {
      line += byte;
    } else {
      co_await watch.ready(Readiness::read);
    }
  }
  co_return line;
}

Task<long> sum_on(StealingPool& pool) {
  auto add_up = [] {
    long sum = 0;
    for (long i = 0; i < 1'000'000; ++i) sum += i;
    return sum;
  };
  co_return co_await pool.run(add_up);
}

void a_pool() {
  Worker worker;
  StealingPool::Options options;
  options.workers = 2;
  StealingPool pool(options);
  check(block_on(worker, sum_on(pool)) == 499'999'500'000);
  std::atomic<int> done{0};
  for (int i = 0; i < 1000; ++i) pool.spawn([&done] { done.fetch_add(1); });
  pool.join();
  check(done.load() == 1000);
}

void other_threads_and_sockets() {
  Worker worker;
  check(block_on(worker, ask_a_thread()) == 42);
  std::jthread other;
  block_on(worker, posting(other));
  int pair[2] = {-1, -1};
  check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
  check(write(pair[1], "hello\n", 6) == 6);
  check(block_on(worker, read_line(pair[0])) == "hello\n");
  close(pair[0]);
  close(pair[1]);
}

// A primitive of one's own: lets tasks pass while it is open, makes them wait while it is shut.
class Gate {
 public:
  class PassAwaiter final : public Waiter {
   public:
    explicit PassAwaiter(Gate& gate) noexcept : gate_(gate) {}
    bool await_ready() const noexcept { return gate_.open_; }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      return wait_unless(awaiting, gate_.waiters_, [] { return false; });
    }

   private:
    Gate& gate_;
  };

  PassAwaiter pass() noexcept { return PassAwaiter(*this); }

  void shut() noexcept { open_ = false; }
  void open() noexcept {
    open_ = true;
    waiters_.wake_all();
  }

 private:
  bool open_ = false;
  WaiterQueue waiters_;
};

Task<void> a_primitive_of_ones_own() {
  Gate gate;
  int passed = 0;
  auto walker = [&]() -> Task<void> {
    co_await gate.pass();
    ++passed;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(walker());
    co_await sleep_for(1s);
    check(passed == 0);
    gate.open();
    co_await gate.pass();
    gate.shut();
  };
  co_await with_scope(body);
  check(passed == 1);
}

Task<void> all_on_virtual_time() {
  co_await scopes();
  co_await results_of_all();
  co_await cancellation();
  co_await deadlines();
  co_await sleeping();
  co_await yielding();
  co_await events();
  co_await latches();
  co_await notifications();
  co_await mutexes();
  co_await semaphores();
  co_await channels();
  co_await throttles();
  co_await limiters();
  co_await a_primitive_of_ones_own();
}

}  // namespace

int main() {
  a_task();
  virtual_time();
  rates();
  VirtualClock clock;
  Worker worker(clock);
  block_on(worker, all_on_virtual_time());
  other_threads_and_sockets();
  a_pool();
}
