#include "workload/ycsb/clients/plan.h"

#include <string>

namespace drover::ycsb {
namespace {

constexpr std::array<OperationType, operation_type_count> all_operation_types = {
    OperationType::read, OperationType::update, OperationType::insert, OperationType::scan,
    OperationType::read_modify_write};

}  // namespace

load::WorkloadInfo workload_info(const Properties& properties) {
  load::WorkloadInfo info;
  info.benchmark = "YCSB";
  info.key = "ycsb";
  info.size = {{"row", static_cast<std::uint64_t>(properties.record_count)}};
  info.terminal = "client";
  info.types.clear();
  const Mix mix(properties);
  for (const OperationType type : all_operation_types) {
    if (mix.share(type) <= 0) continue;
    info.types.push_back({.name = std::string(operation_name(type)), .share = mix.share(type)});
  }
  return info;
}

std::array<std::size_t, operation_type_count> places_of_types(const Properties& properties) {
  const Mix mix(properties);
  std::array<std::size_t, operation_type_count> places{};
  std::size_t next = 0;
  for (const OperationType type : all_operation_types) {
    if (mix.share(type) > 0) places[static_cast<std::size_t>(type)] = next++;
  }
  return places;
}

}  // namespace drover::ycsb
