// Decides which parts belong to one run: for merge.cpp. For one thread.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

// The common settings of the parts of a run, and the parts that were accepted.
class PartMatch {
 public:
  // Throws MergeError if the result is not a part, or does not belong to the accepted parts.
  void require(const Result& part, const std::string& name) const;

  // Accepts the part. Requires: require() has not thrown.
  void take(const Result& part, const std::string& name);

  // Returns the first and the last warehouse of a part (TPC-C).
  static std::pair<std::uint64_t, std::uint64_t> range_of(const Result& part);

 private:
  struct Known {
    std::string name;
    RankResult rank;  // without its histograms
    std::pair<std::uint64_t, std::uint64_t> range;
    std::optional<double> start;
  };

  void require_same(const Result& part, const std::string& name) const;
  void require_another_rank(const Result& part, const std::string& name) const;
  void require_same_start(const Result& part, const std::string& name) const;

  std::vector<Known> known_;
  // Names and values that all parts share, in the order of messages.
  std::vector<std::pair<std::string, std::string>> traits_;
  std::vector<std::string> transactions_;
};

// Returns the names of the transaction types and of their statements.
std::vector<std::string> transaction_names(const Result& result);

}  // namespace drover::report
