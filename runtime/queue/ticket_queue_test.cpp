// Stops a push or a pop in its middle and executes other operations meanwhile, on one thread, so
// that each case happens exactly.
#include "queue/ticket_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "queue/array_queue.h"
#include "queue/epoch_reclamation.h"

namespace drover::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Runs each script once.
struct Scripted {
  static inline std::function<void()> on_claimed;
  static inline std::function<void()> on_looked;

  static void claimed() { run(on_claimed); }
  static void looked() { run(on_looked); }

 private:
  static void run(std::function<void()>& script) {
    if (const auto once = std::exchange(script, nullptr)) once();
  }
};

template <class Queue>
std::vector<std::uint64_t> pop(Queue& queue, std::size_t count_max) {
  std::vector<std::uint64_t> result(count_max);
  result.resize(queue.try_pop_batch(result));
  return result;
}

template <class Queue>
void push(Queue& queue, std::initializer_list<std::uint64_t> items) {
  queue.push_batch(std::span(items.begin(), items.size()));
}

template <class Tested>
class StoppedInTheMiddle : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(Scripted::on_claimed, nullptr);
    EXPECT_EQ(Scripted::on_looked, nullptr);
  }

  Tested queue;
};

using Small = testing::Types<TicketQueue<std::uint64_t, HazardPointers, 8, Scripted>,
                             TicketQueue<std::uint64_t, EpochReclamation, 8, Scripted>>;
TYPED_TEST_SUITE(StoppedInTheMiddle, Small);

TYPED_TEST(StoppedInTheMiddle, APushWithNothingBehindItLeavesTheQueueEmptyAndKeepsItsPlace) {
  Scripted::on_claimed = [this] { EXPECT_THAT(pop(this->queue, 4), IsEmpty()); };
  push(this->queue, {1, 2});
  push(this->queue, {3});
  EXPECT_THAT(pop(this->queue, 8), ElementsAre(1, 2, 3));
}

TYPED_TEST(StoppedInTheMiddle, APushIsPassedByOnceALaterOneIsComplete) {
  Scripted::on_claimed = [this] {
    push(this->queue, {7});
    EXPECT_THAT(pop(this->queue, 4), ElementsAre(7));
    EXPECT_THAT(pop(this->queue, 4), IsEmpty());
  };
  push(this->queue, {1, 2, 3});
  EXPECT_THAT(pop(this->queue, 8), ElementsAre(1, 2, 3));
  EXPECT_THAT(pop(this->queue, 8), IsEmpty());
}

TYPED_TEST(StoppedInTheMiddle, APushThatNobodyPassedByStaysBeforeTheLaterOne) {
  Scripted::on_claimed = [this] { push(this->queue, {7}); };
  push(this->queue, {1, 2, 3});
  EXPECT_THAT(pop(this->queue, 8), ElementsAre(1, 2, 3, 7));
}

TYPED_TEST(StoppedInTheMiddle, SeveralPushesArePassedByTogether) {
  Scripted::on_claimed = [this] {
    Scripted::on_claimed = [this] {
      push(this->queue, {7});
      EXPECT_THAT(pop(this->queue, 1), ElementsAre(7));
    };
    push(this->queue, {4, 5});
    EXPECT_THAT(pop(this->queue, 8), ElementsAre(4, 5));
  };
  push(this->queue, {1, 2});
  EXPECT_THAT(pop(this->queue, 8), ElementsAre(1, 2));
}

TYPED_TEST(StoppedInTheMiddle, APushAtTheEndOfASegmentIsPassedByIntoTheNext) {
  push(this->queue, {1, 2, 3, 4, 5, 6});
  Scripted::on_claimed = [this] {
    push(this->queue, {9, 10, 11});
    EXPECT_THAT(pop(this->queue, 6), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(pop(this->queue, 2), ElementsAre(9, 10));
    // The stopped push still has the drained segment.
    EXPECT_EQ(this->queue.garbage(), 1U);
  };
  push(this->queue, {7, 8});
  EXPECT_THAT(pop(this->queue, 8), ElementsAre(11, 7, 8));
}

TYPED_TEST(StoppedInTheMiddle, APushMayBePassedByAgainAndAgain) {
  int passed = 0;
  std::function<void()> pass_by = [&] {
    Scripted::on_claimed = nullptr;
    this->queue.push(100 + static_cast<std::uint64_t>(passed));
    EXPECT_THAT(pop(this->queue, 1), ElementsAre(100 + static_cast<std::uint64_t>(passed)));
    if (++passed < 20) Scripted::on_claimed = pass_by;
  };
  Scripted::on_claimed = pass_by;
  push(this->queue, {1, 2, 3});
  EXPECT_EQ(passed, 20);
  EXPECT_THAT(pop(this->queue, 8), ElementsAre(1, 2, 3));
}

TYPED_TEST(StoppedInTheMiddle, ARunThatDoesNotFitClosesTheSegment) {
  push(this->queue, {1, 2, 3, 4, 5});
  push(this->queue, {6, 7, 8, 9});
  EXPECT_THAT(pop(this->queue, 8), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(pop(this->queue, 8), ElementsAre(6, 7, 8, 9));
  EXPECT_THAT(pop(this->queue, 8), IsEmpty());
}

TYPED_TEST(StoppedInTheMiddle, APopThatComesTooLateTakesWhatIsLeft) {
  push(this->queue, {1, 2, 3});
  Scripted::on_looked = [this] { EXPECT_THAT(pop(this->queue, 2), ElementsAre(1, 2)); };
  EXPECT_THAT(pop(this->queue, 2), ElementsAre(3));
}

TYPED_TEST(StoppedInTheMiddle, APopMayFindThatEverythingIsGone) {
  push(this->queue, {1, 2, 3});
  Scripted::on_looked = [this] { EXPECT_THAT(pop(this->queue, 3), ElementsAre(1, 2, 3)); };
  EXPECT_THAT(pop(this->queue, 3), IsEmpty());
}

TYPED_TEST(StoppedInTheMiddle, APopIsOvertakenByManySegments) {
  this->queue.push(0);
  std::vector<std::uint64_t> all;
  Scripted::on_looked = [&] {
    for (std::uint64_t i = 1; i < 301; i += 3) {
      push(this->queue, {i, i + 1, i + 2});
      const auto popped = pop(this->queue, 3);
      all.insert(all.end(), popped.begin(), popped.end());
    }
  };
  // The segment that it had read is drained by then. It must not take from it again.
  for (auto rest = pop(this->queue, 3); !rest.empty(); rest = pop(this->queue, 3)) {
    all.insert(all.end(), rest.begin(), rest.end());
  }
  std::vector<std::uint64_t> expected(301);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

TEST(ArrayQueueStopped, APushWhoseSlotIsSpoiltTakesTheNext) {
  ArrayQueue<std::uint64_t, HazardPointers, 4, Scripted> queue;
  Scripted::on_claimed = [&] {
    queue.push(7);
    EXPECT_THAT(pop(queue, 4), ElementsAre(7));
    EXPECT_THAT(pop(queue, 4), IsEmpty());
  };
  queue.push(1);
  EXPECT_THAT(pop(queue, 4), ElementsAre(1));
}

}  // namespace
}  // namespace drover::queue
