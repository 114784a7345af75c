#include "report/audit/simulated_result_test.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "report/audit/audit.h"

namespace drover::report {

namespace {

constexpr std::array<double, 5> keying_s = {18, 3, 2, 2, 2};
constexpr std::array<double, 5> think_mean_s = {12, 12, 10, 5, 5};

std::uint64_t ns(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

class Simulation {
 public:
  explicit Simulation(const SimulatedRun& run)
      : run_(run),
        random_(run.seed),
        end_s_(run.warmup_s + run.interval_s),
        seconds_(static_cast<std::size_t>(std::ceil(end_s_))) {
    result_.transactions = tpcc_transactions();
  }

  Result result() {
    for (int warehouse = 0; warehouse < run_.warehouses; ++warehouse) simulate_warehouse();
    describe();
    complete_summary(result_);
    result_.audit = audit(result_);
    return std::move(result_);
  }

 private:
  struct Second {
    std::array<std::uint64_t, 5> ok{};
    std::vector<double> latencies_ms;
  };

  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  bool chance(double share) { return uniform() < share; }
  double exponential(double mean) {
    return std::exponential_distribution<double>(1 / mean)(random_);
  }
  double think_s(std::size_t type) {
    const double means =
        run_.think_in_means ? run_.think_in_means(random_) : std::min(exponential(1), 10.0);
    return means * think_mean_s[type] / run_.pace;
  }
  bool measuring(double time_s) const { return time_s >= run_.warmup_s && time_s < end_s_; }

  std::size_t draw(std::array<int, 5>& deck) {
    int left = 0;
    for (const int cards : deck) left += cards;
    if (left == 0) {
      deck = run_.deck;
      for (const int cards : deck) left += cards;
    }
    int place = std::uniform_int_distribution<int>(0, left - 1)(random_);
    std::size_t type = 0;
    while (place >= deck[type]) place -= deck[type++];
    --deck[type];
    return type;
  }

  // Ten terminals take cards of one deck in the order of time.
  void simulate_warehouse() {
    std::array<int, 5> deck = run_.deck;
    std::priority_queue<double, std::vector<double>, std::greater<>> draws;
    for (int terminal = 0; terminal < 10; ++terminal) draws.push(first_draw());
    while (draws.top() < end_s_) {
      const double begun_s = draws.top();
      draws.pop();
      const std::size_t type = draw(deck);
      draws.push(run_.no_delays ? transact(type, begun_s) : cycle(type, begun_s));
    }
  }

  // Where a stranger would find a terminal: keying, and then it acts and thinks, or thinking.
  double first_draw() {
    if (run_.no_delays) return 0;
    std::array<double, 5> weights{};
    for (std::size_t i = 0; i < 5; ++i) weights[i] = run_.deck[i] * (keying_s[i] + think_mean_s[i]);
    const std::size_t type =
        std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random_);
    if (uniform() * (keying_s[type] + think_mean_s[type]) > keying_s[type]) return think_s(type);
    return think(type, transact(type, uniform() * keying_s[type] / run_.pace));
  }

  double cycle(std::size_t type, double begun_s) {
    const double key_s = keying_s[type] / run_.pace;
    const double late_s = exponential(run_.timer_lag_ms * 1e-3);
    const double due_s = begun_s + key_s;
    if (measuring(due_s + late_s)) {
      result_.transactions[type].keying.record(ns(key_s + late_s));
      result_.client.timer_lag.record(ns(late_s));
    }
    return think(type, transact(type, due_s, late_s));
  }

  double think(std::size_t type, double answered_s) {
    const double pause_s = think_s(type);
    const double late_s = exponential(run_.timer_lag_ms * 1e-3);
    if (measuring(answered_s + pause_s + late_s)) {
      result_.transactions[type].think.record(ns(pause_s + late_s));
      result_.client.timer_lag.record(ns(late_s));
    }
    return answered_s + pause_s;
  }

  // Hands back when the answer is there.
  double transact(std::size_t type, double begun_s, double late_s = 0) {
    constexpr double wait_s = 1e-5;
    const double latency_s = late_s + wait_s + exponential(run_.latency_ms * 1e-3);
    const double answered_s = begun_s + latency_s;
    const bool committed = !(type == 0 && chance(run_.rollback_share));
    if (answered_s < end_s_ && committed) {
      Second& second = seconds_[static_cast<std::size_t>(answered_s)];
      ++second.ok[type];
      second.latencies_ms.push_back(latency_s * 1e3);
      if (type == 0) ++result_.ledger.new_orders;
    }
    if (!measuring(answered_s)) return answered_s;
    TransactionResult& one = result_.transactions[type];
    ++one.attempts;
    one.wait.record(ns(wait_s));
    count_inputs(type, committed);
    if (committed) {
      ++one.ok_count;
      one.latency.record(ns(latency_s));
    } else {
      ++one.user_aborted_count;
    }
    return answered_s;
  }

  void count_inputs(std::size_t type, bool committed) {
    InputCounts& inputs = result_.inputs;
    if (type == 0) {
      ++inputs.new_orders;
      if (!committed) ++inputs.new_orders_rolled_back;
      const int lines = std::uniform_int_distribution<int>(5, run_.order_lines_most)(random_);
      inputs.order_lines += static_cast<std::uint64_t>(lines);
      for (int line = 0; line < lines; ++line) {
        if (chance(run_.remote_line_share)) ++inputs.order_lines_remote;
      }
    } else if (type == 1) {
      ++inputs.payments;
      if (chance(run_.remote_payment_share)) ++inputs.payments_remote;
      if (chance(run_.by_name_share)) ++inputs.payments_by_name;
    } else if (type == 2) {
      ++inputs.order_statuses;
      if (chance(run_.by_name_share)) ++inputs.order_statuses_by_name;
    } else if (type == 3) {
      ++inputs.deliveries;
    }
  }

  void describe() {
    result_.plan.warehouses = static_cast<std::uint64_t>(run_.warehouses);
    result_.plan.warmup_s = run_.warmup_s;
    result_.plan.duration_s = run_.interval_s;
    result_.plan.no_delays = run_.no_delays;
    result_.plan.pace = run_.pace;
    result_.plan.threads = 1;
    result_.plan.connections = 16;
    result_.summary.time_seconds = run_.interval_s;
    result_.environment.client.cpus = 2;
    result_.client.workers = {{.load = 0.1, .run_queue_share = 0.02, .wake_up_delay_ms = 0.05}};
    result_.client.run_queue_known = true;
    result_.client.terminals_up_s = 0.01;
    result_.ledger_in_data =
        LedgerInData{.new_orders = static_cast<std::int64_t>(result_.ledger.new_orders)};
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      TimePoint point;
      point.t = std::min(static_cast<double>(i + 1), end_s_);
      point.phase = point.t <= run_.warmup_s ? "warm-up" : "measure";
      point.ok.assign(seconds_[i].ok.begin(), seconds_[i].ok.end());
      std::vector<double>& latencies = seconds_[i].latencies_ms;
      if (!latencies.empty()) {
        const auto p90 = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() * 9 / 10);
        std::nth_element(latencies.begin(), p90, latencies.end());
        point.p90_ms = *p90;
      }
      result_.time_series.push_back(std::move(point));
    }
  }

  const SimulatedRun run_;
  std::mt19937_64 random_;
  double end_s_;
  std::vector<Second> seconds_;
  Result result_;
};

}  // namespace

Result simulate_result(const SimulatedRun& run) {
  return Simulation(run).result();
}

}  // namespace drover::report
