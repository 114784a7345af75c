// Plans of workloads for tests, as they present themselves.
#pragma once

#include "load/plan.h"

namespace drover::metrics {

// TPC-C with 20 warehouses.
inline load::Plan example_plan() {
  load::Plan plan;
  load::WorkloadInfo& info = plan.workload;
  info.benchmark = "TPC-C";
  info.key = "tpcc";
  info.size = {{"warehouse", 20}};
  info.rollbacks = "New-Orders rolled back on purpose";
  info.types = {
      {"NewOrder", 5}, {"Payment", 5}, {"OrderStatus", 5}, {"Delivery", 5}, {"StockLevel", 20}};
  plan.terminal_count = 200;
  plan.threads = 2;
  plan.connections = 16;
  return plan;
}

}  // namespace drover::metrics
