#include "cli/tpcc/check_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "cli/version.h"
#include "text/plain_text.h"
#include "ui/number_text.h"

namespace drover::cli {
namespace {

constexpr std::size_t width_max = 79;

using nlohmann::json;
using tpcc::CheckReport;
using tpcc::Condition;
using tpcc::Money;
using tpcc::Verdict;

// A condition that could not be judged, and one that does not hold, have words of their own: nobody
// who reads "status" can take one for the other.
std::string_view status_of(const Verdict& verdict) {
  if (verdict.error) return "not_judged";
  return verdict.holds() ? "holds" : "violated";
}

json text_or_null(const std::optional<std::string>& text) {
  return text ? json(*text) : json(nullptr);
}

// What a condition and the verdict on it have alike.
json entry_of(const auto& condition, std::string_view status) {
  return {{"number", condition.number == 0 ? json(nullptr) : json(condition.number)},
          {"name", condition.name},
          {"clause", condition.clause},
          {"title", condition.title},
          {"status", status},
          {"offenders", 0},
          {"first_offenders", json::array()},
          {"error", nullptr},
          {"seconds", 0.0}};
}

json to_json(const Verdict& verdict) {
  json entry = entry_of(verdict, status_of(verdict));
  entry["offenders"] = verdict.offenders;
  for (const auto& [key, expected, found] : verdict.first_offenders) {
    entry["first_offenders"].push_back({{"key", key}, {"expected", expected}, {"found", found}});
  }
  entry["error"] = text_or_null(verdict.error);
  entry["seconds"] = coro::seconds_of(verdict.server_time);
  return entry;
}

// A line of the table for people.
std::string line_of(std::string_view number, std::string_view clause, std::string_view title,
                    std::string_view result) {
  return fmt::format("{:>3}  {:<9} {:<52} {}\n", number, clause, title, result);
}

std::string line_of(const auto& condition, std::string_view result) {
  return line_of(condition.number == 0 ? "-" : std::to_string(condition.number), condition.clause,
                 condition.title, result);
}

std::string text_of(const Verdict& verdict) {
  std::string text = line_of(
      verdict,
      verdict.error ? "NOT JUDGED"
      : verdict.holds()
          ? "OK"
          : fmt::format("VIOLATED in {}",
                        text::counted(static_cast<std::uint64_t>(verdict.offenders), "case")));
  if (verdict.error) text += fmt::format("       {}\n", *verdict.error);
  for (const auto& [key, expected, found] : verdict.first_offenders) {
    text += fmt::format("       {}: expected {}; found {}\n", key, expected, found);
  }
  const auto shown = std::ssize(verdict.first_offenders);
  if (verdict.offenders > shown) {
    text += fmt::format("       and {} more\n", verdict.offenders - shown);
  }
  return text;
}

// A condition that is not checked must not look like one that holds.
std::string text_of_unchecked(const Condition& condition, std::string_view reason) {
  return line_of(condition, fmt::format("not checked: {}", reason));
}

std::string summary_of(const CheckReport& report) {
  const auto with = [&](std::string_view status) {
    return std::ranges::count(report.verdicts, status, status_of);
  };
  const auto violated = with("violated");
  const auto unknown = with("not_judged");
  if (violated == 0 && unknown == 0) {
    return report.verdicts.size() == 1
               ? "The condition checked holds.\n"
               : fmt::format("All {} conditions checked hold.\n", report.verdicts.size());
  }
  std::string text = fmt::format("The check of {} did not pass: ",
                                 text::counted(report.verdicts.size(), "condition"));
  if (violated > 0) text += fmt::format("{} violated", violated);
  if (violated > 0 && unknown > 0) text += ", ";
  if (unknown > 0) text += fmt::format("{} not judged", unknown);
  return text + ".\n";
}

}  // namespace

CheckProgressLine::CheckProgressLine(std::FILE* stream)
    : stream_(stream), terminal_(isatty(fileno(stream)) == 1) {}

CheckProgressLine::~CheckProgressLine() {
  clear();
}

std::string CheckProgressLine::text(const tpcc::CheckProgress& progress) {
  std::string text = fmt::format("checked {}%", progress.done * 100 / progress.total);
  if (progress.left) {
    text += fmt::format(", {} left",
                        ui::clock_text(std::chrono::ceil<std::chrono::seconds>(*progress.left)));
  }
  if (!progress.condition.empty()) text += fmt::format(", now: {}", progress.condition);
  if (text.size() > width_max) text = text.substr(0, width_max - 3) + "...";
  return text;
}

void CheckProgressLine::show(const tpcc::CheckProgress& progress) {
  if (terminal_) write(text(progress));
}

void CheckProgressLine::clear() {
  if (width_ > 0) write("");
}

// Blanks cover what a longer line has left.
void CheckProgressLine::write(const std::string& text) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "\r{:<{}}\r{}", text, width_, text);
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fflush(stream_);
  width_ = text.size();
}

nlohmann::json check_document(const CheckReport& report, const CheckCircumstances& circumstances) {
  std::map<std::string, std::uint64_t> counts = {
      {"holds", 0},
      {"violated", 0},
      {"not_judged", 0},
      {"not_checked", report.left_out.size() + report.not_asked.size()}};
  json conditions = json::array();
  for (const Verdict& verdict : report.verdicts) {
    ++counts[std::string(status_of(verdict))];
    conditions.push_back(to_json(verdict));
  }
  for (const Condition& condition : report.left_out) {
    conditions.push_back(entry_of(condition, "not_checked"));
  }
  for (const tpcc::NotAsked& one : report.not_asked) {
    conditions.push_back(entry_of(one.rule, "not_checked"));
  }
  const report::Tool self = tool();
  return {
      {"schema_version", check_schema_version},
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
       {{"shared", !report.snapshot_refusal}, {"refusal", text_or_null(report.snapshot_refusal)}}},
      {"holds", report.holds()},
      {"counts", counts},
      {"conditions", std::move(conditions)}};
}

std::string check_text(const CheckReport& report, const CheckCircumstances& circumstances) {
  std::string text = fmt::format(
      "Checked {} in {}{}, in {:.1f} s{}\n\n",
      text::counted(static_cast<std::uint64_t>(report.warehouses), "warehouse"),
      circumstances.database,
      circumstances.schema.empty() ? "" : fmt::format(", schema {}", circumstances.schema),
      circumstances.seconds, report.snapshot_refusal ? "" : ", in one snapshot");
  text += line_of("#", "clause", "condition", "result");
  const auto eleventh = std::ranges::find(report.left_out, 11, &Condition::number);
  for (const Verdict& verdict : report.verdicts) {
    if (verdict.number == 12 && eleventh != report.left_out.end()) {
      text +=
          text_of_unchecked(*eleventh, "applies only to freshly imported data (--after-import)");
    }
    text += text_of(verdict);
  }
  for (const auto& [rule, reason] : report.not_asked) text += text_of_unchecked(rule, reason);
  if (report.money == Money::floating) {
    text += "Money is stored in binary floating point, so each amount was rounded to cents.\n";
  }
  if (report.snapshot_refusal) {
    text += fmt::format(
        "Each connection used its own snapshot, because the server cannot share a snapshot: {}\n",
        *report.snapshot_refusal);
  }
  return text + "\n" + summary_of(report);
}

}  // namespace drover::cli
