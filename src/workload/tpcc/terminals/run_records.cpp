#include "workload/tpcc/terminals/run_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace drover::tpcc {

using coro::Instant;
using database::Error;
using database::ErrorClass;

namespace {

constexpr std::uint32_t failures_of_an_away_warehouse = 3;

// Returns true if the database is at fault: connections, resources, operators, and errors of the
// system.
bool is_of_the_database(const Error& error) {
  if (error.error_class() == ErrorClass::denied) return false;
  if (error.error_class() != ErrorClass::statement) return true;
  constexpr std::array<std::string_view, 5> classes = {"08", "53", "57", "58", "XX"};
  return std::ranges::find(classes, error.sqlstate().substr(0, 2)) != classes.end();
}

}  // namespace

void WarehouseAvailability::failed(std::int32_t w_id, Instant begun, const Error& error) {
  if (!is_of_the_database(error)) return;
  State& state = state_of(w_id);
  if (state.failures++ == 0) state.first_failure = std::max(begun, state.last_commit);
}

void WarehouseAvailability::committed(std::int32_t w_id, Instant now) {
  State& state = state_of(w_id);
  if (state.failures >= failures_of_an_away_warehouse) {
    ended_.push_back({w_id, state.first_failure, now});
  }
  state.failures = 0;
  state.last_commit = now;
}

std::vector<WarehouseAvailability::Stretch> WarehouseAvailability::stretches() const {
  std::vector<Stretch> all = ended_;
  std::int32_t w_id = first_;
  for (const State& state : states_) {
    if (state.failures >= failures_of_an_away_warehouse) {
      all.push_back({w_id, state.first_failure, Instant::max()});
    }
    w_id += step_;
  }
  return all;
}

std::string format_delivery(const DeliveryRecord& record) {
  std::string line = fmt::format(R"({{"queued":{:.6f},"w_id":{},"o_carrier_id":{},)", record.queued,
                                 record.w_id, record.carrier_id);
  if (record.failed) {
    line += R"("error":"not delivered",)";
  } else {
    line += R"("orders":[)";
    const char* separator = "";
    for (std::size_t d = 0; d < record.orders.size(); ++d) {
      if (record.orders[d] == 0) continue;
      line += fmt::format("{}[{},{}]", separator, d + 1, record.orders[d]);
      separator = ",";
    }
    line += "],";
  }
  return line + fmt::format(R"("completed":{:.6f}}})", record.completed) + "\n";
}

DeliveryLog::DeliveryLog(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "we")) {
  if (!file_) {
    throw std::runtime_error(fmt::format("cannot create the delivery log \"{}\": {}", path,
                                         std::generic_category().message(errno)));
  }
}

void DeliveryLog::append(const DeliveryRecord& record) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(record);
}

void DeliveryLog::give_up(int error_number) {
  failure_ = fmt::format("cannot write to the delivery log \"{}\": {}", path_,
                         std::generic_category().message(error_number));
  file_.reset();
}

void DeliveryLog::write_out() {
  std::vector<DeliveryRecord> records;
  {
    const std::lock_guard lock(mutex_);
    records = std::exchange(waiting_, {});
  }
  if (!file_) return;
  for (const DeliveryRecord& record : records) {
    const std::string line = format_delivery(record);
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size()) return give_up(errno);
  }
  if (std::fflush(file_.get()) != 0) give_up(errno);
}

void DeliveryLog::close() {
  write_out();
  if (file_ && std::fclose(file_.release()) != 0) give_up(errno);
}

}  // namespace drover::tpcc
