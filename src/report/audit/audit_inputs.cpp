// Whether the inputs of the transactions were drawn as clauses 2.4.1, 2.5.1 and 2.6.1 say.
#include <fmt/format.h>

#include <cmath>

#include "report/audit/audit_rules.h"
#include "report/audit/sampling_bounds.h"
#include "report/document/specification.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

using Count = std::uint64_t InputCounts::*;

// The share of a part in its whole. Of what is done in remote warehouses there has to be more than one warehouse.
Rule share_rule(const char* name, const char* clause, Count part, Count whole, double expected,
                const char* noun, const char* is, bool is_remote = false) {
  return {name, clause, [=](const Result& result) {
            const bool has_remote = result.plan.warehouses > 1;
            if (is_remote && !has_remote)
              return not_judged("a single warehouse has no remote warehouse");
            const std::uint64_t number = result.inputs.*part;
            const std::uint64_t count = result.inputs.*whole;
            if (count < few) return too_few(text::counted(count, noun));
            const CountBounds bounds = binomial_bounds(count, expected);
            return compliant_if(
                bounds.contain(number),
                fmt::format(
                    "{:.2f}% of {} {}; specified {:g}%, allowed {:.2f}% to {:.2f}% with chance",
                    percent_of(number, count), text::counted_grouped(count, noun), is,
                    expected * 100, percent_of(bounds.low, count), percent_of(bounds.high, count)));
          }};
}

Judged judge_order_lines(const Result& result) {
  const InputCounts& inputs = result.inputs;
  if (inputs.new_orders < few) {
    return too_few(text::counted(inputs.new_orders, "New-Order"));
  }
  const auto orders = static_cast<double>(inputs.new_orders);
  const double mean = static_cast<double>(inputs.order_lines) / orders;
  const double chance = bound_deviations * std::sqrt(order_lines_variance / orders);
  return compliant_if(
      std::abs(mean - order_lines_mean) <= chance,
      fmt::format(
          "{:.3f} lines per order in {} New-Orders; specified {:g}, allowed +- {:.3f} for chance",
          mean, text::grouped(inputs.new_orders), order_lines_mean, chance));
}

}  // namespace

const std::vector<Rule> input_rules = {
    share_rule("inputs.rollbacks", "2.4.1.4", &InputCounts::new_orders_rolled_back,
               &InputCounts::new_orders, rollback_share, "New-Order", "were rolled back"),
    {"inputs.order_lines", "2.4.1.3", judge_order_lines},
    share_rule("inputs.remote_lines", "2.4.1.5", &InputCounts::order_lines_remote,
               &InputCounts::order_lines, remote_line_share, "order line", "were remote", true),
    share_rule("inputs.remote_payments", "2.5.1.2", &InputCounts::payments_remote,
               &InputCounts::payments, remote_payment_share, "Payment", "were remote", true),
    share_rule("inputs.payments_by_name", "2.5.1.2", &InputCounts::payments_by_name,
               &InputCounts::payments, by_name_share, "Payment", "selected the customer by name"),
    share_rule("inputs.order_statuses_by_name", "2.6.1.2", &InputCounts::order_statuses_by_name,
               &InputCounts::order_statuses, by_name_share, "Order-Status transaction",
               "selected the customer by name")};

}  // namespace drover::report
