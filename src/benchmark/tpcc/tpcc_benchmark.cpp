#include "benchmark/tpcc/tpcc_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "run/usage_error.h"
#include "text/plain_text.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/input.h"

namespace drover::benchmark {

using coro::Task;

// The search for lost writes has several times the timeout, because it looks up each write.
constexpr int timeouts_for_writes = 10;

// Writes the log of deferred Deliveries during the run.
class TpccBenchmark::DeliveryLogWriter final : public load::Observer {
 public:
  explicit DeliveryLogWriter(const std::string& path) : log(path) {}
  void on_snapshot(const load::Snapshot&) override { log.write_out(); }

  tpcc::DeliveryLog log;
};

void choose_warehouses(TpccOptions& options) {
  tpcc::Plan& plan = options.plan;
  const auto terminals_there = static_cast<std::size_t>(plan.warehouses) *
                               static_cast<std::size_t>(plan.terminals_per_warehouse);
  if (plan.terminals_most > terminals_there) {
    throw UsageError(
        fmt::format("--terminals {}: expected at most {}, one for each district of {}. Use fewer "
                    "terminals, or more --warehouses",
                    plan.terminals_most, terminals_there,
                    text::counted(static_cast<std::uint64_t>(plan.warehouses), "warehouse")));
  }
  if (options.range) {
    const auto [first, last] = *options.range;
    if (last > plan.warehouses) {
      throw UsageError(
          fmt::format("--warehouse-range {}-{}: the range must be within --warehouses, which is {}",
                      first, last, plan.warehouses));
    }
    plan.share.before = static_cast<std::uint64_t>(first - 1);
    plan.share.own = static_cast<std::uint64_t>(last - first + 1);
    plan.share.total = static_cast<std::uint64_t>(plan.warehouses);
  }
  if (plan.own_terminals() > 0 && plan.terminals() >= plan.share.ranks &&
      static_cast<std::uint64_t>(plan.warehouses) >= plan.share.ranks) {
    return;
  }
  throw UsageError(
      fmt::format("{} with {} cannot be divided among the hosts: each host needs at least one "
                  "warehouse and one terminal",
                  text::counted(static_cast<std::uint64_t>(plan.warehouses), "warehouse"),
                  text::counted(plan.terminals(), "terminal")));
}

TpccBenchmark::TpccBenchmark(TpccOptions options, const tpcc::Database* database)
    : options_(std::move(options)), database_(database) {
  if (!options_.all_warehouses) choose_warehouses(options_);
  options_.plan.complete();
}

TpccBenchmark::~TpccBenchmark() = default;

Task<database::ServerFacts> TpccBenchmark::prepare() {
  tpcc::Plan& plan = options_.plan;
  std::optional<std::int32_t> warehouses = plan.warehouses;
  if (options_.all_warehouses) warehouses.reset();
  prepared_ = co_await database_->prepare(warehouses);
  isolation_ = co_await database_->choose_isolation(options_.isolation, prepared_.server);
  if (options_.all_warehouses) plan.warehouses = prepared_.loaded.warehouses;
  choose_warehouses(options_);
  plan.complete();
  co_await find_homes();
  const std::vector<std::string> narrow = co_await database_->find_narrow_columns(planned_work());
  prepared_.notes.insert(prepared_.notes.end(), narrow.begin(), narrow.end());
  if (options_.gathers == 0) ledger_before_ = co_await database_->read_ledger(own_range());
  co_return prepared_.server;
}

// Sends each warehouse's transactions to the node that holds it, where the database tells. Goes on
// without affinity if no host of the connection string reaches that node.
Task<void> TpccBenchmark::find_homes() {
  tpcc::Plan& plan = options_.plan;
  if (!plan.affinity) co_return;
  auto homes = co_await database_->find_homes(plan.hosts.size(), plan.warehouses);
  plan.home_hosts = std::move(homes.hosts);
  plan.affinity = homes.problem.empty();
  if (plan.affinity) co_return;
  prepared_.notes.push_back(fmt::format(
      "note: --affinity has no effect: {}. The run continues with --balance alone", homes.problem));
}

// Without delays, the number of Payments of a warehouse is bounded by the updates of its single
// row. Few servers reach this bound.
tpcc::PlannedWork TpccBenchmark::planned_work() const {
  constexpr double payments_a_second_most = 1'000;
  const tpcc::Plan& plan = options_.plan;
  tpcc::PlannedWork work;
  work.seconds = coro::seconds_of(plan.warmup + plan.duration);
  work.is_bound = plan.no_delays;
  work.pairs_a_second =
      plan.no_delays ? payments_a_second_most : tpcc::tpmc_per_warehouse_max(plan.pace) / 60;
  return work;
}

std::optional<double> TpccBenchmark::transactions_a_second() const {
  const tpcc::Plan& plan = options_.plan;
  if (plan.no_delays) return std::nullopt;
  const double cycle = coro::seconds_of(tpcc::mean_cycle(plan.pace));
  return static_cast<double>(plan.own_terminals()) / cycle;
}

// Enough for transactions of 100 ms at the pace of the terminals.
double TpccBenchmark::connections_wanted() const {
  const auto processors = static_cast<double>(std::thread::hardware_concurrency());
  const std::optional<double> rate = transactions_a_second();
  const auto hosts = static_cast<double>(std::max<std::size_t>(options_.gathers, 1));
  return std::clamp(rate ? *rate * 0.1 : 4 * processors * hosts, 16 * hosts, 500 * hosts);
}

std::size_t TpccBenchmark::threads_most() const {
  return std::min(static_cast<std::size_t>(options_.plan.own_warehouses()),
                  options_.plan.own_terminals());
}

// A transaction costs the server about twenty times as much as the client, so the processors are
// left to the server.
std::size_t TpccBenchmark::threads_without_rate() const {
  constexpr std::size_t processors_a_thread = 8;
  return (std::thread::hardware_concurrency() + processors_a_thread - 1) / processors_a_thread;
}

std::uint64_t TpccBenchmark::terminals_of(const load::Share& share) const {
  tpcc::Plan part = options_.plan;
  part.share = share;
  return part.own_terminals();
}

void TpccBenchmark::complete(settings::RunSettings& settings) {
  tpcc::Plan& plan = options_.plan;
  plan.complete();
  const auto& loaded = prepared_.loaded.load_constants;
  if (options_.simulated) {
    plan.constants = tpcc::run_constants(plan.seed, tpcc::load_constants(plan.seed));
  } else {
    plan.constants =
        loaded ? tpcc::run_constants(plan.seed, *loaded) : tpcc::load_constants(plan.seed);
  }
  complete_settings(plan, settings);
  settings.affinity = plan.affinity;
  if (!options_.simulated) settings.isolation = tpcc::isolation_name(isolation_);
  settings_ = settings;
  if (!options_.delivery_log.empty()) {
    delivery_log_ = std::make_unique<DeliveryLogWriter>(options_.delivery_log);
  }
  records_.emplace(plan, delivery_log_ != nullptr ? &delivery_log_->log : nullptr);
  if (database_ != nullptr) records_->keep_writes();
}

std::string TpccBenchmark::title() const {
  return fmt::format("{}, {}", settings_.statements, settings_.isolation);
}

std::vector<std::string> TpccBenchmark::notes() const {
  std::vector<std::string> notes = prepared_.notes;
  if (!prepared_.loaded.hidden_record.empty()) {
    notes.push_back(prepared_.loaded.hidden_record);
  } else if (!prepared_.loaded.load_constants) {
    notes.emplace_back(
        "note: another tool loaded these tables, so their C-Load constants are unknown. Drover "
        "cannot keep the distance between C-Load and C-Run that TPC-C's clause 2.1.6.1 requires");
  }
  if (!options_.plan.share.is_whole()) {
    notes.push_back(fmt::format("this host runs warehouses {1} to {2} of {0}",
                                options_.plan.warehouses, own_range().first, own_range().last));
  }
  return notes;
}

tpcc::WarehouseRange TpccBenchmark::own_range() const {
  return {options_.plan.first_warehouse(), options_.plan.last_warehouse()};
}

tpcc::BackendSettings TpccBenchmark::backend_settings(std::size_t worker) const {
  tpcc::BackendSettings settings;
  settings.run = settings_;
  settings.style = options_.style;
  settings.isolation = isolation_;
  settings.connections = options_.plan.share_of_worker(worker, options_.plan.connections);
  settings.pooling = prepared_.server.pooling;
  settings.server_dialect = prepared_.server.dialect;
  settings.is_partitioned = prepared_.server.settings.contains("partitions");
  settings.upkeep = options_.plan.upkeep_of_worker(worker);
  settings.resolve_timeout = settings_.patience_afterwards();
  settings.seed = options_.plan.seed + options_.plan.number_of_worker(worker);
  return settings;
}

load::WorkloadFactory TpccBenchmark::workload(std::function<void(std::string_view)> on_note) {
  const auto backends =
      [this, on_note = std::move(on_note)](std::size_t index) -> std::unique_ptr<tpcc::Backend> {
    if (options_.simulated) return std::make_unique<tpcc::SimulatedBackend>(*options_.simulated);
    tpcc::BackendSettings settings = backend_settings(index);
    settings.on_note = on_note;
    return database_->make_backend(std::move(settings));
  };
  return tpcc::make_terminals(options_.plan, backends, *records_);
}

load::Observer* TpccBenchmark::observer() {
  return delivery_log_.get();
}

Task<void> TpccBenchmark::ask_afterwards(coro::Duration timeout) {
  if (delivery_log_ != nullptr) delivery_log_->log.close();
  if (database_ == nullptr) co_return;
  ledger_after_ = co_await database_->read_ledger_within(timeout, own_range());
  if (!ledger_after_) co_return;
  report::Result counted;
  add_records(options_.plan, *records_, counted);
  const report::LedgerInData in_data = ledger_between(ledger_before_, *ledger_after_);
  if (report::agrees(counted.ledger, in_data) && counted.ledger.exact) {
    lost_commits_.emplace();
    co_return;
  }
  lost_commits_ = co_await find_lost_commits(*database_, *records_, prepared_.server_time,
                                             timeouts_for_writes * timeout);
  if (lost_commits_) lost_commits_->complete = explain(*lost_commits_, counted.ledger, in_data);
}

void TpccBenchmark::describe_share(const load::Share& share, report::Result& part) const {
  const auto warehouses = static_cast<std::uint64_t>(options_.plan.warehouses);
  part.plan.terminals = terminals_of(share);
  part.ranks[0].warehouse_first = share.begin(warehouses) + 1;
  part.ranks[0].warehouse_last = share.end(warehouses);
}

void TpccBenchmark::add_to(const load::Outcome& outcome, report::Result& result) const {
  add_records(options_.plan, *records_, result);
  if (ledger_after_) result.ledger_in_data = ledger_between(ledger_before_, *ledger_after_);
  result.lost_commits = lost_commits_;
  if (!result.ranks.empty()) {
    describe_share(options_.plan.share, result);
    report::complete_summary(result);
  }
  add_availability(*records_, outcome.start, result);
}

std::string TpccBenchmark::delivery_log_failure() const {
  return delivery_log_ != nullptr ? delivery_log_->log.failure() : "";
}

}  // namespace drover::benchmark
