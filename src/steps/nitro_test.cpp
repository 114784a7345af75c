// The limits of NitroSteps.
#include <chrono>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "steps/flow_fixture.h"

// The sanitizers bring a heap of their own.
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
  // Runs it; says what was exceeded.
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

// Case 27.
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

TEST_F(Nitro, WhatIsTooLargeSaysSo) {
  struct Large {
    char bytes[200] = {};
  };
  EXPECT_THAT(exceeded_by<NitroSteps<>>([](Steps& steps) {
                const Large large;
                steps.add([large](Steps&) { EXPECT_EQ(large.bytes[0], 0); });
              }),
              testing::StartsWith("MaxSteps: "));
  EXPECT_THAT(exceeded_by<NitroSteps<>>([](Steps& steps) { steps.success(Large()); }),
              testing::StartsWith("a result of 200 bytes"));
  EXPECT_THAT(exceeded_by<NitroSteps<>>([](Steps& steps) { steps.stack<Large>(); }),
              testing::StartsWith("MaxStackAllocs: "));
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
// On a thread of its own, whose pool of frames is empty.
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

// The objects are as large as the figures say: a change of these is a change of the promise.
TEST_F(Nitro, TheSizeIsBounded) {
  EXPECT_LE(sizeof(AsyncSteps), 1'024U);
  EXPECT_LE(sizeof(NitroSteps<>), 6'144U);
  EXPECT_LE(sizeof(NitroSteps<MaxSteps<4>, MaxTimeouts<1>, MaxCancels<1>, MaxExtended<1>,
                              MaxStackAllocs<1>, MaxParallel<0>>),
            2'048U);
}

}  // namespace
}  // namespace drover::steps
