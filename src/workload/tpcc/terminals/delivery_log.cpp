#include "workload/tpcc/terminals/delivery_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace drover::tpcc {

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
    throw std::runtime_error(fmt::format("delivery log \"{}\": cannot create it: {}", path,
                                         std::generic_category().message(errno)));
  }
}

void DeliveryLog::append(const DeliveryRecord& record) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(record);
}

void DeliveryLog::give_up(int error_number) {
  failure_ = fmt::format("delivery log \"{}\": cannot write to it: {}", path_,
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
