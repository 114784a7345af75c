#include "load/run_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "coro/block_on.h"
#include "coro/started_thread.h"

namespace drover::load {

using coro::CancelSource;
using coro::Task;

RunWorker::RunWorker(const Plan& plan, std::size_t index, const WorkloadFactory& make_workload,
                     SharedRecords& shared, const Surroundings& surroundings, coro::Scope& scope)
    : maker_(coro::Worker::current()),
      plan_(plan),
      index_(index),
      make_workload_(make_workload),
      shared_(shared),
      surroundings_(surroundings),
      metrics_(std::make_unique<WorkerMetrics>(plan.workload.types.size(), plan.hosts.size())),
      own_worker_(surroundings.own_threads ? std::make_unique<coro::Worker>() : nullptr),
      worker_(own_worker_ != nullptr ? own_worker_.get() : &maker_) {
  if (own_worker_ == nullptr) {
    scope.start(live());
    return;
  }
  thread_ = coro::started_thread(fmt::format("worker {} of {}", index + 1, plan.threads),
                                 [this] { coro::block_on(*own_worker_, live()); });
}

RunWorker::~RunWorker() {
  if (!thread_.joinable()) return;
  stop();
  dismiss();
}

// A post to the maker's worker could outlive this object. A post to its own worker cannot.
template <class Function>
void RunWorker::tell(Function function) {
  if (own_worker_ == nullptr) {
    function();
  } else {
    worker_->post(std::move(function));
  }
}

Task<void> RunWorker::reached(Stage stage) {
  co_await progress_->reached[static_cast<std::size_t>(stage)].wait();
}

void RunWorker::start(const Timetable& timetable) {
  tell([this, timetable] {
    timetable_ = timetable;
    told_.set();
  });
}

void RunWorker::schedule(const Timetable& timetable) {
  tell([this, timetable] {
    if (group_ != nullptr) group_->schedule(timetable);
  });
}

void RunWorker::stop() {
  tell([this] {
    stopped_ = true;
    if (opening_ != nullptr) opening_->cancel();
    if (group_ != nullptr) group_->stop();
    told_.set();
  });
}

void RunWorker::stop_settling() {
  tell([this] {
    if (settling_ != nullptr) settling_->cancel();
  });
}

void RunWorker::dismiss() {
  tell([this] { dismissed_.set(); });
}

void RunWorker::join() {
  if (thread_.joinable()) thread_.join();
}

void RunWorker::reach(Stage stage) {
  maker_.post([progress = progress_, stage] {
    for (std::size_t i = 0; i <= static_cast<std::size_t>(stage); ++i) progress->reached[i].set();
  });
}

Task<void> RunWorker::live() {
  thread_id_ = gettid();
  try {
    co_await open();
    if (!progress_->refusal) {
      reach(Stage::open);
      co_await told_.wait();
      if (timetable_ && !stopped_) co_await drive();
    }
  } catch (const std::exception&) {
    progress_->bug = std::current_exception();
    opening_ = nullptr;
    group_ = nullptr;
    settling_ = nullptr;
  }
  reach(Stage::settled);
  co_await dismissed_.wait();
  workload_.reset();
}

// Opens the connections. If stop() is called meanwhile, ends without an error.
Task<void> RunWorker::open() {
  CancelSource& source = co_await coro::current_source();
  CancelSource opening(source);
  opening_ = &opening;
  if (stopped_) opening.cancel();
  try {
    workload_ = make_workload_(index_);
    co_await workload_->backend().open().under(opening);
  } catch (const std::exception&) {
    progress_->refusal = std::current_exception();
  } catch (const coro::Cancelled&) {
    if (source.cancelled()) throw;
  }
  opening_ = nullptr;
}

Task<void> RunWorker::drive() {
  ClientGroup group(plan_, index_, *workload_, *metrics_, shared_);
  group.on_all_up([this] { reach(Stage::up); });
  group.on_all_done([this] { reach(Stage::done); });
  group.on_given_up([this] { reach(Stage::ending); });
  group_ = &group;
  co_await group.run(*timetable_);
  group_ = nullptr;
  failure_ = group.failure();
  reach(Stage::ended);
  co_await settle(group);
}

Task<void> RunWorker::settle(ClientGroup& group) {
  CancelSource& source = co_await coro::current_source();
  CancelSource settling(source);
  settling_ = &settling;
  try {
    co_await group.settle().under(settling);
  } catch (const coro::Cancelled&) {
    group.leave_unsettled();
  }
  settling_ = nullptr;
}

}  // namespace drover::load
