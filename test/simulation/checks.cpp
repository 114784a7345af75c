// What must hold of every simulated run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "run_record.h"

namespace drover::simulation {

using coro::Duration;
using coro::Instant;
using database::ErrorClass;
using tpcc::Resolution;
using tpcc::TransactionType;
using End = Attempt::End;

void Watcher::on_started(Duration ramp_up) {
  witness.note("started", ramp_up.count());
}

void Watcher::on_ended(bool away) {
  signs_at_end = witness.signs().size();
  sessions_lost_at_end = witness.sessions_lost();
  sessions_opened_at_end = witness.sessions_opened();
  witness.note("ended", away ? 1 : 0);
}

// Counters only rise.
void Watcher::on_snapshot(const load::Snapshot& snapshot) {
  witness.note("snapshot", snapshot.second.elapsed.count(),
               static_cast<std::int64_t>(snapshot.second.in_flight));
  if (last) {
    const auto rises = [this](std::uint64_t before, std::uint64_t now, std::string_view what) {
      if (now < before) witness.fault(fmt::format("{} fell from {} to {}", what, before, now));
    };
    if (snapshot.second.elapsed <= last->second.elapsed) witness.fault("a second came twice");
    for (std::size_t i = 0; i < tpcc::transaction_type_count; ++i) {
      for (const auto phase : {&load::Snapshot::warmup, &load::Snapshot::measured}) {
        const model::Totals& before = ((*last).*phase)[i];
        const model::Totals& now = (snapshot.*phase)[i];
        rises(before.ok_count, now.ok_count, "committed");
        rises(before.failed_count, now.failed_count, "failed");
        rises(before.retry_count, now.retry_count, "retries");
        rises(before.latency.count(), now.latency.count(), "latencies");
      }
    }
    const load::AvailabilityRecord& before = last->availability;
    const load::AvailabilityRecord& now = snapshot.availability;
    rises(before.sessions_lost, now.sessions_lost, "sessions lost");
    rises(before.sessions_reopened, now.sessions_reopened, "sessions opened anew");
  }
  last = snapshot;
}

namespace {

class Checks {
 public:
  explicit Checks(const RunRecord& record)
      : record_(record),
        scenario_(record.scenario),
        plan_(record.scenario.plan),
        attempts_(record.witness.attempts()),
        faults_(record.witness.faults()) {}

  std::vector<std::string> all() {
    check_truth();
    check_questions();
    check_end();
    if (!record_.outcome || record_.outcome->workers.empty()) {
      require(attempts_.empty(), "a run that did not begin has made attempts");
      return std::move(faults_);
    }
    const load::Outcome& outcome = *record_.outcome;
    measure_start_ = outcome.start + plan_.warmup;
    measure_end_ = measure_start_ + outcome.measured;
    check_ledger_counts();
    check_ledger_verdict();
    check_verdicts();
    check_phases();
    check_histograms();
    check_pending();
    check_in_flight();
    check_waits();
    check_outages();
    check_stalls();
    check_silences();
    check_sessions();
    check_samples();
    if (scenario_.is_calm()) check_calm();
    return std::move(faults_);
  }

 private:
  template <class... Arguments>
  void require(bool holds, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!holds) faults_.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  std::size_t number(const Attempt& attempt) const {
    return static_cast<std::size_t>(&attempt - attempts_.data());
  }

  // A Delivery that found nothing to deliver leaves nothing to be found.
  bool has_traces(const Attempt& attempt) const {
    return attempt.type() != TransactionType::Delivery || attempt.orders > 0;
  }

  // What the engine was told agrees with what the database did: or the simulation is wrong.
  void check_truth() {
    for (const Attempt& one : attempts_) {
      const bool happened = record_.in_data_at_end.contains(number(one)) || one.lost;
      const bool told = one.end == End::committed || one.found == Resolution::committed;
      const bool reads =
          one.type() == TransactionType::OrderStatus || one.type() == TransactionType::StockLevel;
      if (told && !reads) require(happened, "attempt {} is said to be committed", number(one));
      if (told || one.is_doubt()) continue;
      require(!happened, "attempt {} has an error, and is in the data", number(one));
    }
  }

  // An interrupt is heard. One that comes while sessions are opened ends the run at once.
  void check_end() {
    if (!record_.interrupted) return;
    constexpr Duration settling = std::chrono::seconds(5);
    constexpr Duration tick = std::chrono::milliseconds(1);
    const bool begun = record_.outcome && !record_.outcome->workers.empty();
    Duration longest = begun ? plan_.drain_patience + settling + tick : tick;
    for (const Standstill& one : scenario_.standstills) longest += one.length;
    const Duration took = record_.run_ended - *record_.interrupted;
    require(took <= longest, "the run has ended {} ns after it was interrupted", took.count());
  }

