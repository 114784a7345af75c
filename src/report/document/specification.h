// The figures of the TPC-C specification with which results are compared.
#pragma once

#include <array>
#include <string_view>

namespace drover::report {

// A transaction type, by clauses 5.2.3 and 5.2.5.
struct SpecifiedTransaction {
  std::string_view name;
  double share_least;      // of all transactions; 0: no minimum (clause 5.2.3)
  double keying_s;         // clause 5.2.5.2
  double think_mean_s;     // clause 5.2.5.7
  double latency_limit_s;  // clause 5.2.5.7, of the 90th percentile
};

// The transaction types, in the order of tpcc_transactions().
inline constexpr std::array<SpecifiedTransaction, 5> specified_transactions = {
    {{"NewOrder", 0, 18, 12, 5},
     {"Payment", 0.43, 3, 12, 5},
     {"OrderStatus", 0.04, 2, 10, 5},
     {"Delivery", 0.04, 2, 5, 5},
     {"StockLevel", 0.04, 2, 5, 20}}};

// Think times are cut to this multiple of their mean (clause 5.2.5.4).
inline constexpr double think_time_cut = 10;

// The lowest tpmC per warehouse: below it, the database has too many warehouses (clause 4.2).
inline constexpr double tpmc_per_warehouse_least = 9;

// Shares with which inputs are drawn (clauses 2.4.1, 2.5.1, 2.6.1).
inline constexpr double rollback_share = 0.01;
inline constexpr double remote_line_share = 0.01;
inline constexpr double remote_payment_share = 0.15;
inline constexpr double by_name_share = 0.60;
inline constexpr double order_lines_mean = 10;  // uniform from 5 to 15
inline constexpr double order_lines_variance = 10;

// A larger share of skipped districts must be reported (clause 2.7.4.2).
inline constexpr double skipped_districts_most = 0.01;

// The shortest measurement interval of an official result (clause 5.5.2).
inline constexpr double official_interval_s = 120 * 60;

// The variance of the number of New-Orders in an interval, as a share of their number.
//
// A terminal is a renewal process: cycles of keying time k and exponential think time of mean t,
// drawn with the shares p of the mix, a New-Order being worth 1 and the others 0. With r = New-
// Orders a second, the variance a second is (p - 2 r p (k + t) + r^2 E[cycle^2]) / E[cycle], of
// which E[cycle^2] sums p ((k + t)^2 + t^2). It does not depend on the pace. Response times are
// left out, and so is the regularity that a shuffled deck adds: with it, the figure errs upwards.
constexpr double new_order_variance_ratio() {
  constexpr double shares[] = {0.45, 0.43, 0.04, 0.04, 0.04};
  double cycle_s = 0;
  double cycle_squared = 0;
  for (std::size_t i = 0; i < specified_transactions.size(); ++i) {
    const SpecifiedTransaction& one = specified_transactions[i];
    const double length_s = one.keying_s + one.think_mean_s;
    cycle_s += shares[i] * length_s;
    cycle_squared += shares[i] * (length_s * length_s + one.think_mean_s * one.think_mean_s);
  }
  const SpecifiedTransaction& new_order = specified_transactions[0];
  const double rate = shares[0] / cycle_s;
  const double variance_per_cycle =
      shares[0] - 2 * rate * shares[0] * (new_order.keying_s + new_order.think_mean_s) +
      rate * rate * cycle_squared;
  return variance_per_cycle / shares[0];
}

static_assert(new_order_variance_ratio() > 0.36 && new_order_variance_ratio() < 0.38);

}  // namespace drover::report
