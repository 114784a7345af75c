// step_tree: an order in a shop as a tree of steps.
//
//   step_tree ITEM...        of tea, milk, ice. Other items are out of stock
//
// It shows:
//   - A step passes its results to the next one. The steps that a step adds run before its next
//     sibling, so a tree reads from top to bottom in the order of execution.
//   - Errors are codes and pass outwards through the handlers until one recovers. One handler
//     around the whole order is enough for most steps.
//   - Loops that retry, a timeout over a subtree, steps side by side, state shared by all steps.
//   - A step awaits a coroutine, and a coroutine awaits the flow.
//
// Coroutines alone are shorter if the order of the work is fixed. Use a tree of steps for logic
// that is composed at run time, or if you know steps from FutoIn.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "steps/async_steps.h"

namespace {

using drover::coro::Task;
using drover::steps::AsyncSteps;
using drover::steps::ErrorCode;
using drover::steps::ExtError;
using drover::steps::Steps;
using namespace std::chrono_literals;

constexpr ErrorCode out_of_stock = "OutOfStock";
constexpr ErrorCode terminal_busy = "TerminalBusy";

// The services that an order needs, as coroutines.

Task<int> price_of(std::string item) {
  co_await drover::coro::sleep_for(2ms);
  if (item == "tea") co_return 5;
  if (item == "milk") co_return 2;
  if (item == "ice") co_return 3;
  throw ExtError(out_of_stock, item);
}

Task<void> pay(int attempt, int total) {
  co_await drover::coro::sleep_for(2ms);
  if (attempt < 3) throw ExtError(terminal_busy, "try again");
  std::printf("paid %d at attempt %d\n", total, attempt);
}

Task<void> say_after(drover::coro::Duration duration, const char* what) {
  co_await drover::coro::sleep_for(duration);
  std::printf("%s\n", what);
}

// The parts of the tree. `steps` is the step that they are added to.

void add_up_prices(Steps& steps, const std::vector<std::string>& items) {
  steps.for_each(std::cref(items), [](Steps& item_steps, std::size_t, const std::string& item) {
    item_steps.await(price_of(item));
    item_steps.add([](Steps& step, int price) { step.state<int>("total") += price; });
  });
}

void pay_with_retries(Steps& steps) {
  steps.loop([attempt = 0](Steps& iteration) mutable {
    ++attempt;
    iteration.add(
        [attempt](Steps& step) {
          step.await(pay(attempt, step.state<int>("total")));
          step.add([](Steps& paid) { paid.break_loop(); });
        },
        [](Steps& step, ErrorCode code) {
          if (code == terminal_busy) step.success();  // the next iteration; all else goes outwards
        });
  });
}

void pack_and_print(Steps& steps) {
  Steps& side_by_side = steps.parallel();
  side_by_side.add([](Steps& step) { step.await(say_after(10ms, "packed")); });
  side_by_side.add([](Steps& step) { step.await(say_after(5ms, "invoice printed")); });
}

void deliver(Steps& steps, bool has_ice) {
  steps.add(
      [has_ice](Steps& step) {
        step.set_timeout(100ms);
        // Ice takes the slow van, which the timeout cancels.
        const drover::coro::Duration time = has_ice ? 1h : 10ms;
        step.await(say_after(time, "delivered"));
      },
      [](Steps& step, ErrorCode code) {
        if (code != drover::steps::error_codes::timeout) return;
        std::printf("too late for today\n");
        step.success();
      });
}

// Hands back what the order came to; 0 if there is none.
Task<int> order(std::vector<std::string> items) {
  const bool has_ice = std::find(items.begin(), items.end(), "ice") != items.end();
  AsyncSteps flow(drover::coro::Worker::current());
  flow.add(
      [&](Steps& steps) {
        steps.state<int>("total", 0);
        add_up_prices(steps, items);
        pay_with_retries(steps);
        pack_and_print(steps);
        deliver(steps, has_ice);
        steps.add([](Steps& step) { step.success(int{step.state<int>("total")}); });
      },
      [](Steps& steps, ErrorCode code) {
        const std::string what(code);
        const std::string info(steps.state().error_info());
        std::printf("no order: %s (%s)\n", what.c_str(), info.c_str());
        steps.success(0);
      });
  co_return co_await flow.promise<int>();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "expected the items to order, e.g. tea milk\n");
    return 2;
  }
  try {
    drover::coro::Worker worker;
    std::vector<std::string> items(argv + 1, argv + argc);
    const int total = drover::coro::block_on(worker, order(std::move(items)));
    return total > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "step_tree: %s\n", error.what());
    return 1;
  }
}
