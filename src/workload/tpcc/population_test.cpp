#include "workload/tpcc/population.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "workload/tpcc/input.h"

namespace drover::tpcc {
namespace {

constexpr PopulationSeed seed = {5, 1'700'000'000'000'000};

bool alphanumeric(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

void expect_text(std::string_view text, size_t low, size_t high) {
  EXPECT_TRUE(text.size() >= low && text.size() <= high) << text;
  EXPECT_TRUE(alphanumeric(text)) << text;
}

void expect_address(const Address& address) {
  expect_text(address.street_1.view(), 10, 20);
  expect_text(address.street_2.view(), 10, 20);
  expect_text(address.city.view(), 10, 20);
  expect_text(address.state.view(), 2, 2);
  EXPECT_EQ(address.zip.view().size(), 9);
  EXPECT_EQ(address.zip.view().substr(4), "11111");
  EXPECT_EQ(address.zip.view().find_first_not_of("0123456789"), std::string_view::npos);
}

TEST(Population, WarehousesAndDistricts) {
  for (int32_t w_id = 1; w_id <= 200; ++w_id) {
    WarehouseRow warehouse;
    make_warehouse(seed, w_id, warehouse);
    expect_text(warehouse.name.view(), 6, 10);
    expect_address(warehouse.address);
    EXPECT_TRUE(warehouse.tax_ten_thousandths >= 0 && warehouse.tax_ten_thousandths <= 2000);
    DistrictRow district;
    make_district(seed, w_id, 3, district);
    expect_text(district.name.view(), 6, 10);
    expect_address(district.address);
    EXPECT_TRUE(district.tax_ten_thousandths >= 0 && district.tax_ten_thousandths <= 2000);
  }
}

TEST(Population, Customers) {
  const NurandConstants constants = load_constants(seed.seed);
  int bad_credit = 0;
  for (int32_t c_id = 1; c_id <= customers_per_district; ++c_id) {
    CustomerRow row;
    make_customer(seed, constants, 2, 4, c_id, row);
    if (c_id <= 1000) EXPECT_EQ(row.last, last_name(c_id - 1));
    expect_text(row.first.view(), 8, 16);
    expect_address(row.address);
    EXPECT_EQ(row.phone.view().size(), 16);
    EXPECT_EQ(row.phone.view().find_first_not_of("0123456789"), std::string_view::npos);
    EXPECT_TRUE(row.credit == "GC" || row.credit == "BC");
    bad_credit += row.credit == "BC";
    EXPECT_TRUE(row.discount_ten_thousandths >= 0 && row.discount_ten_thousandths <= 5000);
    expect_text(row.data.view(), 300, 500);
    HistoryRow history;
    make_history(seed, 2, 4, c_id, history);
    expect_text(history.data.view(), 12, 24);
  }
  EXPECT_NEAR(bad_credit, 300, 6 * std::sqrt(3000 * 0.1 * 0.9));
}

TEST(Population, OrdersAgreeWithTheirLines) {
  for (int32_t o_id = 1; o_id <= orders_per_district; ++o_id) {
    OrderRow order;
    make_order(seed, 2, 4, o_id, order);
    OrderWithLines rows;
    make_order_with_lines(seed, 2, 4, o_id, rows);
    ASSERT_EQ(order.line_count, rows.order.line_count);
    ASSERT_EQ(order.carrier_id, rows.order.carrier_id);
    ASSERT_EQ(order.carrier_id.has_value(), o_id < first_undelivered_order);
    if (order.carrier_id) ASSERT_TRUE(*order.carrier_id >= 1 && *order.carrier_id <= 10);
    ASSERT_TRUE(order.line_count >= 5 && order.line_count <= 15);
    for (int32_t number = 0; number < order.line_count; ++number) {
      const OrderLineRow& line = rows.lines.at(static_cast<size_t>(number));
      ASSERT_TRUE(line.i_id >= 1 && line.i_id <= items);
      if (order.carrier_id) {
        ASSERT_EQ(line.amount_cents, 0);
      } else {
        ASSERT_TRUE(line.amount_cents >= 1 && line.amount_cents <= 9'999'99);
      }
      ASSERT_TRUE(alphanumeric({line.dist_info.data(), line.dist_info.size()}));
    }
  }
}

TEST(Population, ItemsAndStock) {
  int original_items = 0, original_stock = 0;
  for (int32_t i_id = 1; i_id <= items; ++i_id) {
    ItemRow item;
    make_item(seed, i_id, item);
    ASSERT_TRUE(item.im_id >= 1 && item.im_id <= 10'000);
    ASSERT_TRUE(item.price_cents >= 1'00 && item.price_cents <= 100'00);
    if (i_id <= 1000) expect_text(item.name.view(), 14, 24);
    if (i_id <= 1000) expect_text(item.data.view(), 26, 50);
    original_items += item.data.view().find(original) != std::string_view::npos;
    StockRow stock;
    make_stock(seed, 2, i_id, stock);
    ASSERT_TRUE(stock.quantity >= 10 && stock.quantity <= 100);
    if (i_id <= 1000) expect_text(stock.data.view(), 26, 50);
    original_stock += stock.data.view().find(original) != std::string_view::npos;
  }
  EXPECT_NEAR(original_items, 10'000, 6 * std::sqrt(9'000));
  EXPECT_NEAR(original_stock, 10'000, 6 * std::sqrt(9'000));
}

TEST(Population, CustomersOfOrdersAreAPermutation) {
  const auto one = std::make_unique<CustomerPermutation>();
  const auto other = std::make_unique<CustomerPermutation>();
  make_customer_permutation(seed, 1, 1, *one);
  make_customer_permutation(seed, 1, 2, *other);
  EXPECT_NE(*one, *other);
  EXPECT_FALSE(std::is_sorted(one->begin(), one->end()));
  std::sort(one->begin(), one->end());
  for (int32_t index = 0; index < customers_per_district; ++index) {
    ASSERT_EQ((*one)[static_cast<size_t>(index)], index + 1);
  }
}

TEST(Population, RowsFollowSeedAndKeyAlone) {
  const auto data_of = [](uint64_t number, int32_t w_id, int32_t i_id) {
    StockRow row;
    make_stock({number, 0}, w_id, i_id, row);
    return std::string(row.data.view());
  };
  EXPECT_EQ(data_of(1, 2, 3), data_of(1, 2, 3));
  EXPECT_NE(data_of(1, 2, 3), data_of(2, 2, 3));
  EXPECT_NE(data_of(1, 2, 3), data_of(1, 3, 2));
  EXPECT_NE(data_of(1, 2, 3), data_of(1, 2, 4));
}

TEST(Schema, NamesAndCardinalities) {
  EXPECT_EQ(table_name(Table::Order), "oorder");
  EXPECT_EQ(column_names(Table::Customer).size(), 21);
  EXPECT_EQ(column_names(Table::Stock)[12], "s_dist_10");
  EXPECT_EQ(rows_at_load(Table::Stock, 10), 1'000'000);
  EXPECT_EQ(rows_at_load(Table::OrderLine, 10), 3'000'000);
  EXPECT_EQ(rows_at_load(Table::NewOrder, 2), 18'000);
  EXPECT_EQ(rows_at_load(Table::Item, 10), 100'000);
  EXPECT_EQ(transaction_name(TransactionType::StockLevel), "StockLevel");
}

}  // namespace
}  // namespace drover::tpcc
