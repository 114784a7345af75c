// A named figure of a result, such as tpmC or new_order.p99: what tables show, what limits are set
// on, and what is drawn over time.
//
// Names, read without regard to case and underscores:
//   tpmC, efficiency, throughput, failed, retries, unanswered, unavailable_s, stalled_s,
//   client.cpu_us, client.memory; where --server-stats was given server.cpu_ms, server.wait_ms
//   TRANSACTION.STATISTIC    TRANSACTION: new_order (or NewOrder), payment, order_status, delivery,
//                            stock_level, all, deferred (Deliveries executed beside the terminals)
//                            STATISTIC: p50, p99.95 (any percentile), mean, max, ok (a second),
//                            failed
//
// Results of other benchmarks have no tpmC and no efficiency, and TRANSACTION is one of their own: read,
// read_modify_write, the name of a script (blanks and hyphens count as underscores), or all. They have
// besides
//   TRANSACTION.service.STATISTIC   p50, p99.95 (any percentile), mean, max of the service time in an open loop
//
// Latencies are in milliseconds. And tables of such figures: those of several results side by side, and how far
// each is from the first one's. Whether a difference is more than chance is not asked here: that is what
// `drover compare` does.
//
// Plain values and pure functions; any thread.
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
struct MetricError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The transactions that metrics can name.
struct MetricVocabulary {
  bool is_tpcc = true;
  std::vector<std::string> transactions = {};  // of another benchmark, as its results call them
};
MetricVocabulary vocabulary_of(const Result& result);

class Metric {
 public:
  enum class Kind : std::uint8_t {
    figure,      // of the whole run
    rate,        // of commits, which the seconds of the time series have, too
    percentile,  // this and what follows: of latencies
    mean,
    maximum,
  };

  // What all metrics of a name have in common, or of a statistic behind the dot.
  struct Traits {
    std::string_view name;
    Kind kind;
    std::string_view unit;     // "ms", "/s"; empty of a plain number
    std::string_view meaning;  // a few words for who does not know the name
    // The figure of a result with a measured interval; null for latencies.
    std::optional<double> (*value)(const Metric&, const Result&);
    bool higher_is_better = false;
    // What is known of it besides the scatter of runs, as a standard deviation in its unit: counts are
    // whole, outages are counted from a tenth of a second, and stalls from one.
    double resolution = 0;
    std::string_view transaction = {};  // that it counts, in results
  };

  // Throws MetricError.
  static Metric parse(std::string_view text, const MetricVocabulary& vocabulary = {});

  const std::string& name() const { return name_; }  // as in the list above: "new_order.p99"
  Kind kind() const { return traits_->kind; }
  std::string_view unit() const { return traits_->unit; }
  std::string_view meaning() const { return traits_->meaning; }
  bool higher_is_better() const { return traits_->higher_is_better; }
  double resolution() const { return traits_->resolution; }

  double percent() const { return percent_; }  // of a percentile: 0.001 to 100
  bool is_of_service() const { return service_; }
  bool is_of_deferred() const { return deferred_; }
  // Whether it is made of these: of its transaction, or of any.
  bool is_of(const TransactionResult& one) const {
    return transaction_.empty() || one.name == transaction_;
  }

  // Nothing if it was not measured: there is no efficiency without delays, and no percentile of
  // transactions that never succeeded.
  std::optional<double> value(const Result& result) const;

  // Over its transactions; nothing if the result has none of them. Requires: deferred ones if it is of these.
  std::optional<double> sum_of(std::uint64_t TransactionResult::* count,
                               const Result& result) const;

  // What the value of a latency is taken from.
  measure::HistogramSnapshot histogram(const Result& result) const;

  bool operator==(const Metric& other) const { return name_ == other.name_; }

 private:
  Metric(const Traits& traits, std::string name)
      : traits_(&traits), name_(std::move(name)), transaction_(traits.transaction) {}

  const Traits* traits_;
  std::string name_;
  std::string transaction_;  // in results; empty: all together
  double percent_ = 0;
  bool service_ = false;
  bool deferred_ = false;
};

// Those that a table shows if nobody chooses, of results like this one.
std::vector<Metric> default_metrics(const Result& result = {});

// The metrics of a comma-separated list. Throws MetricError.
std::vector<Metric> parse_metrics(std::string_view text, const MetricVocabulary& vocabulary = {});

// All names, percentiles by way of example: for help and messages.
std::vector<std::string> metric_names(const MetricVocabulary& vocabulary = {});

struct MetricCell {
  std::optional<double> value;
  std::optional<double> change;  // against the first result: 0.05 is 5% more. None of the first
};

struct MetricRow {
  Metric metric;
  std::vector<MetricCell> cells;  // one a result
};

// Rows of which no result has a value are left out.
std::vector<MetricRow> make_metric_table(const std::vector<NamedResult>& results,
                                         const std::vector<Metric>& metrics);

// A name that is too long for its column without its beginning, for the end says what is measured: "..write.p99".
std::string end_of_name(std::string name, std::size_t width);

std::string value_text(const MetricCell& cell);   // "31.4", "n/a"
std::string change_text(const MetricCell& cell);  // "+3.1%", "x12.5" from tenfold on, "" if none

// For a terminal of 60 columns or more: results beyond its width come in blocks below each other.
std::string metric_table_text(const std::vector<NamedResult>& results,
                              const std::vector<MetricRow>& rows, std::size_t width = 100);

}  // namespace drover::report
