#include "workload/ycsb/clients/clients.h"

#include <limits>
#include <random>

#include "load/recorder.h"

namespace drover::ycsb {

using coro::Task;
using database::Resolution;

namespace {

// Stamps of a worker follow each other; those of the plan's first one are as far apart as the workers are many.
std::uint64_t first_stamp_of(const Plan& plan, std::size_t index) {
  if (plan.first_stamp) {
    return *plan.first_stamp + index * (std::numeric_limits<std::uint64_t>::max() / plan.threads);
  }
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

bool writes(OperationType type) noexcept {
  return type != OperationType::read && type != OperationType::scan;
}

}  // namespace

Ledger RunRecords::ledger() const {
  Ledger sum;
  for (const WorkerCounts& counts : workers) {
    sum.inserts += counts.inserts.get();
    sum.inserts_unresolved += counts.inserts_unresolved.get();
    sum.updates += counts.updates.get();
    sum.read_modify_writes += counts.read_modify_writes.get();
    sum.versions += counts.versions.get();
    sum.versions_unresolved += counts.versions_unresolved.get();
  }
  return sum;
}

Clients::Clients(const Plan& plan, std::size_t index, std::unique_ptr<Backend> backend,
                 RunRecords& records)
    : plan_(plan),
      index_(index),
      backend_(std::move(backend)),
      counts_(records.workers[index]),
      sequence_(records.sequence),
      places_(places_of_types(plan.properties)),
      operations_(plan.properties, plan.missing_rows, records.sequence, records.turn),
      loop_(plan, index),
      next_stamp_(first_stamp_of(plan, index)) {
  sources_.reserve(loop_.clients());
  for (std::size_t i = 0; i < loop_.clients(); ++i) {
    sources_.emplace_back(
        operations_, plan.seed,
        static_cast<std::uint32_t>(plan.first_client() + index_ + i * plan.threads));
  }
}

void Clients::start_terminals(load::ClientGroup& group) {
  loop_.start(group, [this](std::size_t number) {
    return Transaction(*this, sources_[number / plan_.threads].next());
  });
}

Clients::Transaction::~Transaction() {
  if (outcome_.not_found) clients_->counts_.not_found.add();
  if (owns_row_) clients_->sequence_.abandon(operation_.key);
}

// Not a coroutine of its own: the session's task is the whole of it.
Task<void> Clients::Transaction::execute(database::Session& session) {
  if (outcome_.not_found) clients_->counts_.not_found.add();
  trace_ = {.stamp = clients_->next_stamp_++};
  outcome_ = {};
  return static_cast<Session&>(session).execute(operation_, trace_, outcome_);
}

void Clients::Transaction::count(bool) {
  if (is_insert()) {
    owns_row_ = false;
    clients_->sequence_.acknowledge(operation_.key);
  }
  clients_->enter_in_ledger(operation_);
  clients_->count_found(outcome_);
}

std::unique_ptr<load::Transaction> Clients::Transaction::keep() const {
  auto kept = std::make_unique<Transaction>(*clients_, operation_);
  kept->owns_row_ = false;
  kept->trace_ = trace_;
  return kept;
}

std::uint64_t Clients::fields_written(const Operation& operation) const noexcept {
  const bool updates = writes(operation.type) && operation.type != OperationType::insert;
  if (!updates) return 0;
  return operation.written_field ? 1 : static_cast<std::uint64_t>(plan_.properties.field_count);
}

void Clients::enter_in_ledger(const Operation& operation) {
  if (!writes(operation.type)) return;
  if (operation.type == OperationType::insert) counts_.inserts.add();
  if (operation.type == OperationType::update) counts_.updates.add();
  if (operation.type == OperationType::read_modify_write) counts_.read_modify_writes.add();
  counts_.versions.add(fields_written(operation));
}

void Clients::leave_out_of_ledger(const Operation& operation) {
  if (operation.type == OperationType::insert) counts_.inserts_unresolved.add();
  counts_.versions_unresolved.add(fields_written(operation));
}

void Clients::count_found(const Outcome& outcome) {
  counts_.rows_read.add(outcome.rows_read);
  if (outcome.values_verified == 0) return;
  counts_.values_verified.add(outcome.values_verified);
  counts_.values_wrong.add(outcome.values_wrong);
  if (counts_.first_wrong.empty()) counts_.first_wrong = outcome.first_wrong;
}

Task<std::vector<Resolution>> Clients::resolve(std::vector<const load::Transaction*> doubts) {
  std::vector<Doubt> asked;
  for (const load::Transaction* one : doubts) {
    asked.push_back(static_cast<const Transaction*>(one)->doubt());
  }
  std::vector<Resolution> answers = co_await backend_->resolve(asked);
  load::require(answers.size() == asked.size(), "a write in doubt has no answer");
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (answers[i] == Resolution::committed) enter_in_ledger(asked[i].operation);
    if (answers[i] == Resolution::unknown) leave_out_of_ledger(asked[i].operation);
  }
  co_return answers;
}

// What they were is not said: at most so much.
void Clients::leave_unresolved(std::size_t doubts) {
  const Mix mix(plan_.properties);
  if (mix.share(OperationType::insert) > 0) counts_.inserts_unresolved.add(doubts);
  const double updates =
      mix.share(OperationType::update) + mix.share(OperationType::read_modify_write);
  if (updates == 0) return;
  const std::int64_t fields = plan_.properties.write_all_fields ? plan_.properties.field_count : 1;
  counts_.versions_unresolved.add(doubts * static_cast<std::uint64_t>(fields));
}

load::WorkloadFactory make_clients(const Plan& plan, BackendFactory backends, RunRecords& records) {
  return [&plan, backends = std::move(backends), &records](std::size_t index) {
    return std::make_unique<Clients>(plan, index, backends(index), records);
  };
}

}  // namespace drover::ycsb
