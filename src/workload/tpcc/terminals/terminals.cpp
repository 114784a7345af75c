#include "workload/tpcc/terminals/terminals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <random>
#include <system_error>
#include <utility>

#include "coro/worker.h"
#include "load/recorder.h"

namespace drover::tpcc {

using coro::Instant;
using coro::Task;
using coro::Worker;
using database::Error;
using database::ErrorClass;
using database::Resolution;
using load::ClientGroup;

namespace {

// Returns how many deferred Deliveries are executed at a time: a part of the permits, because
// terminals wait for theirs.
std::size_t delivery_turns_of(const Plan& plan, std::size_t index) noexcept {
  constexpr std::size_t share = 4;
  constexpr std::size_t most = 64;
  if (plan.max_inflight == 0) return most;
  return std::clamp<std::size_t>(plan.share_of_worker(index, plan.max_inflight) / share, 1, most);
}

// A terminal rarely has more than one Delivery in the queue. At the limit, a Delivery waits to be
// queued.
constexpr std::size_t queued_deliveries_a_terminal = 10;

// Returns whether the transaction can be found in the data. A Delivery without an order writes
// nothing.
bool leaves_a_trace(const Input& input, const Outcome& outcome) noexcept {
  if (std::holds_alternative<DeliveryInput>(input)) return outcome.orders_delivered() > 0;
  return std::holds_alternative<NewOrderInput>(input) ||
         std::holds_alternative<PaymentInput>(input);
}

bool needs_one_warehouse(const Input& input) noexcept {
  if (const auto* order = std::get_if<NewOrderInput>(&input)) {
    return std::ranges::all_of(order->lines(), [order](const NewOrderLine& line) {
      return line.supply_w_id == order->w_id;
    });
  }
  const auto* payment = std::get_if<PaymentInput>(&input);
  return payment == nullptr || payment->customer.c_w_id == payment->w_id;
}

// Spreads the workers evenly over the marks if the plan has a first mark.
std::uint32_t first_mark_of(const Plan& plan, std::size_t index) {
  constexpr std::size_t marks = Trace::marks;
  if (plan.first_mark) {
    return static_cast<std::uint32_t>((*plan.first_mark + index * (marks / plan.threads)) % marks);
  }
  std::random_device device;
  return static_cast<std::uint32_t>(device() % marks);
}

load::WorkloadInfo workload_info(const Plan& plan) {
  load::WorkloadInfo info;
  info.benchmark = "TPC-C";
  info.key = "tpcc";
  info.size = {{"warehouse", static_cast<std::uint64_t>(plan.own_warehouses())}};
  info.rollbacks = "New-Orders rolled back on purpose";
  info.types.clear();
  for (const TransactionType type : all_transaction_types) {
    info.types.push_back({std::string(transaction_name(type)), latency_limit_s(type)});
  }
  info.headline.name = "tpmC";
  info.headline.type = index_of(TransactionType::NewOrder);
  info.headline.seconds = 60;
  // Without delays there is no upper limit, and so no efficiency.
  if (!plan.no_delays) {
    info.headline.most = tpmc_per_warehouse_max(plan.pace) * plan.own_warehouses();
  }
  return info;
}

}  // namespace

void Plan::complete() {
  terminal_count = own_terminals();
  home_first = static_cast<std::size_t>(first_warehouse() - 1);
  home_count = static_cast<std::size_t>(own_warehouses());
  workload = workload_info(*this);
}

Terminals::Terminals(const Plan& plan, std::size_t index, std::unique_ptr<Backend> backend,
                     RunRecords& records)
    : plan_(plan),
      index_(index),
      backend_(std::move(backend)),
      counts_(records.workers[index]),
      delivery_log_(records.delivery_log),
      inputs_{.warehouses = plan.warehouses, .constants = plan.constants},
      delivery_slots_(plan.terminals_of_worker(index) * queued_deliveries_a_terminal),
      delivery_turns_(delivery_turns_of(plan, index)),
      next_mark_(first_mark_of(plan, index)) {
  counts_.availability = {plan.first_warehouse() + static_cast<std::int32_t>(index),
                          static_cast<std::int32_t>(plan.threads),
                          plan.warehouses_of_worker(index)};
}

void Terminals::start_terminals(ClientGroup& group) {
  decks_.reserve(plan_.warehouses_of_worker(index_));  // terminals hold references
  const auto stride = static_cast<std::int32_t>(plan_.threads);
  const std::int32_t last = plan_.last_warehouse();
  for (auto w = plan_.first_warehouse() + static_cast<std::int32_t>(index_); w <= last;
       w += stride) {
    const auto w_id = static_cast<std::uint64_t>(w);
    decks_.push_back({.deck = {}, .rng = Rng::stream(plan_.seed, RandomPurpose::Deck, {w_id})});
    for (std::int32_t d = 1; d <= plan_.terminals_of(w); ++d) {
      if (!group.start(terminal(group, w, d, decks_.back()))) return;
    }
  }
}

Task<void> Terminals::Transaction::execute(database::Session& session) {
  trace_ = terminals_.new_trace();
  begun_ = Worker::current().now();
  outcome_ = co_await static_cast<Session&>(session).execute(input_, trace_);
}

std::int32_t Terminals::Transaction::w_id() const noexcept {
  const auto warehouse = [](const auto& input) {
    if constexpr (requires { input.w_id; }) {
      return input.w_id;
    } else {
      return input.customer.c_w_id;
    }
  };
  return std::visit(warehouse, input_);
}

Trace Terminals::new_trace() noexcept {
  Trace trace;
  trace.mark = next_mark_;
  next_mark_ = (next_mark_ + 1) % Trace::marks;
  return trace;
}

void Terminals::Transaction::count(bool measured) {
  if (outcome_.committed) {
    const Instant now = Worker::current().now();
    terminals_.counts_.availability.committed(w_id(), now);
    terminals_.enter_in_ledger(input_, outcome_.orders_delivered());
    if (leaves_a_trace(input_, outcome_)) {
      trace_.orders = outcome_.orders_delivered();
      terminals_.counts_.writes.add(input_, trace_, now);
    }
  }
  if (measured) terminals_.count_inputs(input_, outcome_);
}

void Terminals::Transaction::failed(const Error& error) {
  if (!needs_one_warehouse(input_)) return;
  terminals_.counts_.availability.failed(w_id(), begun_, error);
}

void Terminals::count_inputs(const Input& input, const Outcome& outcome) {
  InputMetrics& counts = counts_.inputs;
  if (const auto* order = std::get_if<NewOrderInput>(&input)) {
    counts.new_orders.add();
    if (order->rollback) counts.new_orders_rolled_back.add();
    counts.order_lines.add(order->lines().size());
    for (const NewOrderLine& line : order->lines()) {
      if (line.supply_w_id != order->w_id) counts.order_lines_remote.add();
    }
  } else if (const auto* payment = std::get_if<PaymentInput>(&input)) {
    counts.payments.add();
    if (payment->customer.c_w_id != payment->w_id) counts.payments_remote.add();
    if (payment->customer.by_name) counts.payments_by_name.add();
  } else if (const auto* status = std::get_if<OrderStatusInput>(&input)) {
    counts.order_statuses.add();
    if (status->customer.by_name) counts.order_statuses_by_name.add();
  } else if (std::holds_alternative<DeliveryInput>(input)) {
    counts.deliveries.add();
    counts_.districts_skipped.add(static_cast<std::uint64_t>(outcome.districts_skipped));
  }
}

void Terminals::enter_in_ledger(const Input& input, std::int32_t orders_delivered) {
  LedgerMetrics& ledger = counts_.ledger;
  if (std::holds_alternative<NewOrderInput>(input)) {
    ledger.new_orders.add();
  } else if (const auto* payment = std::get_if<PaymentInput>(&input)) {
    ledger.payments.add();
    ledger.payment_cents.add(static_cast<std::uint64_t>(payment->amount_cents));
  } else if (std::holds_alternative<DeliveryInput>(input)) {
    ledger.deliveries.add();
    ledger.orders_delivered.add(static_cast<std::uint64_t>(orders_delivered));
  }
}

Task<std::vector<Resolution>> Terminals::resolve(std::vector<const load::Transaction*> commits) {
  std::vector<UnknownCommit> asked;
  for (const load::Transaction* one : commits) {
    asked.push_back(static_cast<const Transaction*>(one)->unknown_commit());
  }
  const std::vector<ResolvedCommit> resolved = co_await backend_->resolve(std::move(asked));
  load::require(resolved.size() == commits.size(), "an unknown commit has no resolution");
  std::vector<Resolution> answers;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    answers.push_back(resolved[i].resolution);
    const Input& input = static_cast<const Transaction*>(commits[i])->input();
    if (answers[i] == Resolution::committed) enter_in_ledger(input, resolved[i].orders_delivered);
    if (answers[i] == Resolution::unknown) counts_.ledger.unresolved.add();
  }
  co_return answers;
}

