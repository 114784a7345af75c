// Merges the parts of a run on several hosts into one result, without loss. For one thread.
//
// A part is a result whose `ranks` has one entry. Parts are added one by one in any order and need
// not stay in memory. The sections of the result:
//
//   tool, plan         must be the same in all parts, except threads, connections, max_inflight,
//                      clients, terminals, rate and operations, which are added. server_stats is
//                      set if one part has it. of_all_hosts must be the same; the sum has none
//   environment        of the lowest rank; the machine of each host is in ranks
//   summary            time_seconds of the host that measured longest, from the first start; the
//                      other fields follow
//   transactions       counts and errors added, histograms bucket by bucket; statements by position
//   inputs, deferred_delivery, delivery_skipped_districts, backlog, ledger, verification   added
//   ledger_in_data     added; none if a part has none
//   lost_commits       added, the earliest ones kept; not complete if a part is not
//   accounts           by name, and in that order: added; in_data none if a part has none
//   availability       counts added; overlapping outages become one with the sum of their lost
//                      transactions, and so do stalls; seconds in which at least one host was in an
//                      outage
//   client             CPU, memory, threads, terminals, connections added, workers in order of rank
//   time_series        second by second: counts added, percentiles of the added histograms (without
//                      histograms the highest of the parts), the load of the busiest worker
//   checkpoints, server_stats   of the lowest rank that has them: they describe the server
//   hosts              of the database, by name, and in that order: added
//   ranks              those of the parts, with their figures (complete_rank()); the entry of a
//                      lost host stays as it is. threads is its number of workers in client.
//                      `incomplete` says what is missing
//   failure            of the lowest rank that gave up; interrupted if one part was
//   audit              none; the caller adds it
//
// Seconds of a part count from its own start. Outages and stalls are converted to the time of the
// host that started first, by the compared clocks.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "report/document/result.h"

namespace drover::report {

// A part does not belong to the others. The message is one printable line: what was found, what was
// expected and what to do.
struct MergeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Parts that were started by hand are refused if their starts are further apart.
inline constexpr double starts_apart_s_most = 1;

class Merger {
 public:
  Merger();
  Merger(Merger&&) noexcept;
  Merger& operator=(Merger&&) noexcept;
  ~Merger();

  // Adds a part, which messages call `name`. Throws MergeError and then leaves the sum unchanged.
  void add(Result part, const std::string& name);

  // Returns the merged result. Requires: a part. The object cannot be used afterwards.
  Result take();

 private:
  struct Sum;
  std::unique_ptr<Sum> sum_;
};

// Copies the figures, machine and verdict of a part to its ranks[0]. Call it when the part has its
// audit. Requires: one entry in ranks.
void complete_rank(Result& part);

}  // namespace drover::report
