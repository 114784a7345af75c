// The tests of `drover lab steps` for fibers of Boost.Fiber: blocking code on stacks of its own,
// either with a guard page below each stack, or from a pool without guard pages.
//
// The fibers are as fast as they can be: a fiber runs at once when it is created, and waits on a
// condition variable without a mutex, because all fibers share a thread. The published figures were
// measured with a promise and a future for each wait, which is slower.
#include <stdexcept>
#include <string>

#include "lab/steps/steps_experiment.h"

#ifndef DROVER_NO_BOOST_FIBER
#include <fmt/format.h>

#include <boost/fiber/condition_variable.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>
#include <boost/fiber/pooled_fixedsize_stack.hpp>
#include <boost/fiber/protected_fixedsize_stack.hpp>
#include <memory>
#include <new>
#include <utility>
#endif

namespace drover::lab {

#ifndef DROVER_NO_BOOST_FIBER
namespace {

using boost::fibers::fiber;

// The mutex of the condition variable. It does nothing, because no other fiber runs meanwhile.
struct NoMutex {
  void lock() const {}
  void unlock() const {}
};

class FiberEvent {
 public:
  void wait() {
    NoMutex none;
    changed_.wait(none);
  }
  void trigger() { changed_.notify_one(); }

 private:
  boost::fibers::condition_variable_any changed_;
};

template <class Stacks, class Function>
fiber started(Stacks& stacks, Function function) {
  return fiber(boost::fibers::launch::dispatch, std::allocator_arg, stacks, std::move(function));
}

void waiting_flow(FiberEvent& event, std::uint64_t waits, const bool& given_up, StepsTally& tally) {
  for (std::uint64_t i = 0; i < waits && !given_up; ++i) {
    ++tally.waiting;
    event.wait();
    ++tally.waits;
  }
  ++tally.flows;
}

template <class Stacks>
void run_one_by_one(Stacks& stacks, std::size_t flows, StepsTally& tally) {
  for (std::size_t i = 0; i < flows; ++i) {
    started(stacks, [&tally] { ++tally.flows; }).join();
  }
}

// The fibers of a wave. The constructor throws std::runtime_error if there is no memory for their
// stacks.
template <class Stacks>
class FiberWave {
 public:
  FiberWave(Stacks& stacks, const Wave& wave, StepsTally& tally)
      : wave_(wave), tally_(tally), events_(wave.flows) {
    fibers_.reserve(wave.flows);
    try {
      for (std::size_t i = 0; i < wave.flows; ++i) fibers_.push_back(started_flow(stacks, i));
    } catch (const std::bad_alloc&) {
      const std::size_t had_memory = fibers_.size();
      give_up();
      throw std::runtime_error(
          fmt::format("no memory for the stack of fiber {} of {}. Use a smaller --wave, or raise "
                      "vm.max_map_count (a stack with a guard page needs two memory mappings)",
                      had_memory + 1, wave.flows));
    }
  }

  void run() {
    for (std::uint64_t round = 0; round < wave_.rounds(); ++round) {
      const std::size_t waiting = wave_.waiting_in(round);
      while (tally_.waiting < waiting) boost::this_fiber::yield();
      tally_.waiting = 0;
      for (std::size_t i = 0; i < waiting; ++i) events_[i].trigger();
    }
    for (fiber& one : fibers_) one.join();
  }

 private:
  fiber started_flow(Stacks& stacks, std::size_t number) {
    return started(stacks, [this, number, waits = wave_.waits_of(number)] {
      waiting_flow(events_[number], waits, given_up_, tally_);
    });
  }

  void give_up() {
    given_up_ = true;
    for (FiberEvent& event : events_) event.trigger();
    for (fiber& one : fibers_) one.join();
  }

  const Wave wave_;
  StepsTally& tally_;
  std::vector<FiberEvent> events_;
  std::vector<fiber> fibers_;
  bool given_up_ = false;
};

template <class Stacks>
void run(const StepsPlan& plan, StepsTally& tally) {
  Stacks stacks;
  if (plan.test == StepsTest::simple) run_one_by_one(stacks, plan.flows, tally);
  for (const Wave& wave : plan.waves()) FiberWave<Stacks>(stacks, wave, tally).run();
}

}  // namespace

void run_fiber_steps(const StepsPlan& plan, StepsTally& tally) {
  if (plan.model == StepsModel::fiber_protected) {
    run<boost::fibers::protected_fixedsize_stack>(plan, tally);
  } else {
    run<boost::fibers::pooled_fixedsize_stack>(plan, tally);
  }
}

#else

void run_fiber_steps(const StepsPlan& plan, StepsTally&) {
  throw std::runtime_error(std::string(why_missing(plan.model)));
}

#endif

}  // namespace drover::lab
