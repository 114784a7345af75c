#include "workload/tpcc/population.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace drover::tpcc {

namespace {

template <typename... Key>
Rng row_rng(const PopulationSeed& seed, Table table, Key... key) {
  return Rng::stream(seed.seed, RandomPurpose::Population,
                     {static_cast<uint64_t>(table), static_cast<uint64_t>(key)...});
}

void make_address(Rng& rng, Address& address) {
  address.street_1.assign_alphanumeric(rng, 10, 20);
  address.street_2.assign_alphanumeric(rng, 10, 20);
  address.city.assign_alphanumeric(rng, 10, 20);
  address.state.assign_alphanumeric(rng, 2, 2);
  // Four digits and 11111 (clause 4.3.2.7).
  constexpr std::string_view zip_end = "11111";
  address.zip.assign_digits(rng, 4);
  std::copy(zip_end.begin(), zip_end.end(), address.zip.bytes.data() + 4);
  address.zip.size = 9;
}

// i_data and s_data: one in ten holds ORIGINAL at a random place.
void make_data(Rng& rng, Text<50>& data) {
  data.assign_alphanumeric(rng, 26, 50);
  if (!rng.one_in(10)) return;
  const int32_t place = rng.uniform(0, data.size - static_cast<int32_t>(original.size()));
  std::copy(original.begin(), original.end(), data.bytes.data() + place);
}

void fill_order(Rng& rng, int32_t o_id, OrderRow& row) {
  row.line_count = rng.uniform(order_lines_min, order_lines_max);
  const int32_t carrier_id = rng.uniform(1, 10);
  row.carrier_id.reset();
  if (o_id < first_undelivered_order) row.carrier_id = carrier_id;
}

}  // namespace

void make_warehouse(const PopulationSeed& seed, int32_t w_id, WarehouseRow& row) {
  Rng rng = row_rng(seed, Table::Warehouse, w_id);
  row.name.assign_alphanumeric(rng, 6, 10);
  make_address(rng, row.address);
  row.tax_ten_thousandths = rng.uniform(0, 2000);
}

void make_district(const PopulationSeed& seed, int32_t w_id, int32_t d_id, DistrictRow& row) {
  Rng rng = row_rng(seed, Table::District, w_id, d_id);
  row.name.assign_alphanumeric(rng, 6, 10);
  make_address(rng, row.address);
  row.tax_ten_thousandths = rng.uniform(0, 2000);
}

void make_customer(const PopulationSeed& seed, const NurandConstants& constants, int32_t w_id,
                   int32_t d_id, int32_t c_id, CustomerRow& row) {
  Rng rng = row_rng(seed, Table::Customer, w_id, d_id, c_id);
  row.first.assign_alphanumeric(rng, 8, 16);
  // The first thousand customers have all names once; the names of the others are distributed as a
  // run asks for them.
  row.last =
      last_name(c_id <= 1000 ? c_id - 1 : nurand(rng, nurand_a_c_last, constants.c_last, 0, 999));
  make_address(rng, row.address);
  row.phone.assign_digits(rng, 16);
  row.credit = rng.one_in(10) ? "BC" : "GC";
  row.discount_ten_thousandths = rng.uniform(0, 5000);
  row.data.assign_alphanumeric(rng, 300, 500);
}

void make_history(const PopulationSeed& seed, int32_t w_id, int32_t d_id, int32_t c_id,
                  HistoryRow& row) {
  Rng rng = row_rng(seed, Table::History, w_id, d_id, c_id);
  row.data.assign_alphanumeric(rng, 12, 24);
}

void make_order(const PopulationSeed& seed, int32_t w_id, int32_t d_id, int32_t o_id,
                OrderRow& row) {
  Rng rng = row_rng(seed, Table::Order, w_id, d_id, o_id);
  fill_order(rng, o_id, row);
}

void make_order_with_lines(const PopulationSeed& seed, int32_t w_id, int32_t d_id, int32_t o_id,
                           OrderWithLines& rows) {
  Rng rng = row_rng(seed, Table::Order, w_id, d_id, o_id);
  fill_order(rng, o_id, rows.order);
  for (int32_t number = 0; number < rows.order.line_count; ++number) {
    OrderLineRow& line = rows.lines[static_cast<size_t>(number)];
    line.i_id = rng.uniform(1, items);
    line.amount_cents = o_id < first_undelivered_order ? 0 : rng.uniform(1, 9'999'99);
    random_alphanumeric(rng, line.dist_info.data(), line.dist_info.size());
  }
}

void make_item(const PopulationSeed& seed, int32_t i_id, ItemRow& row) {
  Rng rng = row_rng(seed, Table::Item, i_id);
  row.im_id = rng.uniform(1, 10'000);
  row.name.assign_alphanumeric(rng, 14, 24);
  row.price_cents = rng.uniform(1'00, 100'00);
  make_data(rng, row.data);
}

void make_stock(const PopulationSeed& seed, int32_t w_id, int32_t i_id, StockRow& row) {
  Rng rng = row_rng(seed, Table::Stock, w_id, i_id);
  row.quantity = rng.uniform(10, 100);
  static_assert(sizeof(row.dist) == 24 * districts_per_warehouse);
  for (auto& info : row.dist) random_alphanumeric(rng, info.data(), info.size());
  make_data(rng, row.data);
}

void make_customer_permutation(const PopulationSeed& seed, int32_t w_id, int32_t d_id,
                               CustomerPermutation& customers) {
  Rng rng = Rng::stream(seed.seed, RandomPurpose::CustomerPermutation,
                        {static_cast<uint64_t>(w_id), static_cast<uint64_t>(d_id)});
  std::iota(customers.begin(), customers.end(), 1);
  for (int32_t last = customers_per_district - 1; last > 0; --last) {
    const int32_t other = rng.uniform(0, last);
    std::swap(customers[static_cast<size_t>(last)], customers[static_cast<size_t>(other)]);
  }
}

}  // namespace drover::tpcc
