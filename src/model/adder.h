// Adder: a visitor of descriptions (settings/field.h) that adds a second value to a first one.
//
//   add(sum, part);  // describe(adder, sum, part)
//
// The descriptions of values that can be added take several objects: describe(visit, one...). The
// rule of each field follows from its type:
//
//   unsigned numbers, counts by name   sum
//   histograms                         merged bucket by bucket
//   amounts (signed numbers)           sum, up to the limits of the type
//   real numbers, durations, enums     highest
//   flags                              true if true in both
//   optional amounts                   none if one of both has none
//   other optional values              the sum of the known ones
//   texts                              first; texts by name: first of each name
//   lists of structs with names        elements of the same name are added, others are appended
//   other lists                        first
//
// Figures that follow from other fields are left aside. The owner of the values adds what has
// another rule.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "measure/counter.h"
#include "measure/histogram.h"
#include "settings/field.h"

namespace drover::model {

class Adder {
 public:
  using Need = settings::Need;

  void definition(std::string_view /*says*/, std::string_view /*name*/ = {}) {}

  template <class Kind>
    requires std::is_class_v<Kind>
  void field(const char* /*name*/, auto& sum, const auto& part, const Kind& /*kind*/,
             std::string_view /*says*/ = {}, Need = {}) {
    add(sum, part);
  }
  void field(const char* /*name*/, auto& sum, const auto& part, std::string_view /*says*/ = {},
             Need = {}) {
    add(sum, part);
  }
  void within(const char* /*name*/, std::string_view /*says*/, Need, const auto& describe_fields) {
    describe_fields(*this);
  }
  void where(bool /*applies*/, const auto& describe_fields) { describe_fields(*this); }
  void list_if_any(const char* /*name*/, auto& sum, const auto& part, std::string_view /*says*/) {
    add(sum, part);
  }
  void if_known(const char* /*name*/, auto& sum, const auto& part, const auto& /*kind*/,
                std::string_view /*says*/) {
    add(sum, part);
  }
  void counts(const char* /*name*/, auto& sum, const auto& part, const settings::Text& names,
              std::string_view /*says*/, std::string_view /*says_of_one*/ = {}) {
    add_counts(sum, part, names.words);
  }
  void counts_by_transaction(const char* /*name*/, std::vector<std::uint64_t>& sum,
                             const std::vector<std::uint64_t>& part, std::string_view /*says*/) {
    sum.resize(std::max(sum.size(), part.size()));
    for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
  }
  void figures(const char* /*name*/, auto& sum, const auto& part, std::string_view /*says*/,
               Need = {}) {
    add(sum, part);
  }
  void figures_or_null(const char* /*name*/, auto& sum, const auto& part, std::string_view /*says*/,
                       Need = {}) {
    add(sum, part);
  }
  void figures_if_any(const char* /*name*/, auto& sum, const auto& part,
                      std::string_view /*says*/) {
    add(sum, part);
  }
  void buckets(const char* /*name*/, auto& sum, const auto& part, std::string_view /*says*/) {
    add(sum, part);
  }
  void buckets_if_any(const char* /*name*/, auto& sum, const auto& part,
                      std::string_view /*says*/) {
    add(sum, part);
  }
  void percentiles(const auto&... /*described*/) {}
  void column(const auto&... /*described*/) {}
  void repeats(const auto&... /*described*/) {}
  void follows(const auto&... /*described*/) {}

 private:
  static void add(std::uint64_t& sum, std::uint64_t part) { sum += part; }
  static void add(std::uint64_t& sum, const measure::Counter& part) { sum += part.get(); }
  static void add(std::int64_t& sum, std::int64_t part) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (__builtin_add_overflow(sum, part, &sum)) sum = part > 0 ? Limits::max() : Limits::min();
  }
  static void add(double& sum, double part) { sum = std::max(sum, part); }
  template <class Value>
    requires(std::is_enum_v<Value>)
  static void add(Value& sum, Value part) {
    sum = std::max(sum, part);
  }
  template <class Number, class Period>
  static void add(std::chrono::duration<Number, Period>& sum,
                  std::chrono::duration<Number, Period> part) {
    sum = std::max(sum, part);
  }
  static void add(bool& sum, bool part) { sum = sum && part; }
  static void add(std::string& /*sum*/, const std::string& /*part*/) {}
  static void add(std::map<std::string, std::string>& sum,
                  const std::map<std::string, std::string>& part) {
    sum.insert(part.begin(), part.end());
  }
  static void add(measure::HistogramSnapshot& sum, const measure::HistogramSnapshot& part) {
    sum.merge(part);
  }
  static void add(measure::HistogramSnapshot& sum, const measure::Histogram& part) {
    part.add_to(sum);
  }
  static void add(measure::SparseHistogram& sum, const measure::SparseHistogram& part) {
    sum.merge(part);
  }
  static void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& part) {
    if (!part) sum.reset();
    if (sum) add(*sum, *part);
  }
  template <class Value>
  void add(std::optional<Value>& sum, const std::optional<Value>& part) {
    if (!part) return;
    if (sum) {
      add(*sum, *part);
    } else {
      sum = part;
    }
  }
  template <class Element>
    requires requires(Element element) { element.name; }
  void add(std::vector<Element>& sum, const std::vector<Element>& part) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      const bool is_same_place = i < sum.size() && sum[i].name == part[i].name;
      const auto found = is_same_place ? sum.begin() + static_cast<std::ptrdiff_t>(i)
                                       : std::ranges::find(sum, part[i].name, &Element::name);
      if (found == sum.end()) {
        sum.push_back(part[i]);
      } else {
        add(*found, part[i]);
      }
    }
  }
  template <class Element>
  static void add(std::vector<Element>& /*sum*/, const std::vector<Element>& /*part*/) {}
  template <class Described, class Part>
    requires std::is_class_v<Described>
  void add(Described& sum, const Part& part) {
    describe(*this, sum, part);
  }

  static void add_counts(std::map<std::string, std::uint64_t>& sum,
                         const std::map<std::string, std::uint64_t>& part,
                         std::string_view /*words*/) {
    for (const auto& [name, count] : part) sum[name] += count;
  }
  // The i-th counter of the array is that of the i-th word.
  template <std::size_t count>
  static void add_counts(std::map<std::string, std::uint64_t>& sum,
                         const std::array<measure::Counter, count>& part, std::string_view words) {
    std::size_t next = 0;
    settings::for_each_word(words, [&](std::string_view word) {
      const std::uint64_t one = next < count ? part[next++].get() : 0;
      if (one > 0) sum[std::string(word)] += one;
    });
  }

  template <class Sum, class Part>
  friend void add(Sum& sum, const Part& part);
};

// Adds `part` to `sum`, as the description of their type says.
template <class Sum, class Part>
void add(Sum& sum, const Part& part) {
  Adder().add(sum, part);
}

}  // namespace drover::model
