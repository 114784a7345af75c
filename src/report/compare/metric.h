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
#include "report/document/result.h"

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

  // What all metrics of a kind have in common.
  struct Traits {
    std::string_view name;  // behind the dot, where it is of a transaction
    Kind kind;
    std::string_view unit;     // "ms", "/s"; empty of a plain number
    std::string_view meaning;  // a few words for who does not know the name
    bool higher_is_better = false;
    // What is known of it besides the scatter of runs, as a standard deviation in its unit: counts are
    // whole, outages are counted from a tenth of a second, and stalls from one.
    double resolution = 0;
    std::string_view transaction = {};  // that it counts, in results
  };

  // Throws MetricError.
  static Metric parse(std::string_view text);

  const std::string& name() const { return name_; }  // as in the list above: "new_order.p99"
  Kind kind() const { return traits_->kind; }
  std::string_view unit() const { return traits_->unit; }
  std::string_view meaning() const { return traits_->meaning; }
  bool higher_is_better() const { return traits_->higher_is_better; }
  double resolution() const { return traits_->resolution; }

  double percent() const { return percent_; }  // of a percentile: 0.001 to 100
  bool is_of_deferred() const { return deferred_; }
  // Whether it is made of these: of its transaction, or of any.
  bool is_of(const TransactionResult& one) const {
    return transaction_.empty() || one.name == transaction_;
  }

  // Nothing if it was not measured: there is no efficiency without delays, and no percentile of
  // transactions that never succeeded.
  std::optional<double> value(const Result& result) const;

  // What the value of a latency is taken from.
  measure::HistogramSnapshot histogram(const Result& result) const;

  // With as many digits as people can use: "31.4", "12857".
  static std::string number_text(double value);

  bool operator==(const Metric& other) const { return name_ == other.name_; }

 private:
  Metric(const Traits& traits, std::string name)
      : traits_(&traits), name_(std::move(name)), transaction_(traits.transaction) {}
  // Nothing if the result has none of its transactions.
  std::optional<double> sum_of(std::uint64_t TransactionResult::* count,
                               const Result& result) const;

  const Traits* traits_;
  std::string name_;
  std::string_view transaction_;  // in results; empty: all together
  double percent_ = 0;
  bool deferred_ = false;
};

// Those that a table shows if nobody chooses.
const std::vector<Metric>& default_metrics();

// The metrics of a comma-separated list. Throws MetricError.
std::vector<Metric> parse_metrics(std::string_view text);

// All names, percentiles by way of example: for help and messages.
const std::vector<std::string>& metric_names();

}  // namespace drover::report
