#include "report/audit.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "report/audit_lines.h"

namespace drover::report {

namespace {

constexpr std::string_view nothing_measured = "nothing was measured";

void append(std::vector<Verdict>& all, std::vector<Verdict> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

double percent_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::vector<Verdict> audit(const Result& result) {
  std::vector<Verdict> lines;
  append(lines, audit_load(result));
  append(lines, audit_inputs(result));
  append(lines, audit_answers(result));
  append(lines, audit_client(result));
  if (result.summary.time_seconds <= 0) {
    for (Verdict& line : lines) {
      line.judgement = Judgement::not_judged;
      line.text = nothing_measured;
    }
  }
  append(lines, audit_data(result));
  return lines;
}

AuditSummary summarise(const std::vector<Verdict>& verdicts) {
  AuditSummary summary;
  std::size_t not_judged = 0;
  std::vector<std::string> broken;
  // What was invalid of the client: its machine, or what it was given to work with.
  std::vector<std::string> client;
  std::vector<std::string> waiting;
  std::vector<std::string> other;
  bool empty = verdicts.empty();
  for (const Verdict& line : verdicts) {
    if (line.judgement == Judgement::not_judged) ++not_judged;
    empty = empty || line.text == nothing_measured;
    if (line.judgement == Judgement::broken) broken.push_back(line.name);
    if (line.judgement != Judgement::invalid) continue;
    std::vector<std::string>& ours = line.name == "client.waiting" ? waiting : client;
    (line.name.starts_with("client.") ? ours : other).push_back(line.text);
  }
  summary.valid = client.empty() && waiting.empty() && other.empty();
  summary.compliant = summary.valid && broken.empty();
  const std::size_t judged = verdicts.size() - not_judged;
  // What contradicts the data weighs more than a slow client.
  if (!other.empty()) {
    summary.sentence = "INVALID: " + other.front();
  } else if (!client.empty()) {
    summary.sentence = "INVALID: client overloaded: " + client.front();
  } else if (!waiting.empty()) {
    summary.sentence = "INVALID: too few connections: " + waiting.front();
  } else if (empty) {
    summary.compliant = false;
    summary.sentence = fmt::format("not judged: {}", nothing_measured);
  } else if (!broken.empty()) {
    summary.sentence =
        fmt::format("valid, but not compliant: {} of {} rules {} not hold: {}", broken.size(),
                    judged, broken.size() == 1 ? "does" : "do", listed(broken));
  } else {
    summary.sentence = fmt::format("valid: all {} rules judged hold", judged);
    if (not_judged > 0) summary.sentence += fmt::format(" ({} not judged)", not_judged);
  }
  return summary;
}

std::string_view judgement_name(Judgement judgement) {
  static constexpr std::array<std::string_view, 4> names = {"held", "broken", "invalid",
                                                            "not_judged"};
  return names[static_cast<std::size_t>(judgement)];
}

}  // namespace drover::report