  // Every commit without an answer is asked for once, no other is, and an answer stays true.
  void check_questions() {
    const bool may_be_cut_short = scenario_.interrupt.has_value();
    for (const Attempt& one : attempts_) {
      require(one.end != End::none, "attempt {} has no end", number(one));
      require(one.asked <= 1, "attempt {} was asked for {} times", number(one), one.asked);
      if (!one.is_doubt()) {
        require(one.asked == 0, "attempt {} was asked for without a doubt", number(one));
        continue;
      }
      require(one.asked == 1 || may_be_cut_short, "attempt {} was never asked for", number(one));
      const bool in_data = record_.in_data_at_end.contains(number(one));
      if (one.found == Resolution::not_committed) {
        require(!in_data || !has_effect(one), "attempt {} was said not to have happened, and did",
                number(one));
      }
    }
  }

  bool has_effect(const Attempt& one) const {
    return one.type() != TransactionType::Delivery || one.orders > 0;
  }

  static bool counts(const Attempt& one) {
    return one.end == End::committed || one.found == Resolution::committed;
  }
  static bool is_open(const Attempt& one) {
    return one.is_doubt() && one.found.value_or(Resolution::unknown) == Resolution::unknown;
  }

  template <class Condition>
  report::Ledger sums(Condition condition) const {
    report::Ledger sums;
    for (const Attempt& one : attempts_) {
      if (!condition(one)) continue;
      if (one.type() == TransactionType::NewOrder) ++sums.new_orders;
      if (const auto* payment = std::get_if<tpcc::PaymentInput>(&one.input)) {
        ++sums.payments;
        sums.payment_cents += payment->amount_cents;
      }
      if (one.type() != TransactionType::Delivery) continue;
      ++sums.deliveries;
      sums.orders_delivered += static_cast<std::uint64_t>(one.orders);
    }
    return sums;
  }

  void check_ledger_counts() {
    const report::Ledger told = sums(counts);
    const report::Ledger& ours = record_.result->ledger;
    const auto same = [this](auto counted, auto expected, std::string_view what) {
      require(counted == expected, "the ledger has {} {}, and {} were told", counted, what,
              expected);
    };
    same(ours.new_orders, told.new_orders, "New-Orders");
    same(ours.payments, told.payments, "Payments");
    same(ours.payment_cents, told.payment_cents, "cents");
    same(ours.deliveries, told.deliveries, "Deliveries");
    same(ours.orders_delivered, told.orders_delivered, "delivered orders");
    std::uint64_t unresolved = 0;
    for (const tpcc::WorkerCounts& counts : record_.records.workers)
      unresolved += counts.ledger.unresolved.get();
    const auto open = static_cast<std::uint64_t>(std::ranges::count_if(attempts_, is_open));
    same(unresolved, open, "open doubts");
    same(ours.exact, open == 0, "as exact");
  }

  const report::Verdict& line(std::string_view name) const {
    const auto& audit = record_.result->audit;
    return *std::ranges::find(audit, name, &report::Verdict::name);
  }

  void judged(std::string_view name, report::Judgement expected) {
    const report::Verdict& verdict = line(name);
    require(verdict.judgement == expected, "the audit's line {} is {} in place of {}: {}", name,
            static_cast<int>(verdict.judgement), static_cast<int>(expected), verdict.text);
  }

  void check_ledger_verdict() {
    using report::Judgement;
    if (!record_.ledger_read) {
      judged("ledger", Judgement::not_judged);
      return;
    }
    const auto in_data = [this](const Attempt& one) {
      return record_.in_data_at_read.contains(number(one));
    };
    const auto is_lost = [&](const Attempt& one) {
      const bool reads =
          one.type() == TransactionType::OrderStatus || one.type() == TransactionType::StockLevel;
      return counts(one) && !in_data(one) && !reads && has_effect(one);
    };
    const bool any_lost = std::ranges::any_of(attempts_, is_lost);
    const bool exact = std::ranges::none_of(attempts_, is_open);
    if (exact) {
      judged("ledger", any_lost ? Judgement::invalid : Judgement::held);
    } else if (!any_lost) {
      require(line("ledger").judgement != Judgement::invalid, "nothing was lost, but: {}",
              line("ledger").text);
    }
  }

