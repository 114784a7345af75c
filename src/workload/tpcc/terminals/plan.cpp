#include "workload/tpcc/terminals/plan.h"

#include <string>

#include "workload/tpcc/mix.h"

namespace drover::tpcc {
namespace {

load::Presentation presentation_of(const Plan& plan) {
  load::Presentation presentation;
  presentation.benchmark = "TPC-C";
  presentation.key = "tpcc";
  presentation.size = {{"warehouse", static_cast<std::uint64_t>(plan.own_warehouses())}};
  presentation.rollbacks = "New-Orders rolled back on purpose";
  presentation.types.clear();
  for (const TransactionType type : all_transaction_types) {
    presentation.types.push_back({std::string(transaction_name(type)), latency_limit_s(type)});
  }
  presentation.headline.name = "tpmC";
  presentation.headline.type = index_of(TransactionType::NewOrder);
  presentation.headline.seconds = 60;
  // Without delays there is no upper limit, and so no efficiency.
  if (!plan.no_delays) {
    presentation.headline.most = tpmc_per_warehouse_max(plan.pace) * plan.own_warehouses();
  }
  return presentation;
}

}  // namespace

void Plan::complete() {
  terminal_count = own_terminals();
  home_first = static_cast<std::size_t>(first_warehouse() - 1);
  home_count = static_cast<std::size_t>(own_warehouses());
  presentation = presentation_of(*this);
}

}  // namespace drover::tpcc
