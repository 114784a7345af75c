#include "cli/check_document.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "cli/version.h"

namespace drover::cli {
namespace {

using nlohmann::json;
using tpcc::CheckReport;
using tpcc::Condition;
using tpcc::Money;
using tpcc::Verdict;

// Of a condition that could not be judged, and of one that holds no more than the others: nobody
// who reads "status" can take one for the other.
std::string_view status_of(const Verdict& verdict) {
  if (verdict.error) return "not_judged";
  return verdict.holds() ? "holds" : "violated";
}

json number_or_null(int number) {
  return number == 0 ? json(nullptr) : json(number);
}

json to_json(const Verdict& verdict) {
  json offenders = json::array();
  for (const auto& [key, expected, found] : verdict.first_offenders)
    offenders.push_back({{"key", key}, {"expected", expected}, {"found", found}});
  return {{"number", number_or_null(verdict.number)},
          {"name", verdict.name},
          {"clause", verdict.clause},
          {"title", verdict.title},
          {"status", status_of(verdict)},
          {"offenders", verdict.offenders},
          {"first_offenders", std::move(offenders)},
          {"error", verdict.error ? json(*verdict.error) : json(nullptr)},
          {"seconds", std::chrono::duration<double>(verdict.server_time).count()}};
}

json left_out(const Condition& condition) {
  return {{"number", number_or_null(condition.number)},
          {"name", condition.name},
          {"clause", condition.clause},
          {"title", condition.title},
          {"status", "not_checked"},
          {"offenders", 0},
          {"first_offenders", json::array()},
          {"error", nullptr},
          {"seconds", 0.0}};
}

}  // namespace

nlohmann::json check_document(const CheckReport& report, const CheckCircumstances& circumstances) {
  std::map<std::string, std::uint64_t> counts = {
      {"holds", 0}, {"violated", 0}, {"not_judged", 0}, {"not_checked", report.left_out.size()}};
  json conditions = json::array();
  for (const Verdict& verdict : report.verdicts) {
    ++counts[std::string(status_of(verdict))];
    conditions.push_back(to_json(verdict));
  }
  for (const Condition& condition : report.left_out) conditions.push_back(left_out(condition));
  const report::Tool self = tool();
  return {{"schema_version", check_schema_version},
          {"document", "drover tpcc check"},
          {"tool", {{"name", self.name}, {"version", self.version}, {"commit", self.commit}}},
          {"database",
           {{"description", circumstances.database},
            {"kind", circumstances.kind},
            {"schema", circumstances.schema},
            {"server_version", report.server_version}}},
          {"finished", circumstances.finished},
          {"seconds", circumstances.seconds},
          {"warehouses", report.warehouses},
          {"after_import", report.after_import},
          {"money", report.money == Money::exact ? "exact" : "floating"},
          {"snapshot",
           {{"shared", !report.snapshot_refusal},
            {"refusal", report.snapshot_refusal ? json(*report.snapshot_refusal) : json(nullptr)}}},
          {"holds", report.holds()},
          {"counts", counts},
          {"conditions", std::move(conditions)}};
}

}  // namespace drover::cli
