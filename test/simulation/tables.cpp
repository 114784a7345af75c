#include "tables.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace drover::simulation {
namespace {

std::size_t place(std::int32_t d_id) {
  return static_cast<std::size_t>(d_id - 1);
}

// A simulation whose own database is wrong proves nothing.
void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

bool same_lines(const tpcc::NewOrderInput& one, const tpcc::NewOrderInput& other) {
  return std::ranges::equal(one.lines(), other.lines(), [](const auto& a, const auto& b) {
    return a.i_id == b.i_id && a.supply_w_id == b.supply_w_id && a.quantity == b.quantity;
  });
}

bool same_payment(const tpcc::PaymentInput& one, const tpcc::PaymentInput& other) {
  return one.w_id == other.w_id && one.d_id == other.d_id &&
         one.amount_cents == other.amount_cents && one.customer.c_w_id == other.customer.c_w_id &&
         one.customer.c_d_id == other.customer.c_d_id &&
         (one.customer.by_name || other.customer.by_name ||
          one.customer.c_id == other.customer.c_id);
}

tpcc::ResolvedCommit found(bool there, std::int32_t orders = 0) {
  using tpcc::Resolution;
  return {there ? Resolution::committed : Resolution::not_committed, orders};
}

}  // namespace

Tables::Tables(std::int32_t warehouses, std::int32_t undelivered)
    : warehouses_(static_cast<std::size_t>(warehouses)) {
  for (Warehouse& warehouse : warehouses_) {
    for (District& district : warehouse.districts) {
      district.next_o_id = tpcc::orders_per_district + 1;
      for (std::int32_t i = undelivered; i > 0; --i) {
        district.undelivered.push_back(district.next_o_id - i);
      }
    }
  }
}

std::int32_t Tables::next_o_id(std::int32_t w_id, std::int32_t d_id) const {
  return warehouse(w_id).districts[place(d_id)].next_o_id;
}

Orders Tables::to_deliver(std::int32_t w_id) const {
  Orders orders{};
  const auto& districts = warehouse(w_id).districts;
  for (std::size_t i = 0; i < districts.size(); ++i) {
    if (!districts[i].undelivered.empty()) orders[i] = districts[i].undelivered.front();
  }
  return orders;
}

void Tables::commit(Change change) {
  if (const auto* order = std::get_if<tpcc::NewOrderInput>(&change.input)) {
    District& district = warehouse(order->w_id).districts[place(order->d_id)];
    require(district.next_o_id == change.o_id, "an order's number is taken");
    district.undelivered.push_back(district.next_o_id++);
  } else if (const auto* payment = std::get_if<tpcc::PaymentInput>(&change.input)) {
    warehouse(payment->w_id).ytd_cents += payment->amount_cents;
  } else if (const auto* delivery = std::get_if<tpcc::DeliveryInput>(&change.input)) {
    auto& districts = warehouse(delivery->w_id).districts;
    for (std::size_t i = 0; i < districts.size(); ++i) {
      if (change.delivered[i] == 0) continue;
      require(!districts[i].undelivered.empty() &&
                  districts[i].undelivered.front() == change.delivered[i],
              "an order is delivered twice");
      districts[i].undelivered.pop_front();
    }
  }
  log_.push_back(std::move(change));
}

void Tables::undo(const Change& change) {
  if (const auto* order = std::get_if<tpcc::NewOrderInput>(&change.input)) {
    District& district = warehouse(order->w_id).districts[place(order->d_id)];
    --district.next_o_id;
    require(district.undelivered.back() == district.next_o_id, "commits are undone in their order");
    district.undelivered.pop_back();
  } else if (const auto* payment = std::get_if<tpcc::PaymentInput>(&change.input)) {
    warehouse(payment->w_id).ytd_cents -= payment->amount_cents;
  } else if (const auto* delivery = std::get_if<tpcc::DeliveryInput>(&change.input)) {
    auto& districts = warehouse(delivery->w_id).districts;
    for (std::size_t i = 0; i < districts.size(); ++i) {
      if (change.delivered[i] != 0) districts[i].undelivered.push_front(change.delivered[i]);
    }
  }
}

void Tables::lose_since(coro::Instant instant) {
  while (!log_.empty() && log_.back().committed >= instant) {
    undo(log_.back());
    log_.pop_back();
  }
}

tpcc::LedgerSums Tables::sums() const {
  tpcc::LedgerSums sums;
  for (const Warehouse& warehouse : warehouses_) {
    sums.ytd_cents += warehouse.ytd_cents;
    for (const District& district : warehouse.districts) {
      sums.next_o_ids += district.next_o_id;
      sums.undelivered += static_cast<std::int64_t>(district.undelivered.size());
    }
  }
  return sums;
}

tpcc::ResolvedCommit Tables::find(const tpcc::UnknownCommit& doubt) const {
  const auto& [input, trace] = doubt;
  for (const Change& row : log_) {
    if (row.input.index() != input.index()) continue;
    if (const auto* order = std::get_if<tpcc::NewOrderInput>(&input)) {
      const auto& other = std::get<tpcc::NewOrderInput>(row.input);
      if (other.w_id != order->w_id || other.d_id != order->d_id || row.o_id != trace.o_id)
        continue;
      return found(same_lines(*order, other));
    }
    if (row.mark != trace.mark) continue;
    if (const auto* payment = std::get_if<tpcc::PaymentInput>(&input)) {
      if (same_payment(*payment, std::get<tpcc::PaymentInput>(row.input))) return found(true);
    } else if (const auto* delivery = std::get_if<tpcc::DeliveryInput>(&input)) {
      const auto& other = std::get<tpcc::DeliveryInput>(row.input);
      if (other.w_id != delivery->w_id || other.carrier_id != delivery->carrier_id) continue;
      // One that took no order has left nothing to be seen.
      const auto none = std::ranges::count(row.delivered, 0);
      const auto orders =
          static_cast<std::int32_t>(row.delivered.size()) - static_cast<std::int32_t>(none);
      return found(orders > 0, orders);
    }
  }
  return found(false);
}

}  // namespace drover::simulation
