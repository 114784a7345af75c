#include "workload/tpcc/terminals/plan.h"

#include <string>

#include "workload/tpcc/mix.h"

namespace drover::tpcc {
namespace {

load::WorkloadInfo workload_info(const Plan& plan) {
  load::WorkloadInfo info;
  info.benchmark = "TPC-C";
  info.key = "tpcc";
  info.size = {{"warehouse", static_cast<std::uint64_t>(plan.own_warehouses())}};
  info.rollbacks = "New-Orders rolled back on purpose";
  info.types.clear();
  for (const TransactionType type : all_transaction_types) {
    info.types.push_back({std::string(transaction_name(type)), latency_limit_s(type)});
  }
  info.headline.name = "tpmC";
  info.headline.type = index_of(TransactionType::NewOrder);
  info.headline.seconds = 60;
  // Without delays there is no upper limit, and so no efficiency.
  if (!plan.no_delays) {
    info.headline.most = tpmc_per_warehouse_max(plan.pace) * plan.own_warehouses();
  }
  return info;
}

}  // namespace

void Plan::complete() {
  terminal_count = own_terminals();
  home_first = static_cast<std::size_t>(first_warehouse() - 1);
  home_count = static_cast<std::size_t>(own_warehouses());
  workload = workload_info(*this);
}

}  // namespace drover::tpcc
