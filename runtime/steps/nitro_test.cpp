// The limits of NitroSteps.
#include <array>
#include <chrono>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "steps/flow_fixture_test.h"

// The sanitizers have their own heap.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DROVER_HEAP_NOT_COUNTED 1
#endif
#endif

#ifndef DROVER_HEAP_NOT_COUNTED
namespace {
thread_local std::size_t heap_calls = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++heap_calls;
  if (void* block = std::malloc(size)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
#endif

namespace drover::steps {
namespace {

using namespace std::chrono_literals;

class Nitro : public FlowTest<NitroSteps<>> {
 protected:
  // Runs the flow. Returns the limit that was exceeded.
  std::string exceeded(Flow& flow) {
    run(flow);
    EXPECT_EQ(flow.error_code(), error_codes::internal_error);
    return std::string(flow.state().error_info());
  }

  template <class FlowType, class Body>
  std::string exceeded_by(Body body) {
    FlowType flow(worker);
    flow.add(body);
    return exceeded(flow);
  }
};

TEST_F(Nitro, FourStepsAreEnoughForSixInTurn) {
  NitroSteps<MaxSteps<4>> flow(worker);
  flow.add([this](Steps& steps) { steps.add(say("1")).add(say("2")).add(say("3")); });
  run(flow);
  flow.add([this](Steps& steps) { steps.add(say("4")).add(say("5")); }).add(say("6"));
  run(flow);
  EXPECT_EQ(trace, "1 2 3 4 5 6 ");
}

TEST_F(Nitro, ExceedingALimitNamesIt) {
  EXPECT_EQ(exceeded_by<NitroSteps<MaxSteps<4>>>([](Steps& steps) {
              steps.add([](Steps&) {}).add([](Steps&) {}).add([](Steps&) {});
              steps.add([](Steps&) {});
            }),
            "MaxSteps<4>");
  EXPECT_EQ(exceeded_by<NitroSteps<MaxTimeouts<1>>>([](Steps& steps) {
              steps.set_timeout(1s);
              steps.set_timeout(2s);
              steps.add([](Steps& inner) { inner.set_timeout(1s); });
            }),
            "MaxTimeouts<1>");
  EXPECT_EQ(exceeded_by<NitroSteps<MaxCancels<1>>>([](Steps& steps) {
              steps.set_cancel([](Steps&) {});
              steps.add([](Steps& inner) { inner.set_cancel([](Steps&) {}); });
            }),
            "MaxCancels<1>");
  EXPECT_EQ(exceeded_by<NitroSteps<MaxExtended<2>>>([](Steps& steps) {
              steps.repeat(1, [](Steps&, std::size_t) {}).repeat(1, [](Steps&, std::size_t) {});
              steps.repeat(1, [](Steps&, std::size_t) {});
            }),
            "MaxExtended<2>");
  EXPECT_EQ(exceeded_by<NitroSteps<MaxStackAllocs<2>>>([](Steps& steps) {
              steps.stack<int>(1);
              steps.stack<int>(2);
              steps.stack<int>(3);
            }),
            "MaxStackAllocs<2>");
  EXPECT_EQ(exceeded_by<NitroSteps<MaxParallel<1>>>(
                [](Steps& steps) { steps.parallel().add([](Steps&) {}).add([](Steps&) {}); }),
            "MaxParallel<1>");
  EXPECT_EQ(exceeded_by<NitroSteps<ErrorCodeMaxSize<16>>>(
                [](Steps& steps) { steps.error("a code of more than 16"); }),
            "ErrorCodeMaxSize<16>");
}

TEST_F(Nitro, ALimitExceededInALoopOrAtTheRoot) {
  NitroSteps<MaxSteps<2>> flow(worker);
  flow.loop([](Steps& steps) { steps.add([](Steps&) {}); });
  EXPECT_EQ(exceeded(flow), "MaxSteps<2>");
  flow.add([](Steps&) {}).add([](Steps&) {});
  EXPECT_THROW(flow.add([](Steps&) {}), Error);
  EXPECT_THROW(flow.loop([](Steps&) {}), Error);
  run(flow);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

template <std::size_t size>
struct Bytes {
  char bytes[size] = {};
};

// Objects beyond the usual sizes fit while the buffer has room.
TEST_F(Nitro, LargeOnesFitAsLongAsTheBufferHasRoom) {
  NitroSteps<> flow(worker);
  std::size_t got = 0;
  flow.add([](Steps& steps) {
    steps.stack<Bytes<500>>();
    steps.success(Bytes<200>(), std::string(100, 'x'));
  });
  flow.add([&got](Steps& steps, const Bytes<200>& bytes, const std::string& text) {
    got = sizeof bytes.bytes + text.size();
    steps.add([large = Bytes<1000>()](Steps&) { EXPECT_EQ(large.bytes[0], 0); });
  });
  run(flow);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
  EXPECT_EQ(got, 300U);
}

TEST_F(Nitro, WhatFindsNoRoomSaysSo) {
  const auto no_room = testing::StartsWith("BufferSize<1984>: no room for ");
  EXPECT_THAT(exceeded_by<NitroSteps<>>([](Steps& steps) {
                steps.add([large = Bytes<1900>()](Steps&) { EXPECT_EQ(large.bytes[0], 0); });
              }),
              no_room);
  EXPECT_THAT(exceeded_by<NitroSteps<>>([](Steps& steps) { steps.success(Bytes<1950>()); }),
              no_room);
  EXPECT_THAT(exceeded_by<NitroSteps<>>([](Steps& steps) { steps.stack<Bytes<1920>>(); }), no_room);
  EXPECT_EQ(exceeded_by<NitroSteps<BufferSize<8192>>>(
                [](Steps& steps) { steps.stack(2040, [](void*) {}); }),
            "BufferSize<8192>: no room for 2072 bytes");  // more than a block may have
}

TEST_F(Nitro, AnAwaitedResultWithoutRoomIsAnError) {
  auto task = []() -> coro::Task<Bytes<2000>> { co_return Bytes<2000>(); };
  auto later = []() -> coro::Task<Bytes<2000>> {
    co_await coro::yield();
    co_return Bytes<2000>();
  };
  NitroSteps<> flow(worker);
  flow.await(task());
  EXPECT_THAT(exceeded(flow), testing::StartsWith("BufferSize<1984>: no room for "));
  flow.await(later());
  EXPECT_THAT(exceeded(flow), testing::StartsWith("BufferSize<1984>: no room for "));
}

template <class Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (const ExtError& error) {
    return std::string(error.info());
  }
  return "none";
}

// With callables and objects of 16 bytes, as in the header.
TEST_F(Nitro, TheDefaultBufferHasRoomForAllLimitsAtOnce) {
  using Two = std::array<void*, 2>;
  NitroSteps<> flow(worker);
  const Two two{};
  int depth = 0;
  auto go_down = [&](auto& self, Steps& steps) -> void {
    steps.set_timeout(1h);
    steps.set_cancel([two](Steps&) { EXPECT_EQ(two[0], nullptr); });
    if (++depth < 4) {
      steps.add([&self](Steps& below) { self(self, below); });
      return;
    }
    EXPECT_EQ(refusal([&] { steps.add([](Steps&) {}); }), "MaxSteps<16>");
    EXPECT_EQ(refusal([&] { steps.stack<int>(1); }), "MaxStackAllocs<8>");
  };
  for (int i = 0; i < 8; ++i) flow.stack<Two>();
  flow.add([&](Steps& steps) { go_down(go_down, steps); });
  for (std::size_t i = 0; i < 4; ++i) {
    flow.repeat(i, [two](Steps&, std::size_t) { EXPECT_EQ(two[0], nullptr); });
  }
  EXPECT_EQ(refusal([&] { flow.repeat(1, [](Steps&, std::size_t) {}); }), "MaxExtended<4>");
  for (int i = 0; i < 8; ++i) flow.add([two](Steps&) { EXPECT_EQ(two[0], nullptr); });
  EXPECT_EQ(exceeded(flow), "MaxStackAllocs<8>");
  EXPECT_EQ(depth, 4);
}

TEST_F(Nitro, FourChildrenOfAParallelWaitSideBySide) {
  NitroSteps<> flow(worker);
  Steps& side = flow.parallel();
  for (int i = 0; i < 4; ++i) {
    side.add(
        [](Steps& steps) {
          steps.set_timeout(1s);
          steps.add([](Steps& inner) { inner.wait_external(); });
        },
        [](Steps& steps, ErrorCode) { steps.success(); });
  }
  run(flow);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

TEST_F(Nitro, ALargeBufferIsUsedWhole) {
  NitroSteps<MaxSteps<200>> flow(worker);
  for (int round = 0; round < 3; ++round) {
    int count = 0;
    for (int i = 0; i < 200; ++i) flow.add([&count, i](Steps&) { count += i == count ? 1 : 1000; });
    EXPECT_THROW(flow.add([](Steps&) {}), Error);
    run(flow);
    EXPECT_EQ(count, 200);
  }
}

TEST_F(Nitro, TheOptionsComeInAnyOrder) {
  NitroSteps<BurstSize<2>, MaxSteps<3>> flow(worker);
  NitroSteps<MaxSteps<3>, BurstSize<2>> other(worker);
  int count = 0;
  int seen = -1;
  flow.repeat(10, [&count](Steps&, std::size_t) { ++count; });
  other.add([&](Steps&) { seen = count; });
  flow.execute();
  other.execute();
  finish(flow);
  EXPECT_EQ(seen, 1);
}

TEST_F(Nitro, AParallelsLimitsAreTheFlows) {
  NitroSteps<MaxSteps<5>, MaxParallel<2>> flow(worker);
  Steps& side = flow.parallel();
  side.add([](Steps& steps) { steps.add([](Steps& s) { s.wait_external(); }); });
  side.add([](Steps& steps) { steps.add([](Steps&) {}).add([](Steps&) {}); });
  EXPECT_EQ(exceeded(flow), "MaxSteps<5>");
}

#ifndef DROVER_HEAP_NOT_COUNTED
// On a new thread, whose pool of frames is empty.
TEST_F(Nitro, TakesNothingFromTheHeapAfterItsConstruction) {
  std::size_t before = 0;
  std::size_t after = 1;
  Outcome outcome = Outcome::none;
  int sum = 0;
  std::jthread([&] {
    coro::VirtualClock own_clock;
    coro::Worker own_worker(own_clock);
    Mutex mutex;
    NitroSteps<> flow(own_worker);
    before = heap_calls;
    flow.add([](Steps& steps) { steps.success(1, 2); });
    flow.sync(mutex, [&sum](Steps& steps, int a, int b) { sum += steps.stack<int>(a + b); });
    flow.repeat(10, [&sum](Steps& steps, std::size_t) { steps.add([&sum](Steps&) { ++sum; }); });
    flow.add(
        [](Steps& steps) {
          steps.set_timeout(1s);
          steps.set_cancel([](Steps&) {});
          steps.add([](Steps& inner) { inner.error_no_throw("Wrong", "information"); });
        },
        [](Steps& steps, ErrorCode) { steps.success(); });
    Steps& side = flow.parallel();
    side.add([&sum](Steps& steps) { steps.relinquish().add([&sum](Steps&) { ++sum; }); });
    side.add([](Steps& steps) { steps.set_timeout(1s); },
             [](Steps& steps, ErrorCode) { steps.success(); });
    flow.execute();
    own_worker.run_until([&flow] { return flow.outcome() != Outcome::running; });
    outcome = flow.outcome();
    after = heap_calls;
  }).join();
  EXPECT_EQ(outcome, Outcome::succeeded);
  EXPECT_EQ(sum, 14);
  EXPECT_EQ(after, before);
}
#endif

// The figures of docs/runtime-reference.md and of the header. They are part of the interface.
static_assert(nitro_cost::step == 64);
static_assert(nitro_cost::timeout == 64);
static_assert(nitro_cost::cancel == 32);
static_assert(nitro_cost::extended == 64);
static_assert(nitro_cost::stack == 32);
static_assert(nitro_cost::parallel == 160);
static_assert(nitro_cost::results == 64);
static_assert(cell_cost(sizeof(detail::TypedResults<int, long>)) == 32);
static_assert(cell_cost(sizeof(detail::TypedResults<std::string>)) == 64);
static_assert(cell_cost(sizeof(detail::LabelAttachment)) == 64);
static_assert(sizeof(AsyncSteps) == 704);
static_assert(sizeof(NitroSteps<>) == 2'560);
static_assert(NitroSteps<>::buffer_size == 1'984);
static_assert(NitroSteps<MaxParallel<4>>::buffer_size == 1'984 + 4 * 160);
static_assert(NitroSteps<MaxSteps<17>>::buffer_size == 1'984 + 64);
static_assert(NitroSteps<BufferSize<1000>>::buffer_size == 1'024);

using SmallNitro = NitroSteps<MaxSteps<3>, MaxTimeouts<1>, MaxCancels<1>, MaxExtended<1>,
                              MaxStackAllocs<1>, MaxParallel<0>>;
static_assert(SmallNitro::buffer_size == 448);
static_assert(sizeof(SmallNitro) == 1'024);

}  // namespace
}  // namespace drover::steps