  void check_verdicts() {
    using report::Judgement;
    const load::Outcome& outcome = *record_.outcome;
    judged("counts", Judgement::held);
    judged("run", outcome.failure || outcome.interrupted ? Judgement::broken : Judgement::held);
    std::uint64_t unresolved = 0;
    for (const auto& one : record_.result->transactions) unresolved += one.ambiguous.unresolved;
    judged("ambiguous", unresolved > 0 ? Judgement::broken : Judgement::held);
    bool outage_measured = false;
    for (const load::Outage& outage : outcome.availability.outages) {
      const Instant end = outage.end.value_or(measure_end_);
      if (outage.start < measure_end_ && end > measure_start_) outage_measured = true;
    }
    if (outage_measured) judged("availability", Judgement::broken);
    if (!outage_measured && outcome.availability.stalls.empty()) {
      judged("availability", Judgement::held);
    }
  }

  // What ended within a phase, as the witness saw it, is what the phase has counted.
  struct PhaseCounts {
    std::uint64_t committed = 0;
    std::uint64_t rolled_back = 0;
    std::array<std::uint64_t, database::error_class_count> errors{};
    std::uint64_t attempts = 0;
  };

  void check_phases() {
    for (std::size_t i = 0; i < record_.outcome->workers.size(); ++i) {
      for (const TransactionType type : tpcc::all_transaction_types) {
        if (type == TransactionType::Delivery && plan_.deferred_delivery) continue;
        const load::WorkerMetrics& metrics = *record_.outcome->workers[i];
        const std::size_t index = tpcc::index_of(type);
        check_phase(i, type, Instant::min(), measure_start_, metrics.warmup[index]);
        check_phase(i, type, measure_start_, measure_end_, metrics.measured[index]);
      }
    }
  }

  void check_phase(std::size_t worker, TransactionType type, Instant from, Instant until,
                   const load::SharedTotals& metrics) {
    PhaseCounts sure;
    PhaseCounts edge;  // at the instant at which the run was ended
    for (const Attempt& one : attempts_) {
      if (one.worker != worker || one.type() != type) continue;
      if (one.end == End::cancelled || one.ended < from || one.ended > until) continue;
      if (one.ended == until && until == measure_start_ && until != measure_end_) continue;
      count(one, one.ended == until ? edge : sure);
    }
    const auto same = [&](std::uint64_t counted, std::uint64_t low, std::uint64_t more,
                          std::string_view what) {
      require(counted >= low && counted <= low + more, "worker {} has counted {} {} of {}, not {}",
              worker, counted, what, tpcc::transaction_name(type), low);
    };
    same(metrics.ok_count.get(), sure.committed, edge.committed, "commits");
    same(metrics.user_aborted_count.get(), sure.rolled_back, edge.rolled_back, "rollbacks");
    same(metrics.attempts.get(), sure.attempts, edge.attempts, "attempts");
    std::uint64_t errors = 0;
    for (std::size_t i = 0; i < database::error_class_count; ++i) {
      same(metrics.errors_by_class[i].get(), sure.errors[i], edge.errors[i],
           database::error_class_name(static_cast<ErrorClass>(i)));
      errors += metrics.errors_by_class[i].get();
    }
    same(metrics.failed_count.get() + metrics.retry_count.get(), errors, 0, "failures and retries");
  }

  static void count(const Attempt& one, PhaseCounts& counts) {
    ++counts.attempts;
    if (one.end == End::committed) ++counts.committed;
    if (one.end == End::rolled_back) ++counts.rolled_back;
    if (one.end == End::error) ++counts.errors[static_cast<std::size_t>(one.error_class)];
  }

  void check_histograms() {
    for (const auto& worker : record_.outcome->workers) {
      for (const auto phase : {&load::WorkerMetrics::warmup, &load::WorkerMetrics::measured}) {
        for (const load::SharedTotals& one : (*worker).*phase) {
          require(one.latency.snapshot().count() == one.ok_count.get(),
                  "{} latencies of {} commits", one.latency.snapshot().count(), one.ok_count.get());
          require(one.wait.snapshot().count() <= one.ok_count.get() + one.user_aborted_count.get(),
                  "more waits than transactions");
        }
      }
      require(worker->started.get() == worker->finished.get(), "{} transactions begun, {} ended",
              worker->started.get(), worker->finished.get());
    }
    for (const tpcc::WorkerCounts& counts : record_.records.workers) {
      const tpcc::DeferredMetrics& deferred = counts.deferred;
      require(deferred.latency.snapshot().count() == deferred.completed.get(),
              "latencies of deferred Deliveries");
      require(deferred.queued.get() == deferred.completed.get() + deferred.failed.get() +
                                           deferred.unfinished.snapshot().count(),
              "{} deferred Deliveries are queued, {} completed, {} failed, {} unfinished",
              deferred.queued.get(), deferred.completed.get(), deferred.failed.get(),
              deferred.unfinished.snapshot().count());
    }
  }

