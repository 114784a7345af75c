// A named figure of a result, such as tpmC or new_order.p99: what tables show, what limits are set
// on, and what is drawn over time.
//
// Names, read without regard to case and underscores:
//   tpmC, efficiency, throughput, failed, retries, unanswered, unavailable_s, stalled_s,
//   client.cpu_us, client.memory
//   TRANSACTION.STATISTIC    TRANSACTION: new_order (or NewOrder), payment, order_status, delivery,
//                            stock_level, all, deferred (Deliveries executed beside the terminals)
//                            STATISTIC: p50, p99.95 (any percentile), mean, max, ok (a second),
//                            failed
//
// Latencies are in milliseconds. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "measure/histogram.h"
#include "report/result.h"

namespace drover::report {

// One printable line: what is no metric, what there is, and what was probably meant.
class MetricError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Metric {
 public:
  enum class Kind : std::uint8_t {
    tpmc,
    efficiency,
    throughput,
    failed,
    retries,
    unanswered,
    unavailable,
    stalled,
    client_cpu,
    client_memory,
    percentile,  // from here on of a transaction, or of all
    mean,
    maximum,
    ok_rate,
    failed_of_transaction,
  };

  // Throws MetricError.
  static Metric parse(std::string_view text);

  const std::string& name() const { return name_; }  // as in the list above: "new_order.p99"
  Kind kind() const { return kind_; }
  std::string_view unit() const;     // "ms", "/s"; empty of a plain number
  std::string_view meaning() const;  // a few words for who does not know the name
  bool higher_is_better() const;
  bool is_latency() const;

  // Of percentiles: 0.001 to 100.
  double percent() const { return percent_; }
  // Of a transaction's metrics, its name in results ("NewOrder"); empty: all together.
  const std::string& transaction() const { return transaction_; }
  bool is_of_deferred() const { return deferred_; }

  // Nothing if it was not measured: there is no efficiency without delays, and no percentile of
  // transactions that never succeeded.
  std::optional<double> value(const Result& result) const;

  // Of latency metrics: what the value is taken from. Empty of others.
  measure::HistogramSnapshot histogram(const Result& result) const;

  // With as many digits as people can use: "31.4", "12857".
  static std::string number_text(double value);

  bool operator==(const Metric& other) const { return name_ == other.name_; }

 private:
  Metric() = default;
  static std::optional<Metric> find_plain(std::string_view folded);
  static std::optional<Metric> find_of_transaction(std::string_view folded);
  std::optional<double> value_of_all(const Result& result) const;
  std::optional<double> value_of_transaction(const Result& result) const;

  std::string name_;
  Kind kind_ = Kind::tpmc;
  std::string transaction_;
  double percent_ = 0;
  bool deferred_ = false;
};

// Those that a table shows if nobody chooses.
const std::vector<Metric>& default_metrics();

// Of a comma-separated list. Throws MetricError.
std::vector<Metric> parse_metrics(std::string_view text);

// All names, percentiles by way of example: for help and messages.
const std::vector<std::string>& metric_names();

}  // namespace drover::report
