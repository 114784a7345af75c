// Parts of a run that several hosts made, as one result, without loss. For one thread.
//
// A part is a result whose `ranks` has one entry. Parts come one by one and need not stay in memory; their order does
// not matter. Of each section of the result:
//
//   tool, plan         must be the same in all parts, except threads, connections, max_inflight,
//                      clients, terminals, rate and operations, which are added. server_stats is
//                      set if one part has it. of_all_hosts must be the same; the sum has none
//   environment        of the lowest rank; each host's machine is in ranks
//   summary            time_seconds of the host that measured longest, from when the first began; the rest follows
//   transactions       counts and errors added, histograms bucket by bucket; statements by their place
//   inputs, deferred_delivery, delivery_skipped_districts, backlog, ledger, verification   added
//   ledger_in_data     added; none if a part has none
//   lost_commits       added, the first that were answered kept; not complete where a part cannot tell
//   accounts           by name, and in that order: added; in_data none if a part has none
//   availability       counts added; outages that overlap are one, with what all lost in it, and so are stalls; seconds
//                      are those of the interval in which at least one host was in an outage
//   client             CPU, memory, threads, terminals, connections added, workers one behind the other by rank
//   time_series        second by second: counts added, percentiles of the added histograms (without them the highest of
//                      the parts), the load of the busiest
//   checkpoints, server_stats   of the lowest rank that has them: they are about the server
//   hosts              of the database, by name, and in that order: added
//   ranks              those of the parts, with the figures of these (complete_rank()), but of a host that was lost, which
//                      says its own; threads is how many workers it has in client. What is missing is in `incomplete`
//   failure            of the lowest rank that gave up; interrupted if one was
//   audit              none: ask for it afterwards
//
// Seconds of a part count from its own start. Outages and stalls are brought to those of the host that began first, by
// the clocks as they were compared.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "report/document/result.h"

namespace drover::report {

// Something does not belong to the others. One line, printable whatever the results hold: what was found, what was
// expected and what to do.
struct MergeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Parts that were started by hand are refused where their starts lie further apart.
inline constexpr double starts_apart_s_most = 1;

class Merger {
 public:
  Merger();
  Merger(Merger&&) noexcept;
  Merger& operator=(Merger&&) noexcept;
  ~Merger();

  // `name` is what messages call the part. Throws MergeError; then it is as if this part had not come.
  void add(Result part, const std::string& name);

  // All parts as one. Requires: a part. Ends this object's use.
  Result take();

 private:
  struct Sum;
  std::unique_ptr<Sum> sum_;
};

// Fills in what ranks[0] of a part says of figures, machine and verdict: they are those of the part itself. Call it
// when the part has its audit. Requires: one entry in ranks.
void complete_rank(Result& part);

}  // namespace drover::report