load::WorkloadFactory make_terminals(const Plan& plan, BackendFactory backends,
                                     RunRecords& records) {
  return [&plan, backends = std::move(backends), &records](std::size_t index) {
    return std::make_unique<Terminals>(plan, index, backends(index), records);
  };
}

// Deferred Delivery (clause 2.7.2): the terminal has its answer when its Delivery is queued. A few
// Deliveries are executed at a time beside the terminals, in the order of the queue.

namespace {

std::uint64_t nanoseconds_since(Instant queued) {
  return static_cast<std::uint64_t>((Worker::current().now() - queued).count());
}

}  // namespace

// Waits while the queue is full; the terminal's latency includes this wait.
Task<ClientGroup::Answered> Terminals::queue_delivery(ClientGroup& group, DeliveryInput input,
                                                      Instant intended_start) {
  constexpr std::size_t type = index_of(TransactionType::Delivery);
  load::Recorder::ClientWait client_wait(group.recorder(), type, intended_start);
  group.recorder().wait_began();
  auto slot = co_await delivery_slots_.acquire();
  group.recorder().wait_ended();
  const Instant queued = Worker::current().now();
  const bool counts = group.recorder().answered_at_once(queued, client_wait, type);
  if (counts) counts_.deferred.queued.add();
  group.start_in_background(deliver_later(group, input, queued, counts, std::move(slot)));
  co_return ClientGroup::Answered{.at = queued, .succeeded = true};
}

