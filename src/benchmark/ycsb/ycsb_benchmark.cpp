#include "benchmark/ycsb/ycsb_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "database/error.h"
#include "report/document/described_text.h"
#include "text/plain_text.h"
#include "workload/ycsb/part_fields.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::benchmark {

using coro::Task;

Task<database::ServerFacts> YcsbBenchmark::prepare() {
  ycsb::Plan& plan = options_.plan;
  std::optional<ycsb::TableContents> known;
  if (!options_.found.empty()) known = report::read_text<ycsb::TableContents>(options_.found);
  prepared_ = co_await database_.prepare(plan.properties, known);
  isolation_ =
      co_await database_.choose_isolation(plan.properties, options_.isolation, prepared_.server);
  // The host's own of each so many rows, whatever the others have inserted by now.
  const std::uint64_t hosts = plan.share.ranks;
  plan.next_row = (prepared_.next_row + hosts - 1) / hosts * hosts + plan.share.rank;
  if (options_.all_rows) take_all_rows();
  const auto end =
      static_cast<std::uint64_t>(plan.properties.insert_start + plan.properties.insert_count);
  plan.missing_rows.clear();
  for (ycsb::RowRange range : prepared_.missing_rows.value_or(std::vector<ycsb::RowRange>())) {
    range.end = std::min(range.end, end);
    if (range.begin < range.end) plan.missing_rows.push_back(range);
  }
  co_return prepared_.server;
}

void YcsbBenchmark::take_all_rows() {
  ycsb::Properties& properties = options_.plan.properties;
  if (!prepared_.missing_rows) {
    throw database::UnfitSchema(fmt::format(
        "the table {} has {}, with row numbers up to {}. Drover has no record of the missing row "
        "numbers, and too many are missing to look them up. Finish the load with 'drover ycsb "
        "load', or name existing rows with --insertstart and --recordcount",
        properties.table, text::counted_grouped(prepared_.before.rows, "row"),
        text::grouped(prepared_.next_row - 1)));
  }
  properties.record_count = static_cast<std::int64_t>(prepared_.next_row);
  properties.insert_count = properties.record_count - properties.insert_start;
}

namespace {

// What makes the load: the rest is of the client, and stands elsewhere.
bool is_of_the_load(const ycsb::Properties& properties, std::string_view name) {
  constexpr std::array<std::string_view, 8> always = {
      "fieldcount",  "fieldlength", "readallfields", "writeallfields",
      "recordcount", "insertstart", "insertcount",   "requestdistribution"};
  constexpr std::array<std::string_view, 7> elsewhere = {
      "workload",        "threadcount",    "target",        "maxexecutiontime",
      "status.interval", "operationcount", "dotransactions"};
  const auto is_in = [name](const auto& list) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (is_in(always) || name.ends_with("proportion")) return true;
  return properties.is_given(name) && !is_in(elsewhere);
}

std::vector<settings::WorkloadSetting> given_of(const ycsb::Properties& properties) {
  std::vector<settings::WorkloadSetting> given;
  for (const ycsb::ShownProperty& one : ycsb::shown_properties(properties)) {
    if (is_of_the_load(properties, one.name)) given.push_back({one.name, one.value});
  }
  if (properties.request_distribution == ycsb::RequestDistribution::zipfian &&
      !properties.is_given("zipfian.skew")) {
    given.push_back({"zipfian.skew", fmt::format("{:g}", properties.zipfian_skew)});
  }
  return given;
}

}  // namespace

void YcsbBenchmark::complete(settings::RunSettings& settings) {
  ycsb::Plan& plan = options_.plan;
  plan.complete();
  complete_client_settings(settings);
  settings.isolation = database::isolation_name(isolation_);
  settings.workload = given_of(plan.properties);
  settings_ = settings;
  records_.emplace(plan);
}

load::WorkloadFactory YcsbBenchmark::workload(std::function<void(std::string_view)>) {
  const auto backends = [this](std::size_t index) {
    ycsb::BackendSettings settings;
    settings.properties = options_.plan.properties;
    settings.values = prepared_.values;
    settings.verify = options_.verify;
    settings.isolation = isolation_;
    complete_backend_settings(index, prepared_.server, settings);
    settings.statement_timeout = settings_.statement_timeout();
    settings.wait_for_server = settings_.waits_for_database();
    settings.resolve_patience = settings_.patience_afterwards();
    return database_.make_backend(std::move(settings));
  };
  return ycsb::make_clients(options_.plan, backends, *records_);
}

// A table that nothing was written to is not read whole.
Task<void> YcsbBenchmark::ask_afterwards(coro::Duration patience) {
  const ycsb::Properties& properties = options_.plan.properties;
  const bool writes = properties.update_proportion + properties.insert_proportion +
                          properties.read_modify_write_proportion >
                      0;
  // What the table says of several runs at the same time says nothing of one of them.
  if (!writes || !options_.plan.share.is_whole()) co_return;
  after_ =
      co_await database_.read_sums_patiently(options_.plan.properties, prepared_.values, patience);
}

namespace {

constexpr const char* fields_updated = "fields updated";
constexpr const char* inserted_rows = "inserts";

}  // namespace

std::vector<std::string> YcsbBenchmark::notes() const {
  std::vector<std::string> notes = prepared_.notes;
  note_share(notes);
  return notes;
}

std::string YcsbBenchmark::found_for_all() const {
  return report::written_text(ycsb::TableContents{prepared_.values, prepared_.before});
}

void YcsbBenchmark::complete_accounts(report::Result& merged) const {
  // What a host that was lost has written, nobody has counted.
  if (!after_ || merged.incomplete) return;
  const auto rise = [](std::uint64_t before, std::uint64_t after) {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  };
  for (report::Account& account : merged.accounts) {
    if (account.name == inserted_rows) {
      account.in_data = rise(prepared_.before.rows, after_->rows);
    } else if (account.name == fields_updated && prepared_.before.versions && after_->versions) {
      account.in_data = rise(*prepared_.before.versions, *after_->versions);
    }
  }
}

void YcsbBenchmark::add_to(const load::Outcome& /*outcome*/, report::Result& result) const {
  const ycsb::Ledger ledger = records_->ledger();
  const ycsb::Mix mix(options_.plan.properties);
  if (prepared_.before.versions && ledger.versions + ledger.versions_unresolved > 0) {
    report::Account& updates = result.accounts.emplace_back();
    updates.name = fields_updated;
    updates.counted = ledger.versions;
    updates.unresolved = ledger.versions_unresolved;
  }
  if (mix.share(ycsb::OperationType::insert) > 0) {
    report::Account& inserts = result.accounts.emplace_back();
    inserts.name = inserted_rows;
    inserts.counted = ledger.inserts;
    inserts.unresolved = ledger.inserts_unresolved;
  }
  complete_accounts(result);
  report::Verification verification;
  for (const ycsb::WorkerCounts& worker : records_->workers) {
    verification.values += worker.values_verified.get();
    verification.wrong += worker.values_wrong.get();
    verification.not_found += worker.not_found.get();
    if (verification.first_wrong.empty()) verification.first_wrong = worker.first_wrong;
  }
  if (options_.verify || verification.not_found > 0) result.verification = std::move(verification);
}

}  // namespace drover::benchmark
