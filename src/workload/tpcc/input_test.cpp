#include "workload/tpcc/input.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace drover::tpcc {
namespace {

constexpr int32_t home = 3;

InputContext context_of(int32_t warehouses) {
  InputContext context;
  context.warehouses = warehouses;
  context.constants = run_constants(11, load_constants(11));
  return context;
}

Rng test_rng(uint64_t number) {
  return Rng::stream(11, RandomPurpose::Test, {number});
}

// `hits` of `samples` is within six standard deviations of the share.
void expect_share(int64_t hits, int64_t samples, double share, const char* what) {
  const double count = static_cast<double>(samples);
  const double sigma = std::sqrt(share * (1 - share) / count);
  EXPECT_NEAR(static_cast<double>(hits) / count, share, 6 * sigma) << what;
}

void expect_uniform(const std::vector<int64_t>& counts, const char* what) {
  int64_t samples = 0;
  for (const int64_t count : counts) samples += count;
  for (const int64_t count : counts) {
    expect_share(count, samples, 1.0 / static_cast<double>(counts.size()), what);
  }
}

TEST(NewOrderInput, SharesAndDomains) {
  Rng rng = test_rng(1);
  const InputContext context = context_of(4);
  constexpr int samples = 500'000;
  int64_t rollbacks = 0, remote_lines = 0, lines = 0;
  std::vector<int64_t> districts(10), line_counts(11), quantities(10), suppliers(3);
  for (int sample = 0; sample < samples; ++sample) {
    const NewOrderInput input = make_new_order(rng, context, home);
    ASSERT_EQ(input.w_id, home);
    ++districts.at(static_cast<size_t>(input.d_id - 1));
    ++line_counts.at(static_cast<size_t>(input.ol_cnt - 5));
    ASSERT_TRUE(input.c_id >= 1 && input.c_id <= 3000);
    rollbacks += input.rollback;
    bool all_local = true;
    for (const NewOrderLine& line : input.lines()) {
      ++lines;
      ++quantities.at(static_cast<size_t>(line.quantity - 1));
      const bool last = &line == &input.lines().back();
      if (input.rollback && last) {
        ASSERT_EQ(line.i_id, unused_item);
      } else {
        ASSERT_TRUE(line.i_id >= 1 && line.i_id <= items);
      }
      if (line.supply_w_id == home) continue;
      all_local = false;
      ++remote_lines;
      ++suppliers.at(static_cast<size_t>(line.supply_w_id < home ? line.supply_w_id - 1
                                                                 : line.supply_w_id - 2));
    }
    ASSERT_EQ(input.all_local, all_local);
  }
  expect_share(rollbacks, samples, 0.01, "rolled back");
  expect_share(remote_lines, lines, 0.01, "remote lines");
  expect_uniform(districts, "districts");
  expect_uniform(line_counts, "lines of an order");
  expect_uniform(quantities, "quantities");
  expect_uniform(suppliers, "supplying warehouses");
}

TEST(PaymentInput, SharesAndDomains) {
  Rng rng = test_rng(2);
  const InputContext context = context_of(4);
  constexpr int samples = 500'000;
  int64_t remote = 0, by_name = 0, same_district_of_remote = 0;
  double amounts = 0;
  std::vector<int64_t> districts(10), warehouses(3);
  for (int sample = 0; sample < samples; ++sample) {
    const PaymentInput input = make_payment(rng, context, home);
    const CustomerChoice& customer = input.customer;
    ASSERT_EQ(input.w_id, home);
    ++districts.at(static_cast<size_t>(input.d_id - 1));
    by_name += customer.by_name;
    if (customer.by_name) {
      ASSERT_TRUE(customer.c_last >= 0 && customer.c_last <= 999);
      ASSERT_EQ(customer.c_last_text(), last_name(customer.c_last));
    } else {
      ASSERT_TRUE(customer.c_id >= 1 && customer.c_id <= 3000);
    }
    ASSERT_TRUE(input.amount_cents >= 1'00 && input.amount_cents <= 5'000'00);
    amounts += input.amount_cents;
    if (customer.c_w_id == home) {
      ASSERT_EQ(customer.c_d_id, input.d_id);
      continue;
    }
    ++remote;
    same_district_of_remote += customer.c_d_id == input.d_id;
    ++warehouses.at(
        static_cast<size_t>(customer.c_w_id < home ? customer.c_w_id - 1 : customer.c_w_id - 2));
  }
  expect_share(remote, samples, 0.15, "remote");
  expect_share(by_name, samples, 0.60, "by name");
  expect_share(same_district_of_remote, remote, 0.10, "districts of remote customers");
  expect_uniform(districts, "districts");
  expect_uniform(warehouses, "warehouses of remote customers");
  const double amount_sigma = 499'900 / std::sqrt(12.0) / std::sqrt(samples);
  EXPECT_NEAR(amounts / samples, 250'050, 6 * amount_sigma);
}

TEST(OneWarehouse, HasNothingRemote) {
  Rng rng = test_rng(3);
  const InputContext context = context_of(1);
  for (int sample = 0; sample < 20'000; ++sample) {
    const NewOrderInput order = make_new_order(rng, context, 1);
    ASSERT_TRUE(order.all_local);
    for (const NewOrderLine& line : order.lines()) ASSERT_EQ(line.supply_w_id, 1);
    const PaymentInput payment = make_payment(rng, context, 1);
    ASSERT_EQ(payment.customer.c_w_id, 1);
    ASSERT_EQ(payment.customer.c_d_id, payment.d_id);
  }
}

TEST(OrderStatusInput, SharesAndDomains) {
  Rng rng = test_rng(4);
  const InputContext context = context_of(4);
  constexpr int samples = 200'000;
  int64_t by_name = 0;
  std::vector<int64_t> districts(10);
  for (int sample = 0; sample < samples; ++sample) {
    const CustomerChoice customer = make_order_status(rng, context, home).customer;
    ASSERT_EQ(customer.c_w_id, home);
    ++districts.at(static_cast<size_t>(customer.c_d_id - 1));
    by_name += customer.by_name;
  }
  expect_share(by_name, samples, 0.60, "by name");
  expect_uniform(districts, "districts");
}

TEST(DeliveryAndStockLevelInput, Domains) {
  Rng rng = test_rng(5);
  std::vector<int64_t> carriers(10), thresholds(11);
  for (int sample = 0; sample < 110'000; ++sample) {
    const DeliveryInput delivery = make_delivery(rng, home);
    ASSERT_EQ(delivery.w_id, home);
    ++carriers.at(static_cast<size_t>(delivery.carrier_id - 1));
    const StockLevelInput stock_level = make_stock_level(rng, home, 7);
    ASSERT_EQ(stock_level.w_id, home);
    ASSERT_EQ(stock_level.d_id, 7);
    ++thresholds.at(static_cast<size_t>(stock_level.threshold - 10));
  }
  expect_uniform(carriers, "carriers");
  expect_uniform(thresholds, "thresholds");
}

}  // namespace
}  // namespace drover::tpcc
