#include "tpcc/check_work.h"

#include <algorithm>

#include "coro/worker.h"

namespace drover::tpcc {

CheckWork::CheckWork(std::vector<Condition> conditions, Options options)
    : conditions_(std::move(conditions)),
      options_(std::move(options)),
      pieces_(plan_check(conditions_, options_.warehouses, options_.connections)),
      findings_(conditions_.size()),
      time_left_(pieces_, conditions_.size(), options_.connections) {}

std::size_t CheckWork::sessions() const noexcept {
  return std::min(options_.connections, pieces_.size());
}

coro::Task<void> CheckWork::run(Judge judge) {
  while (next_ < pieces_.size()) {
    const CheckPiece piece = pieces_[next_++];
    tell_progress(conditions_[piece.condition].title);
    const coro::Instant start = coro::Worker::current().now();
    // What the server refused once it refuses for every range.
    if (!findings_[piece.condition].error) keep(co_await judge(piece), piece);
    const coro::Duration took = coro::Worker::current().now() - start;
    findings_[piece.condition].took += took;
    time_left_.piece_done(piece, took);
    ++done_;
  }
  if (done_ == pieces_.size()) tell_progress({});
}

// The pieces of a condition may end in any order. Of the offenders those of the first warehouses
// are kept, so that the report is the same each time and the memory that of a few rows.
void CheckWork::keep(PieceAnswer answer, const CheckPiece& piece) {
  Finding& finding = findings_[piece.condition];
  if (answer.error) {
    finding.error = std::move(answer.error);
    return;
  }
  finding.offenders += answer.offenders;
  auto place = std::upper_bound(
      finding.first.begin(), finding.first.end(), piece.first_warehouse,
      [](std::int32_t warehouse, const auto& other) { return warehouse < other.first; });
  for (Offender& offender : answer.first)
    place = finding.first.emplace(place, piece.first_warehouse, std::move(offender)) + 1;
  const auto kept = static_cast<std::size_t>(options_.offenders_kept);
  if (finding.first.size() > kept) finding.first.resize(kept);
}

void CheckWork::tell_progress(std::string_view condition) const {
  if (options_.on_progress)
    options_.on_progress({done_, pieces_.size(), condition, time_left_.estimate()});
}

std::vector<Verdict> CheckWork::verdicts() const {
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& condition = conditions_[i];
    verdicts.push_back({.number = condition.number,
                        .name = condition.name,
                        .clause = condition.clause,
                        .title = condition.title,
                        .offenders = findings_[i].offenders,
                        .first_offenders = {},
                        .error = findings_[i].error,
                        .server_time = findings_[i].took});
    for (const auto& [warehouse, offender] : findings_[i].first)
      verdicts.back().first_offenders.push_back(offender);
  }
  return verdicts;
}

}  // namespace drover::tpcc
