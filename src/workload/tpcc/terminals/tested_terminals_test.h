// A group of TPC-C's terminals over a backend that the test keeps.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "load/client_group.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::tpcc {

class KeptBackend final : public Backend {
 public:
  explicit KeptBackend(Backend& kept) noexcept : kept_(kept) {}

  coro::Task<void> open() override { return kept_.open(); }
  coro::Task<void> keep_open(SessionObserver& observer) override {
    return kept_.keep_open(observer);
  }
  coro::Task<database::Session*> acquire() override { return kept_.acquire(); }
  coro::Task<database::Session*> acquire_at(std::size_t host) override {
    return kept_.acquire_at(host);
  }
  void release(database::Session& session) noexcept override { kept_.release(session); }
  coro::Task<std::vector<ResolvedCommit>> resolve(std::vector<UnknownCommit> commits) override {
    return kept_.resolve(std::move(commits));
  }

 private:
  Backend& kept_;
};

struct TestedTerminals {
  TestedTerminals(const Plan& plan, Backend& backend, load::WorkerMetrics& metrics,
                  load::SharedRecords& shared, RunRecords& records)
      : terminals(plan, 0, std::make_unique<KeptBackend>(backend), records),
        group(plan, 0, terminals, metrics, shared) {}

  Terminals terminals;
  load::ClientGroup group;
};

}  // namespace drover::tpcc
