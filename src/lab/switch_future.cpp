// A flow as a chain of futures: each operation hangs the next one on a future that the worker
// fulfils when it next comes round. The loop is a function that hands itself on; the flow's state
// is counted, since nobody can say whose lambda will be the last.
#include <memory>

#include "coro/event.h"
#include "lab/chained_future.h"
#include "lab/switch_herd.h"

namespace drover::lab {
namespace {

using coro::Task;

struct Flows {
  SwitchHerd& herd;
  std::size_t running;
  coro::Event all_stopped;
};

struct Flow {
  Flows& all;
  std::uint64_t value;
};

void operate(const std::shared_ptr<Flow>& flow) {
  Flows& all = flow->all;
  if (all.herd.is_stopping()) {
    all.herd.keep(flow->value);
    if (--all.running == 0) all.all_stopped.set();
    return;
  }
  flow->value = all.herd.operate(flow->value);
  ChainedFuture::soon().apply([flow] { operate(flow); });
}

}  // namespace

Task<void> drive_futures(SwitchHerd& herd) {
  Flows all{herd, herd.flows, {}};
  for (std::size_t i = 0; i < herd.flows; ++i) {
    const auto flow = std::make_shared<Flow>(Flow{all, first_value(herd.first_flow + i)});
    ChainedFuture::soon().apply([flow] { operate(flow); });
  }
  herd.note_started();
  co_await all.all_stopped.wait();
}

}  // namespace drover::lab
