// Presentation: what a workload says of how its run is shown. The screen, the plain lines and the metrics have these
// words and know no benchmark.
//
// Values only: made by the workload before the run begins, and never changed while it goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drover::load {

// A type of transaction. Names are printable UTF-8, no two the same; where there is no room a long one is cut.
struct TransactionType {
  std::string name;                            // "Transfer"
  std::optional<double> latency_limit_s = {};  // of the 90th percentile
  std::optional<double> share = {};            // of all transactions, that is asked for: 0 to 1
};

// What there is so many of: {"row", 20}. The noun is a word of small letters, for it becomes the name of a metric.
struct Quantity {
  std::string noun;
  std::uint64_t count = 0;
};

// The figure of a run: so many transactions in a time. By itself: all of them, a second.
struct Headline {
  std::string name = "tx/s";             // "tpmC"
  std::optional<std::size_t> type = {};  // the only one that counts; none: all of them
  double seconds = 1;                    // 60 for what is counted a minute
  // What the load can make of it at most: efficiency is a share of that. 0: it is up to the database.
  double most = 0;

  bool is_all_a_second() const noexcept { return !type && seconds == 1; }
};

struct Presentation {
  std::string benchmark = "a workload";  // as people call it
  std::string key = "workload";          // in names of metrics, so small letters, digits and _
  std::vector<Quantity> size = {};       // of the data; terminals are no part of it
  std::string terminal = "terminal";     // what one that transacts is called: "client"
  // Those that are rolled back and have not failed, as the specification of the benchmark calls them.
  std::string rollbacks = "rolled back on purpose";
  std::vector<TransactionType> types = {{.name = "transaction"}};  // at least one
  Headline headline = {};
  // True if the workload can look up unknown commits after the run.
  bool looks_up_commits = true;
};

}  // namespace drover::load