  // What a terminal waited for when the interval ended is written down.
  void check_pending() {
    if (measure_end_ <= measure_start_) return;
    for (const TransactionType type : tpcc::all_transaction_types) {
      if (type == TransactionType::Delivery && plan_.deferred_delivery) continue;
      const auto running = std::ranges::count_if(attempts_, [&](const Attempt& one) {
        return one.type() == type && one.begun < measure_end_ && one.ended > measure_end_;
      });
      std::uint64_t pending = 0;
      std::uint64_t all = 0;
      for (const auto& worker : record_.outcome->workers) {
        all += worker->pending.size();
        pending += static_cast<std::uint64_t>(std::ranges::count(
            worker->pending, tpcc::index_of(type), &load::PendingTransaction::type));
      }
      require(pending >= static_cast<std::uint64_t>(running), "{} pending {}, and {} were running",
              pending, tpcc::transaction_name(type), running);
      require(all <= plan_.terminals(), "{} pending of {} terminals", all, plan_.terminals());
    }
  }

  // Nobody has more than a permit and a session each.
  void check_in_flight() {
    for (std::size_t worker = 0; worker < plan_.threads; ++worker) {
      std::vector<std::pair<Instant, int>> edges;
      for (const Attempt& one : attempts_) {
        if (one.worker != worker) continue;
        edges.emplace_back(one.begun, 1);
        edges.emplace_back(one.ended, -1);
      }
      std::ranges::sort(edges);
      std::int64_t running = 0;
      std::int64_t most = 0;
      for (const auto& [at, step] : edges) most = std::max(most, running += step);
      std::size_t limit = plan_.share_of_worker(worker, plan_.connections);
      if (plan_.max_inflight > 0) {
        limit = std::min(
            limit, std::max<std::size_t>(plan_.share_of_worker(worker, plan_.max_inflight), 1));
      }
      require(most <= static_cast<std::int64_t>(limit), "worker {} had {} in flight of {}", worker,
              most, limit);
    }
  }

  // Who has a permit and a session of his own waits for neither.
  void check_waits() {
    if (plan_.deferred_delivery || record_.witness.sessions_lost() > 0) return;
    for (std::size_t i = 0; i < plan_.threads; ++i) {
      const std::size_t terminals = plan_.terminals_of_worker(i);
      const std::size_t permits = plan_.share_of_worker(i, plan_.max_inflight);
      if (plan_.share_of_worker(i, plan_.connections) < terminals) continue;
      if (plan_.max_inflight > 0 && permits < terminals) continue;
      for (const load::SharedTotals& one : record_.outcome->workers[i]->measured) {
        require(one.wait.snapshot().max_ns() == 0, "somebody waited {} ns for nothing",
                one.wait.snapshot().max_ns());
      }
    }
  }

  // The outages are the stretches from the first failure to the first success. One that a silence
  // went before begins with that.
  void check_outages() {
    struct Stretch {
      Instant start;
      std::optional<Instant> end;
      std::uint64_t lost = 0;
    };
    std::vector<Stretch> expected;
    const auto& signs = record_.witness.signs();
    bool down = false;
    for (std::size_t i = 0; i < record_.watcher.signs_at_end.value_or(0); ++i) {
      const Sign& sign = signs[i];
      const bool bad = sign.kind == Sign::Kind::lost || sign.kind == Sign::Kind::refused;
      const bool good = sign.kind == Sign::Kind::succeeded || sign.kind == Sign::Kind::opened;
      if (bad && !down) expected.push_back({.start = sign.at, .end = {}});
      if (bad) down = true;
      if (sign.kind == Sign::Kind::lost) ++expected.back().lost;
      if (good && down) expected.back().end = sign.at;
      if (good) down = false;
    }
    const load::AvailabilityRecord& record = record_.outcome->availability;
    std::size_t next = 0;
    std::uint64_t interruptions = 0;
    for (const Stretch& one : expected) {
      const bool listed = next < record.outages.size() && record.outages[next].end == one.end &&
                          record.outages[next].start <= one.start;
      if (!listed) {
        // When a run was ended in its warm-up, nobody says.
        const bool known = one.end || measure_end_ > measure_start_;
        const Instant until = one.end.value_or(measure_end_);
        require(!known || until - one.start < load::shortest_outage,
                "an outage at {} is not listed", one.start.time_since_epoch().count());
        ++interruptions;
        continue;
      }
      const load::Outage& outage = record.outages[next++];
      require(outage.transactions_lost == one.lost, "an outage has lost {}, not {}",
              outage.transactions_lost, one.lost);
      require(!answered_between(outage.start, one.start), "an outage begins before an answer");
    }
    require(next == record.outages.size(), "{} outages are listed, {} were", record.outages.size(),
            next);
    require(record.interruptions == interruptions, "{} interruptions are listed, {} were",
            record.interruptions, interruptions);
  }

