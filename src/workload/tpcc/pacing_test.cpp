#include "workload/tpcc/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace drover::tpcc {
namespace {

using namespace std::chrono_literals;
using std::chrono::duration;
using std::chrono::nanoseconds;

Rng pacing_rng(uint64_t number) {
  return Rng::stream(13, RandomPurpose::Test, {number});
}

double in_seconds(nanoseconds time) {
  return duration<double>(time).count();
}

// The statistic of Kolmogorov and Smirnov times the root of the sample size: above 2.2 in one of
// 8,000 cases if the samples do have the distribution.
double kolmogorov_smirnov(std::vector<double> samples,
                          const std::function<double(double)>& distribution) {
  std::sort(samples.begin(), samples.end());
  const double count = static_cast<double>(samples.size());
  double largest = 0;
  for (size_t index = 0; index < samples.size(); ++index) {
    const double expected = distribution(samples[index]);
    largest = std::max({largest, expected - static_cast<double>(index) / count,
                        static_cast<double>(index + 1) / count - expected});
  }
  return largest * std::sqrt(count);
}

TEST(KeyingTime, IsThatOfTheSpecification) {
  EXPECT_EQ(keying_time(TransactionType::NewOrder), 18s);
  EXPECT_EQ(keying_time(TransactionType::Payment), 3s);
  EXPECT_EQ(keying_time(TransactionType::OrderStatus), 2s);
  EXPECT_EQ(keying_time(TransactionType::Delivery), 2s);
  EXPECT_EQ(keying_time(TransactionType::StockLevel), 2s);
  EXPECT_EQ(keying_time(TransactionType::NewOrder, 10), 1800ms);
}

TEST(ThinkTime, IsNegativeExponential) {
  const std::array<double, transaction_type_count> means = {12, 12, 10, 5, 5};
  for (const TransactionType type : all_transaction_types) {
    for (const double pace : {1.0, 4.0}) {
      Rng rng = pacing_rng(1);
      const double mean = means[index_of(type)] / pace;
      std::vector<double> samples(200'000);
      for (double& sample : samples) sample = in_seconds(think_time(rng, type, pace));
      EXPECT_LT(kolmogorov_smirnov(samples, [=](double x) { return 1 - std::exp(-x / mean); }), 2.2)
          << transaction_name(type) << " at pace " << pace;
    }
  }
}

TEST(ThinkTime, IsCutAtTenMeans) {
  Rng rng = pacing_rng(2);
  int cut = 0;
  constexpr int samples = 2'000'000;
  for (int sample = 0; sample < samples; ++sample) {
    const nanoseconds time = think_time(rng, TransactionType::Delivery);
    ASSERT_GT(time, -1ns);
    ASSERT_LE(time, 50s);
    cut += time == 50s;
  }
  const double expected = samples * std::exp(-10.0);
  EXPECT_NEAR(cut, expected, 6 * std::sqrt(expected));
}

TEST(Deck, DealsItsCardsExactly) {
  Rng rng = pacing_rng(3);
  Deck deck;
  for (int round = 0; round < 1000; ++round) {
    std::array<int, transaction_type_count> counts{};
    for (int card = 0; card < deck_size; ++card) ++counts[index_of(deck.draw(rng))];
    ASSERT_EQ(deck.remaining(), 0);
    for (size_t type = 0; type < counts.size(); ++type) ASSERT_EQ(counts[type], deck_cards[type]);
  }
}

TEST(Deck, EachPlaceHasTheSharesOfTheWhole) {
  Rng rng = pacing_rng(4);
  constexpr int decks = 100'000;
  std::array<std::array<int, transaction_type_count>, deck_size> counts{};
  Deck deck;
  for (int round = 0; round < decks; ++round) {
    for (auto& place : counts) ++place[index_of(deck.draw(rng))];
  }
  for (const auto& place : counts) {
    for (const TransactionType type : all_transaction_types) {
      const double share = deck_share(type);
      EXPECT_NEAR(place[index_of(type)], decks * share, 6 * std::sqrt(decks * share * (1 - share)));
    }
  }
}

TEST(MeanCycle, IsThatOfDeckAndTimes) {
  // (10 * (18 + 12) + 10 * (3 + 12) + (2 + 10) + (2 + 5) + (2 + 5)) / 23
  EXPECT_NEAR(in_seconds(mean_cycle()), 476.0 / 23, 1e-6);
  EXPECT_NEAR(in_seconds(mean_cycle(10)), 47.6 / 23, 1e-6);
  EXPECT_NEAR(tpmc_per_warehouse_max(), 10 * 60 * 10 / 476.0, 1e-6);
}

TEST(InitialState, PhasesAreFoundInProportionToTheirLength) {
  Rng rng = pacing_rng(5);
  constexpr int samples = 400'000;
  std::array<int, transaction_type_count> keying{}, thinking{};
  for (int sample = 0; sample < samples; ++sample) {
    const InitialState state = draw_initial_state(rng);
    ++(state.keying ? keying : thinking)[index_of(state.type)];
  }
  for (const TransactionType type : all_transaction_types) {
    const double weight = deck_share(type) / in_seconds(mean_cycle());
    const double keying_share = weight * in_seconds(keying_time(type));
    const double thinking_share = weight * in_seconds(think_time_mean(type));
    const auto expect = [&](int count, double share) {
      EXPECT_NEAR(count, samples * share, 6 * std::sqrt(samples * share * (1 - share)))
          << transaction_name(type);
    };
    expect(keying[index_of(type)], keying_share);
    expect(thinking[index_of(type)], thinking_share);
  }
}

TEST(InitialState, WhatRemainsIsUniformOrExponential) {
  Rng rng = pacing_rng(6);
  std::vector<double> keying, thinking;
  for (int sample = 0; sample < 400'000; ++sample) {
    const InitialState state = draw_initial_state(rng, 2.0);
    ASSERT_GE(state.remaining, 0ns);
    if (state.type != TransactionType::NewOrder) continue;
    (state.keying ? keying : thinking).push_back(in_seconds(state.remaining));
  }
  EXPECT_LT(kolmogorov_smirnov(keying, [](double x) { return x / 9; }), 2.2);
  EXPECT_LT(kolmogorov_smirnov(thinking, [](double x) { return 1 - std::exp(-x / 6); }), 2.2);
}

// The point of it all: terminals that start at once give a steady load from the first second.
TEST(InitialState, LoadIsSteadyFromTheFirstSecond) {
  constexpr int terminals = 50'000;
  constexpr size_t buckets = 60;
  constexpr double bucket_seconds = 1;
  std::array<int, buckets> executed{}, new_orders{};
  std::vector<Deck> decks(terminals / 10);
  for (uint64_t terminal = 0; terminal < terminals; ++terminal) {
    Rng rng = Rng::stream(17, RandomPurpose::Terminal, {terminal});
    Deck& deck = decks[terminal / 10];
    const InitialState state = draw_initial_state(rng);
    double now = in_seconds(state.remaining);
    TransactionType type = state.type;
    bool executes = state.keying;
    while (now < bucket_seconds * buckets) {
      if (executes) {
        const size_t bucket = static_cast<size_t>(now / bucket_seconds);
        ++executed.at(bucket);
        new_orders.at(bucket) += type == TransactionType::NewOrder;
        now += in_seconds(think_time(rng, type));
      }
      executes = true;
      type = deck.draw(rng);
      now += in_seconds(keying_time(type));
    }
  }
  const double rate = terminals * bucket_seconds / in_seconds(mean_cycle());
  const double new_order_rate = rate * deck_share(TransactionType::NewOrder);
  for (size_t bucket = 0; bucket < buckets; ++bucket) {
    EXPECT_NEAR(executed[bucket], rate, 6 * std::sqrt(rate)) << "second " << bucket;
    EXPECT_NEAR(new_orders[bucket], new_order_rate, 6 * std::sqrt(new_order_rate))
        << "second " << bucket;
  }
}

}  // namespace
}  // namespace drover::tpcc
