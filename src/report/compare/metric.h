// A named figure of a result, such as tpmC or new_order.p99, for tables, limits and histories; and
// limits on figures.
//
// Names, in which case and underscores do not matter:
//   tpmC, efficiency, throughput, failed, retries, unanswered, unavailable_s, stalled_s,
//   client.cpu_us, client.memory; with --server-stats server.cpu_ms, server.wait_ms
//   TRANSACTION.STATISTIC    TRANSACTION: new_order (or NewOrder), payment, order_status, delivery,
//                            stock_level, all, deferred (Deliveries executed beside the terminals)
//                            STATISTIC: p50, p99.95 (any percentile), mean, max, ok (a second),
//                            failed
//
// Results of YCSB and scripts have no tpmC and no efficiency. Their TRANSACTION is read,
// read_modify_write, the name of a script (blanks and hyphens count as underscores), or all. They
// also have
//   TRANSACTION.service.STATISTIC   p50, p99.95 (any percentile), mean, max of the service time in
//                                   an open loop
//
// Latencies are in milliseconds. Tables of metrics show several results side by side, with the
// change of each from the first result. `drover compare` decides whether a change is significant.
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

// The message is one printable line: the unknown name, the known names, and the most similar one.
struct MetricError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The transactions that metrics can name.
struct MetricVocabulary {
  bool has_tpmc = true;
  std::vector<std::string> transactions = {};  // of YCSB and scripts, by their names in results
};
MetricVocabulary vocabulary_of(const Result& result);

class Metric {
 public:
  enum class Kind : std::uint8_t {
    figure,      // of the whole run
    rate,        // of commits; the time series has one for each second
    percentile,  // this kind and the following ones: of latencies
    mean,
    maximum,
  };

  // The properties of all metrics with a name, or with a statistic after the dot.
  struct Traits {
    std::string_view name;
    Kind kind;
    std::string_view unit;     // "ms", "/s"; empty for a plain number
    std::string_view meaning;  // a few words
    // Returns the figure of a result with a measured interval; null for latencies.
    std::optional<double> (*value)(const Metric&, const Result&);
    bool higher_is_better = false;
    // The rounding error, as a standard deviation in the metric's unit: counts are whole, outages
    // are counted from a tenth of a second, and stalls from one second.
    double resolution = 0;
    std::string_view transaction = {};  // whose commits it counts; its name in results
  };

  // Throws MetricError.
  static Metric parse(std::string_view text, const MetricVocabulary& vocabulary = {});

  const std::string& name() const { return name_; }  // "new_order.p99"
  Kind kind() const { return traits_->kind; }
  std::string_view unit() const { return traits_->unit; }
  std::string_view meaning() const { return traits_->meaning; }
  bool higher_is_better() const { return traits_->higher_is_better; }
  double resolution() const { return traits_->resolution; }

  double percent() const { return percent_; }  // of a percentile: 0.001 to 100
  bool is_of_service() const { return service_; }
  bool is_of_deferred() const { return deferred_; }
  // Returns true if the metric includes this transaction type.
  bool is_of(const TransactionResult& one) const {
    return transaction_.empty() || one.name == transaction_;
  }

  // Returns nothing if the figure was not measured: there is no efficiency without think times, and
  // no percentile of transactions that never succeeded.
  std::optional<double> value(const Result& result) const;

  // Returns the sum over its transaction types; nothing if the result has none of them. Requires:
  // deferred Deliveries if it is a metric of these.
  std::optional<double> sum_of(std::uint64_t TransactionResult::* count,
                               const Result& result) const;

  // Returns the histogram from which the value of a latency follows.
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

// Limits of comparisons (`drover compare --fail-if`) and searches: "tpmC < -3%".
//
//   METRIC < BOUND   or   METRIC > BOUND
//
//   BOUND            limits
//   -3%, +10%, 10%   the change from base to new, in percent of the base
//   +5, -2ms         the change in the metric's unit: a number with a sign
//   20, 20ms         the new value itself: a number without a sign
//
// A change is a fall for < and a rise for >: "tpmC < 3%" would fail a gain of 2%, and is refused
// with a hint. Blanks may separate the parts.

// The message is one printable line: the text, its fault, and what was expected.
struct LimitError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Limit {
  enum class Kind : std::uint8_t { percent_change, change, value };

  // Throws LimitError, or MetricError for the metric's name.
  static Limit parse(std::string_view text, const MetricVocabulary& vocabulary = {});

  Metric metric;
  bool above = false;  // broken above the bound, else below
  Kind kind = Kind::percent_change;
  double bound = 0;  // percent, or the metric's unit

  std::string text() const;  // parse(text()) returns an equal limit
  bool is_beyond(double figure) const { return above ? figure > bound : figure < bound; }
};

// Returns the metrics that a table shows by default for such a result.
std::vector<Metric> default_metrics(const Result& result = {});

// Returns the metrics of a comma-separated list. Throws MetricError.
std::vector<Metric> parse_metrics(std::string_view text, const MetricVocabulary& vocabulary = {});

// Returns all names, with examples of percentiles: for help and messages.
std::vector<std::string> metric_names(const MetricVocabulary& vocabulary = {});

struct MetricCell {
  std::optional<double> value;
  std::optional<double> change;  // from the first result: 0.05 is 5% more. Empty for the first
};

struct MetricRow {
  Metric metric;
  std::vector<MetricCell> cells;  // one a result
};

// Returns the rows of which some result has a value.
std::vector<MetricRow> make_metric_table(const std::vector<NamedResult>& results,
                                         const std::vector<Metric>& metrics);

// Returns a name that is too long without its beginning: "..write.p99". The end says what is
// measured.
std::string end_of_name(std::string name, std::size_t width);

std::string value_text(const MetricCell& cell);   // "31.4", "n/a"
std::string change_text(const MetricCell& cell);  // "+3.1%", "x12.5" from tenfold on, or empty

// Returns text for a terminal of 60 columns or more. Results that do not fit stand in further
// blocks.
std::string metric_table_text(const std::vector<NamedResult>& results,
                              const std::vector<MetricRow>& rows, std::size_t width = 100);

}  // namespace drover::report