  // For sure: whether an error was the last of its transaction the witness does not know. The
  // engine takes answers that come closer together than this for one.
  bool answered_between(Instant from, Instant until) const {
    constexpr Duration precision = std::chrono::milliseconds(10);
    return std::ranges::any_of(record_.witness.signs(), [&](const Sign& sign) {
      return sign.kind == Sign::Kind::succeeded && sign.at > from + precision && sign.at < until;
    });
  }

  bool stood_still_between(Instant from, Instant until) const {
    return std::ranges::any_of(scenario_.standstills, [&](const Standstill& one) {
      return one.start < until && one.start + one.length > from;
    });
  }

  void check_stalls() {
    for (const load::Stall& stall : record_.outcome->availability.stalls) {
      const Instant end = stall.end.value_or(measure_end_);
      require(end - stall.start >= load::shortest_stall, "a stall of {} ns",
              (end - stall.start).count());
      require(!answered_between(stall.start, std::min(end, measure_end_)),
              "there were answers in a stall");
      for (const Standstill& one : scenario_.standstills) {
        const bool inside = stall.start < one.start && one.start + one.length < end;
        require(!inside || one.length < std::chrono::seconds(1),
                "a stall goes on while the client stands still");
      }
    }
  }

  // Whoever waits for long and hears nothing is waiting in a stall or in an outage.
  void check_silences() {
    constexpr Duration sure = std::chrono::milliseconds(5'001);
    const load::AvailabilityRecord& record = record_.outcome->availability;
    for (const Attempt& one : attempts_) {
      const Instant until = std::min(one.ended, measure_end_);
      if (one.begun < record_.outcome->start || until - one.begun < sure) continue;
      const bool heard = std::ranges::any_of(record_.witness.signs(), [&](const Sign& sign) {
        return sign.at >= one.begun && sign.at < until;
      });
      if (heard || stood_still_between(one.begun - std::chrono::seconds(10), until)) continue;
      const auto meets = [&](const auto& stretch) {
        return stretch.start < until && stretch.end.value_or(until) >= until;
      };
      require(
          std::ranges::any_of(record.stalls, meets) || std::ranges::any_of(record.outages, meets),
          "attempt {} heard nothing for {} ns, and no stall says so", number(one),
          (until - one.begun).count());
    }
  }

  void check_sessions() {
    const load::AvailabilityRecord& record = record_.outcome->availability;
    const Watcher& watcher = record_.watcher;
    require(record.sessions_lost == watcher.sessions_lost_at_end, "{} sessions lost, not {}",
            record.sessions_lost, watcher.sessions_lost_at_end);
    require(record.sessions_reopened == watcher.sessions_opened_at_end,
            "{} sessions opened anew, not {}", record.sessions_reopened,
            watcher.sessions_opened_at_end);
  }

  void check_samples() {
    std::array<std::uint64_t, tpcc::transaction_type_count> sampled{};
    for (const load::Sample& sample : record_.outcome->samples) {
      for (std::size_t i = 0; i < sampled.size(); ++i) sampled[i] += sample.ok[i];
    }
    for (std::size_t i = 0; i < sampled.size(); ++i) {
      std::uint64_t counted = 0;
      for (const auto& worker : record_.outcome->workers) {
        counted += worker->warmup[i].ok_count.get() + worker->measured[i].ok_count.get();
      }
      require(sampled[i] <= counted, "the seconds have {} commits, all have {}", sampled[i],
              counted);
    }
  }

  void check_calm() {
    const report::Result& result = *record_.result;
    for (const report::TransactionResult& one : result.transactions) {
      require(one.failed_count == 0 && one.retry_count == 0, "{} fails though nothing does",
              one.name);
    }
    require(result.availability.outages.empty() && result.availability.stalls.empty(),
            "an outage or a stall though nothing fails");
    judged("ledger", report::Judgement::held);
    judged("run", report::Judgement::held);
  }

  const RunRecord& record_;
  const Scenario& scenario_;
  const tpcc::Plan& plan_;
  const std::vector<Attempt>& attempts_;
  std::vector<std::string> faults_;
  Instant measure_start_;
  Instant measure_end_;
};

}  // namespace

std::vector<std::string> check(const RunRecord& record) {
  return Checks(record).all();
}

}  // namespace drover::simulation
