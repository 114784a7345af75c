// Nodes are given back once, soon, and never while a reader protects them.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "queue/detail/reclamation.h"
#include "queue/epoch_reclamation.h"
#include "queue/hazard_pointers.h"
#include "queue/tested_queues_test.h"

namespace drover::queue {
namespace {

struct Node : Retired {
  std::atomic<int> disposals{0};
  int value = 0;
};

void count_disposal(void*, Retired& node) noexcept {
  static_cast<Node&>(node).disposals.fetch_add(1);
}

template <class Scheme>
class Reclamation : public testing::Test {
 protected:
  using Guard = typename Scheme::template Guard<Node>;

  // Replaces the current node and retires it.
  void replace() {
    nodes.push_back(std::make_unique<Node>());
    Node* old = source.exchange(nodes.back().get());
    scheme->retire(*old);
  }

  int disposed() const {
    int result = 0;
    for (const auto& node : nodes) result += node->disposals.load();
    return result;
  }

  void SetUp() override {
    nodes.push_back(std::make_unique<Node>());
    source.store(nodes.back().get());
    scheme.emplace(nullptr, &count_disposal, 1);
  }

  std::vector<std::unique_ptr<Node>> nodes;
  std::atomic<Node*> source{nullptr};
  std::optional<Scheme> scheme;
};

using Schemes = testing::Types<HazardPointers, EpochReclamation>;
TYPED_TEST_SUITE(Reclamation, Schemes);

TYPED_TEST(Reclamation, WithoutReadersLittleWaits) {
  for (int i = 1; i <= 100; ++i) {
    this->replace();
    ASSERT_LE(this->scheme->garbage(), 2U);
    ASSERT_EQ(this->disposed() + static_cast<int>(this->scheme->garbage()), i);
  }
}

TYPED_TEST(Reclamation, KeepsWhatIsRead) {
  {
    const typename TestFixture::Guard guard(*this->scheme, this->source);
    Node& read = *guard;
    for (int i = 0; i < 100; ++i) this->replace();
    EXPECT_EQ(read.disposals.load(), 0);
  }
  for (int i = 0; i < 3; ++i) this->replace();
  EXPECT_EQ(this->nodes.front()->disposals.load(), 1);
}

TYPED_TEST(Reclamation, AGuardThatFollowsKeepsWhatItCameTo) {
  typename TestFixture::Guard guard(*this->scheme, this->source);
  this->replace();
  guard.follow(this->source);
  EXPECT_EQ(&*guard, this->nodes[1].get());
  for (int i = 0; i < 10; ++i) this->replace();
  EXPECT_EQ(this->nodes[1]->disposals.load(), 0);
}

TYPED_TEST(Reclamation, TheEndGivesBackTheRestOnce) {
  {
    const typename TestFixture::Guard guard(*this->scheme, this->source);
    for (int i = 0; i < 10; ++i) this->replace();
  }
  this->scheme.reset();
  EXPECT_EQ(this->disposed(), 10);
  for (const auto& node : this->nodes) {
    EXPECT_EQ(node->disposals.load(), node.get() == this->source.load() ? 0 : 1);
  }
}

TYPED_TEST(Reclamation, UnderTrafficNothingIsGivenBackUnderAReader) {
  constexpr int replacements = 20'000 / stress_divisor;
  this->nodes.reserve(replacements + 1);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> violations{0};
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i) {
      readers.emplace_back([&] {
        while (!done.load()) {
          typename TestFixture::Guard guard(*this->scheme, this->source);
          violations += static_cast<std::uint64_t>(guard->disposals.load());
          std::this_thread::yield();
          violations += static_cast<std::uint64_t>(guard->disposals.load());
          guard.follow(this->source);
          violations += static_cast<std::uint64_t>(guard->disposals.load());
        }
      });
    }
    for (int i = 0; i < replacements; ++i) this->replace();
    done.store(true);
  }
  EXPECT_EQ(violations.load(), 0U);
  this->scheme.reset();
  EXPECT_EQ(this->disposed(), replacements);
}

TEST(HazardPointerGarbage, AStalledReaderKeepsOneNode) {
  std::vector<std::unique_ptr<Node>> nodes;
  nodes.push_back(std::make_unique<Node>());
  std::atomic<Node*> source{nodes.back().get()};
  HazardPointers scheme(nullptr, &count_disposal, 1);
  const HazardPointers::Guard<Node> stalled(scheme, source);
  for (int i = 0; i < 100; ++i) {
    nodes.push_back(std::make_unique<Node>());
    scheme.retire(*source.exchange(nodes.back().get()));
  }
  EXPECT_EQ(scheme.garbage(), 1U);
}

TEST(EpochGarbage, AStalledReaderKeepsAllUntilItLeaves) {
  std::vector<std::unique_ptr<Node>> nodes;
  nodes.push_back(std::make_unique<Node>());
  std::atomic<Node*> source{nodes.back().get()};
  EpochReclamation scheme(nullptr, &count_disposal, 1);
  const auto replace = [&] {
    nodes.push_back(std::make_unique<Node>());
    scheme.retire(*source.exchange(nodes.back().get()));
  };
  {
    const EpochReclamation::Guard<Node> stalled(scheme, source);
    for (int i = 0; i < 100; ++i) replace();
    EXPECT_EQ(scheme.garbage(), 100U);
  }
  for (int i = 0; i < 3; ++i) replace();
  EXPECT_LE(scheme.garbage(), 2U);
}

TEST(BorrowedWords, AreAddedWhenAllAreTakenAndUsedAgain) {
  ReaderSlots slots;
  for (int round = 0; round < 3; ++round) {
    std::vector<ReaderSlots::Word*> words;
    for (std::uintptr_t value = 1; value <= 40; ++value) words.push_back(&slots.borrow(value));
    EXPECT_EQ(slots.capacity(), 48U);
    for (std::uintptr_t value = 1; value <= 40; ++value) {
      EXPECT_TRUE(slots.any([value](std::uintptr_t word) { return word == value; }));
    }
    for (ReaderSlots::Word* word : words) ReaderSlots::give_back(*word);
    EXPECT_FALSE(slots.any([](std::uintptr_t) { return true; }));
  }
}

TEST(BorrowedWords, AreNotUsedUpByThreadsThatEnd) {
  ReaderSlots slots;
  for (int i = 0; i < 100; ++i) {
    std::jthread([&] { ReaderSlots::give_back(slots.borrow(1)); }).join();
  }
  EXPECT_EQ(slots.capacity(), ReaderSlots::block_size);
}

}  // namespace
}  // namespace drover::queue
