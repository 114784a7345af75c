// Whether the inputs of the transactions were drawn as clauses 2.4.1, 2.5.1 and 2.6.1 say.
#include <fmt/format.h>

#include <cmath>

#include "report/audit_lines.h"
#include "report/plain_text.h"
#include "report/sampling_bounds.h"
#include "report/specification.h"

namespace drover::report {

namespace {

// Below so many draws chance allows for nearly everything.
constexpr std::uint64_t few = 30;

struct Share {
  const char* name;
  const char* clause;
  std::uint64_t number;
  std::uint64_t count;
  double expected;
  const char* of;
};

Verdict audit_share(const Share& share) {
  Verdict line{share.name, share.clause, Judgement::not_judged, ""};
  if (share.count < few) {
    line.text = fmt::format("{} {} are too few", share.count, share.of);
    return line;
  }
  const CountBounds bounds = binomial_bounds(share.count, share.expected);
  line.judgement = bounds.contain(share.number) ? Judgement::held : Judgement::broken;
  line.text = fmt::format("{:.2f}% of {} {}; {:g}% asked for, {:.2f}% to {:.2f}% by chance",
                          percent_of(share.number, share.count), grouped(share.count), share.of,
                          share.expected * 100, percent_of(bounds.low, share.count),
                          percent_of(bounds.high, share.count));
  return line;
}

Verdict audit_remote(const Result& result, Share share) {
  if (result.plan.warehouses > 1) return audit_share(share);
  return {share.name, share.clause, Judgement::not_judged, "one warehouse has no remote one"};
}

Verdict audit_order_lines(const InputCounts& inputs) {
  Verdict line{"inputs.order_lines", "2.4.1.3", Judgement::not_judged, ""};
  if (inputs.new_orders < few) {
    line.text = fmt::format("{} are too few", counted(inputs.new_orders, "New-Order"));
    return line;
  }
  const auto orders = static_cast<double>(inputs.new_orders);
  const double mean = static_cast<double>(inputs.order_lines) / orders;
  const double chance = bound_deviations * std::sqrt(order_lines_variance / orders);
  line.judgement =
      std::abs(mean - order_lines_mean) <= chance ? Judgement::held : Judgement::broken;
  line.text =
      fmt::format("{:.3f} lines an order, of {} New-Orders; {:g} asked for, {:.3f} by chance", mean,
                  grouped(inputs.new_orders), order_lines_mean, chance);
  return line;
}

}  // namespace

std::vector<Verdict> audit_inputs(const Result& result) {
  const InputCounts& inputs = result.inputs;
  return {audit_share({"inputs.rollbacks", "2.4.1.4", inputs.new_orders_rolled_back,
                       inputs.new_orders, rollback_share, "New-Orders rolled back"}),
          audit_order_lines(inputs),
          audit_remote(result, {"inputs.remote_lines", "2.4.1.5", inputs.order_lines_remote,
                                inputs.order_lines, remote_line_share, "order lines remote"}),
          audit_remote(result, {"inputs.remote_payments", "2.5.1.2", inputs.payments_remote,
                                inputs.payments, remote_payment_share, "Payments remote"}),
          audit_share({"inputs.payments_by_name", "2.5.1.2", inputs.payments_by_name,
                       inputs.payments, by_name_share, "Payments by name"}),
          audit_share({"inputs.order_statuses_by_name", "2.6.1.2", inputs.order_statuses_by_name,
                       inputs.order_statuses, by_name_share, "Order-Statuses by name"})};
}

}  // namespace drover::report
