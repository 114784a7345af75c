#include "benchmark/ycsb/ycsb_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "database/error.h"
#include "report/document/described_text.h"
#include "text/plain_text.h"
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
  // Each host inserts the rows whose number modulo the number of hosts is its own.
  const std::uint64_t hosts = plan.share.ranks;
  plan.next_row = (prepared_.next_row + hosts - 1) / hosts * hosts + plan.share.rank;
  if (options_.all_rows) take_all_rows();
  const auto end =
      static_cast<std::uint64_t>(plan.properties.insert_start + plan.properties.insert_count);
  plan.missing_rows = prepared_.missing_rows.value_or(std::vector<ycsb::RowRange>());
  for (ycsb::RowRange& range : plan.missing_rows) range.end = std::min(range.end, end);
  std::erase_if(plan.missing_rows, [](const auto& range) { return range.begin >= range.end; });
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

// Returns true for properties that determine the load. Other fields of the result show the rest.
bool is_of_the_load(const ycsb::Properties& properties, std::string_view name) {
  constexpr std::array<std::string_view, 8> always = {
      "fieldcount",  "fieldlength", "readallfields", "writeallfields",
      "recordcount", "insertstart", "insertcount",   "requestdistribution"};
  constexpr std::array<std::string_view, 7> elsewhere = {
      "workload",        "threadcount",    "target",        "maxexecutiontime",
      "status.interval", "operationcount", "dotransactions"};
  const auto is_in = [name](const auto& list) {
    return std::ranges::find(list, name) != list.end();
  };
  if (is_in(always) || name.ends_with("proportion")) return true;
  return properties.is_given(name) && !is_in(elsewhere);
}

std::vector<settings::WorkloadSetting> given_of(const ycsb::Properties& properties) {
  std::vector<settings::WorkloadSetting> given;
  for (const ycsb::PropertyDefinition& one : ycsb::property_table()) {
    if (is_of_the_load(properties, one.name))
      given.push_back({one.name, one.kind.show(properties)});
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
    settings.resolve_timeout = settings_.patience_afterwards();
    return database_.make_backend(std::move(settings));
  };
  return ycsb::make_clients(options_.plan, backends, *records_);
}

// Does nothing if the run only reads, or if others run at the same time, because the sums over the
// table then do not tell what this run has written.
Task<void> YcsbBenchmark::ask_afterwards(coro::Duration patience) {
  const ycsb::Plan& plan = options_.plan;
  if (!plan.properties.writes() || !plan.share.is_whole()) co_return;
  after_ = co_await database_.read_sums_within(patience, plan.properties, prepared_.values);
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
  // The writes of a lost host are not counted.
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
  const auto add = [&result](const char* name, std::uint64_t counted, std::uint64_t unresolved) {
    report::Account& account = result.accounts.emplace_back();
    account.name = name;
    account.counted = counted;
    account.unresolved = unresolved;
  };
  if (prepared_.before.versions && ledger.versions + ledger.versions_unresolved > 0) {
    add(fields_updated, ledger.versions, ledger.versions_unresolved);
  }
  if (options_.plan.properties.insert_proportion > 0) {
    add(inserted_rows, ledger.inserts, ledger.inserts_unresolved);
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
