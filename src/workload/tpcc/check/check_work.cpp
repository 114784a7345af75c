#include "workload/tpcc/check/check_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "coro/worker.h"
#include "database/error.h"

namespace drover::tpcc {

namespace {

// The hash tables of a piece then hold 30,000 customers of each of four warehouses, most of which
// fit into the caches of the processor.
constexpr std::int32_t range_warehouses_max = 4;

void append_pieces(std::vector<CheckPiece>& pieces, std::size_t condition, std::int32_t warehouses,
                   std::int32_t count) {
  for (std::int32_t part = 0; part < count; ++part) {
    const std::int64_t begin = std::int64_t{warehouses} * part / count;
    const std::int64_t end = std::int64_t{warehouses} * (part + 1) / count;
    pieces.push_back(
        {condition, static_cast<std::int32_t>(begin + 1), static_cast<std::int32_t>(end)});
  }
}

void require_piece(std::uint64_t place, std::size_t pieces) {
  if (place < pieces) return;
  throw database::Error(database::ErrorClass::statement, "",
                        fmt::format("the check has no piece {}, because it has {} pieces. The "
                                    "hosts divide the check differently",
                                    place, pieces));
}

}  // namespace

std::vector<CheckPiece> plan_check(const std::vector<Condition>& conditions,
                                   std::int32_t warehouses, std::size_t connections) {
  if (warehouses == 0 || connections == 0) return {};
  const auto sessions = static_cast<std::int32_t>(std::min<std::size_t>(connections, 1'000));
  const std::int32_t narrow =
      std::min(warehouses,
               std::max((warehouses + range_warehouses_max - 1) / range_warehouses_max, sessions));
  // Each wide range costs a pass over a whole table, and narrower ranges need less memory: the
  // square root of the number of warehouses limits both.
  const auto root = static_cast<std::int32_t>(std::ceil(std::sqrt(warehouses) / 2));
  const std::int32_t wide = std::min(warehouses, std::max(root, sessions));

  std::vector<CheckPiece> pieces;
  std::vector<CheckPiece> by_range;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    switch (conditions[i].span) {
      case Span::once:
        pieces.push_back({i, 1, warehouses});
        break;
      case Span::history_range:
      case Span::wide_range:
        append_pieces(pieces, i, warehouses, wide);
        break;
      case Span::range:
        append_pieces(by_range, i, warehouses, narrow);
        break;
    }
  }
  std::ranges::sort(by_range, {}, [](const CheckPiece& piece) {
    return std::pair(piece.first_warehouse, piece.condition);
  });
  pieces.insert(pieces.end(), by_range.begin(), by_range.end());
  return pieces;
}

TimeLeft::TimeLeft(const std::vector<CheckPiece>& pieces, std::size_t conditions,
                   std::size_t sessions)
    : shares_(conditions), sessions_(std::max<std::size_t>(sessions, 1)) {
  for (const CheckPiece& piece : pieces)
    shares_[piece.condition].warehouses_left += piece.warehouses();
}

void TimeLeft::piece_done(const CheckPiece& piece, coro::Duration took) noexcept {
  Share& share = shares_[piece.condition];
  share.warehouses_left -= piece.warehouses();
  share.warehouses_done += piece.warehouses();
  share.took += took;
}

std::optional<coro::Duration> TimeLeft::estimate() const noexcept {
  double seconds_each_known = 0;  // of one warehouse and condition
  double seconds_left = 0;
  std::int64_t known = 0;
  std::int64_t unknown_left = 0;
  for (const Share& share : shares_) {
    if (share.warehouses_done == 0) {
      unknown_left += share.warehouses_left;
      continue;
    }
    const double each = std::chrono::duration<double>(share.took).count() /
                        static_cast<double>(share.warehouses_done);
    seconds_left += each * static_cast<double>(share.warehouses_left);
    seconds_each_known += each;
    ++known;
  }
  if (known == 0) return std::nullopt;
  seconds_left +=
      seconds_each_known / static_cast<double>(known) * static_cast<double>(unknown_left);
  return std::chrono::duration_cast<coro::Duration>(
      std::chrono::duration<double>(seconds_left / static_cast<double>(sessions_)));
}

CheckWork::CheckWork(std::vector<Condition> conditions, std::int32_t warehouses,
                     const CheckSettings& settings)
    : CheckWork(std::move(conditions),
                {.warehouses = static_cast<std::uint32_t>(warehouses),
                 .after_import = settings.after_import,
                 .sessions = settings.connections},
                settings, {}) {
  part_.pieces.resize(pieces_.size());
  std::iota(part_.pieces.begin(), part_.pieces.end(), 0);
}

CheckWork::CheckWork(std::vector<Condition> conditions, CheckPart part,
                     const CheckSettings& settings,
                     std::function<void(const PieceVerdict&)> on_verdict)
    : conditions_(std::move(conditions)),
      settings_(settings),
      part_(std::move(part)),
      pieces_(plan_check(conditions_, static_cast<std::int32_t>(part_.warehouses), part_.sessions)),
      judged_(pieces_.size()),
      on_verdict_(std::move(on_verdict)),
      states_(conditions_.size()),
      time_left_(pieces_, conditions_.size(), part_.sessions) {
  for (const std::uint64_t place : part_.pieces) require_piece(place, pieces_.size());
}

coro::Task<void> CheckWork::run(Judge judge) {
  while (next_ < part_.pieces.size()) {
    const std::uint64_t place = part_.pieces[next_++];
    const CheckPiece piece = pieces_[place];
    tell_progress(conditions_[piece.condition].title);
    const coro::Instant start = coro::Worker::current().now();
    // A condition that the server refused for one range is not asked for another.
    PieceAnswer answer{.error = states_[piece.condition].error};
    if (!answer.error) answer = co_await judge(piece);
    const coro::Duration took = coro::Worker::current().now() - start;
    if (on_verdict_) {
      on_verdict_({.piece = place,
                   .answer = answer,
                   .took_us = std::chrono::duration_cast<std::chrono::microseconds>(took).count()});
    }
    keep(std::move(answer), piece);
    finish_piece(place, took);
  }
  if (done_ == part_.pieces.size()) tell_progress({});
}

void CheckWork::finish_piece(std::uint64_t place, coro::Duration took) {
  states_[pieces_[place].condition].took += took;
  time_left_.piece_done(pieces_[place], took);
  judged_[place] = true;
  ++done_;
}

void CheckWork::add(PieceVerdict verdict) {
  require_piece(verdict.piece, pieces_.size());
  if (judged_[verdict.piece]) return;
  const CheckPiece& piece = pieces_[verdict.piece];
  keep(std::move(verdict.answer), piece);
  finish_piece(verdict.piece, std::chrono::microseconds(verdict.took_us));
  tell_progress(done_ == part_.pieces.size() ? std::string_view()
                                             : conditions_[piece.condition].title);
}

std::vector<std::uint64_t> CheckWork::missing() const {
  std::vector<std::uint64_t> missing;
  std::ranges::copy_if(part_.pieces, std::back_inserter(missing),
                       [&](std::uint64_t place) { return !judged_[place]; });
  return missing;
}

void CheckWork::require_all() const {
  const std::size_t left = missing().size();
  if (left == 0) return;
  throw database::Error(database::ErrorClass::statement, "",
                        fmt::format("{} of {} pieces of the check have no verdict, although all "
                                    "hosts have ended. The check gives no verdict on the data",
                                    left, part_.pieces.size()));
}

// Keeps the offenders of the first warehouses, whatever the order in which pieces end, so that
// reports are reproducible and need little memory.
void CheckWork::keep(PieceAnswer answer, const CheckPiece& piece) {
  ConditionState& state = states_[piece.condition];
  if (answer.error) {
    state.error = std::move(answer.error);
    return;
  }
  state.offenders += answer.offenders;
  auto place = std::ranges::upper_bound(state.first, piece.first_warehouse, {},
                                        &std::pair<std::int32_t, Offender>::first);
  for (Offender& offender : answer.first)
    place = state.first.emplace(place, piece.first_warehouse, std::move(offender)) + 1;
  if (state.first.size() > offenders_kept) state.first.resize(offenders_kept);
}

void CheckWork::tell_progress(std::string_view condition) const {
  if (settings_.on_progress)
    settings_.on_progress({done_, part_.pieces.size(), condition, time_left_.estimate()});
}

std::vector<Verdict> CheckWork::verdicts() const {
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& condition = conditions_[i];
    verdicts.push_back({.number = condition.number,
                        .name = condition.name,
                        .clause = condition.clause,
                        .title = condition.title,
                        .offenders = states_[i].offenders,
                        .first_offenders = {},
                        .error = states_[i].error,
                        .server_time = states_[i].took});
    for (const auto& [warehouse, offender] : states_[i].first)
      verdicts.back().first_offenders.push_back(offender);
  }
  return verdicts;
}

}  // namespace drover::tpcc