// `counts` was decided when the Delivery was queued, because the phases may not have been known
// then.
Task<void> Terminals::deliver_later(ClientGroup& group, DeliveryInput input, Instant queued,
                                    bool counts, coro::Semaphore::Permit slot) {
  const coro::Semaphore::Permit in_queue = std::move(slot);
  const load::Recorder::Work work(group.recorder());
  Transaction delivery(*this, input);
  bool succeeded = false;
  try {
    const auto turn = co_await delivery_turns_.acquire();
    succeeded = co_await group.transact_in_background(delivery);
  } catch (const coro::Cancelled&) {
    if (counts) counts_.deferred.unfinished.record(nanoseconds_since(queued));
    throw;
  }
  log_delivery(group, input, succeeded ? &delivery.outcome() : nullptr, queued);
  if (succeeded) delivery.count(counts);
  if (!counts) co_return;
  (succeeded ? counts_.deferred.completed : counts_.deferred.failed).add();
  if (succeeded) counts_.deferred.latency.record(nanoseconds_since(queued));
}

// A null outcome means that the Delivery has failed.
void Terminals::log_delivery(const ClientGroup& group, const DeliveryInput& input,
                             const Outcome* outcome, Instant queued) {
  if (delivery_log_ == nullptr) return;
  DeliveryRecord line;
  line.queued = group.unix_time(queued);
  line.completed = group.unix_time(Worker::current().now());
  line.w_id = input.w_id;
  line.carrier_id = input.carrier_id;
  line.failed = outcome == nullptr;
  if (outcome != nullptr) line.orders = outcome->delivered;
  delivery_log_->append(line);
}

// The records of a run.

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
