// Whether parts belong together: for merge.cpp. Pure functions.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

// What all parts of a run have in common, and who they are so far.
class Belonging {
 public:
  // Throws MergeError if the part is none, or does not belong to those before.
  void require(const Result& part, const std::string& name) const;

  // Counts it to them. Requires: require() has not thrown.
  void take(const Result& part, const std::string& name);

  // The first and the last of its warehouses in TPC-C.
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
  // By what messages call it, in its order; the same in all.
  std::vector<std::pair<std::string, std::string>> traits_;
  std::vector<std::string> transactions_;
};

// Of the transactions, and of their statements: by their names.
std::vector<std::string> transaction_names(const Result& result);

}  // namespace drover::report
