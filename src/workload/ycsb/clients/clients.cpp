#include "workload/ycsb/clients/clients.h"

#include <limits>
#include <random>

#include "load/recorder.h"

namespace drover::ycsb {

using coro::Task;
using database::Resolution;

load::WorkloadInfo workload_info(const Properties& properties) {
  load::WorkloadInfo info;
  info.benchmark = "YCSB";
  info.key = "ycsb";
  info.size = {{"row", static_cast<std::uint64_t>(properties.record_count)}};
  info.terminal = "client";
  info.types.clear();
  const Mix mix(properties);
  for (std::size_t number = 0; number < operation_type_count; ++number) {
    const auto type = static_cast<OperationType>(number);
    if (mix.share(type) <= 0) continue;
    info.types.push_back({.name = std::string(operation_name(type)), .share = mix.share(type)});
  }
  return info;
}

std::array<std::size_t, operation_type_count> places_of_types(const Properties& properties) {
  const Mix mix(properties);
  std::array<std::size_t, operation_type_count> places{};
  std::size_t next = 0;
  for (std::size_t number = 0; number < operation_type_count; ++number) {
    if (mix.share(static_cast<OperationType>(number)) > 0) places[number] = next++;
  }
  return places;
}

Ledger RunRecords::ledger() const {
  Ledger sum;
  for (const WorkerCounts& counts : workers) {
    sum.inserts += counts.inserts.get();
    sum.inserts_unresolved += counts.inserts_unresolved.get();
    sum.versions += counts.versions.get();
    sum.versions_unresolved += counts.versions_unresolved.get();
  }
  return sum;
}

namespace {

// The stamps of a worker are consecutive. Those that the plan sets are spread evenly over the
// workers.
std::uint64_t first_stamp_of(const Plan& plan, std::size_t index) {
  if (plan.first_stamp) {
    return *plan.first_stamp + index * (std::numeric_limits<std::uint64_t>::max() / plan.threads);
  }
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

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

// Returns the session's task, so that the attempt needs no other coroutine.
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
  WorkerCounts& counts = clients_->counts_;
  clients_->count_write(operation_, counts.inserts, counts.versions);
  counts.rows_read.add(outcome_.rows_read);
  if (outcome_.values_verified == 0) return;
  counts.values_verified.add(outcome_.values_verified);
  counts.values_wrong.add(outcome_.values_wrong);
  if (counts.first_wrong.empty()) counts.first_wrong = outcome_.first_wrong;
}

std::unique_ptr<load::Transaction> Clients::Transaction::keep() const {
  auto kept = std::make_unique<Transaction>(*clients_, operation_);
  kept->owns_row_ = false;
  kept->trace_ = trace_;
  return kept;
}

void Clients::count_write(const Operation& operation, measure::Counter& inserts,
                          measure::Counter& versions) const {
  if (!operation.writes()) return;
  if (operation.type == OperationType::insert) inserts.add();
  versions.add(operation.fields_updated(plan_.properties));
}

Task<std::vector<Resolution>> Clients::resolve(std::vector<const load::Transaction*> unknown) {
  std::vector<UnknownCommit> writes;
  for (const load::Transaction* one : unknown) {
    writes.push_back(static_cast<const Transaction*>(one)->unknown_commit());
  }
  std::vector<Resolution> answers = co_await backend_->resolve(writes);
  load::require(answers.size() == writes.size(), "a write in doubt has no answer");
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (answers[i] == Resolution::committed) {
      count_write(writes[i].operation, counts_.inserts, counts_.versions);
    } else if (answers[i] == Resolution::unknown) {
      count_write(writes[i].operation, counts_.inserts_unresolved, counts_.versions_unresolved);
    }
  }
  co_return answers;
}

// Counts upper bounds, because the types of the operations are not known.
void Clients::leave_unresolved(std::size_t unknown) {
  const Properties& properties = plan_.properties;
  if (properties.insert_proportion > 0) counts_.inserts_unresolved.add(unknown);
  if (properties.update_proportion + properties.read_modify_write_proportion <= 0) return;
  const std::int64_t fields = properties.write_all_fields ? properties.field_count : 1;
  counts_.versions_unresolved.add(unknown * static_cast<std::uint64_t>(fields));
}

load::WorkloadFactory make_clients(const Plan& plan, BackendFactory backends, RunRecords& records) {
  return [&plan, backends = std::move(backends), &records](std::size_t index) {
    return std::make_unique<Clients>(plan, index, backends(index), records);
  };
}

}  // namespace drover::ycsb
