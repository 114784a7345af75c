// DescribedJson: the visitor of descriptions (settings/field.h) that writes documents.
//
// A number that is not finite becomes 0, so that every field keeps its type. A missing optional
// value becomes null. For the .cpp files that write documents, because it includes all of
// nlohmann-json.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "measure/histogram.h"
#include "settings/field.h"

namespace drover::report {

class DescribedJson {
 public:
  using Need = settings::Need;

  // `names` are the keys of counts_by_transaction(). They must outlive this object.
  explicit DescribedJson(const std::vector<std::string>* names = nullptr) : names_(names) {}

  nlohmann::json take() { return std::move(object_); }

  void definition(std::string_view /*says*/, std::string_view /*name*/ = {}) {}

  template <class Kind>
    requires std::is_class_v<Kind>
  void field(const char* name, const auto& value, const Kind& kind, std::string_view /*says*/ = {},
             Need = {}) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
      auto left = static_cast<std::size_t>(value);
      settings::for_each_word(kind.words, [&](std::string_view word) {
        if (left-- == 0) object_[name] = word;
      });
    } else {
      object_[name] = json_of(value);
    }
  }
  void field(const char* name, const auto& value, std::string_view /*says*/ = {}, Need = {}) {
    object_[name] = json_of(value);
  }
  void within(const char* name, std::string_view /*says*/, Need, const auto& describe_fields) {
    DescribedJson inner(names_);
    describe_fields(inner);
    object_[name] = inner.take();
  }
  void where(bool applies, const auto& describe_fields) {
    if (applies) describe_fields(*this);
  }
  void list_if_any(const char* name, const auto& list, std::string_view /*says*/) {
    if (!list.empty()) object_[name] = json_of(list);
  }
  void order_of(const char* name, const auto& list, std::string_view /*says*/) {
    nlohmann::json names = nlohmann::json::array();
    for (const auto& one : list) names.push_back(one.name);
    object_[name] = std::move(names);
  }
  void repeats(const char* name, const auto& value, const auto&... /*described*/) {
    object_[name] = json_of(value());
  }
  void follows(const char* name, const auto& value, const auto&... /*described*/) {
    object_[name] = json_of(value());
  }
  void version(const char* name, int version, std::string_view /*says*/) {
    object_[name] = version;
  }
  // Writes nothing, rather than null, if the value is not known.
  void if_known(const char* name, const auto& value, const auto& /*kind*/,
                std::string_view /*says*/) {
    if (value) object_[name] = json_of(*value);
  }
  // Writes one member of each element of a list.
  void column(const char* name, const auto& list, auto member, const auto& /*kind*/,
              std::string_view /*says*/) {
    nlohmann::json values = nlohmann::json::array();
    for (const auto& one : list) values.push_back(json_of(one.*member));
    object_[name] = std::move(values);
  }
  void counts(const char* name, const std::map<std::string, std::uint64_t>& counts,
              const settings::Text& /*names*/, std::string_view /*says*/,
              std::string_view /*says_of_one*/ = {}) {
    object_[name] = counts;
  }
  void counts_by_transaction(const char* name, const std::vector<std::uint64_t>& counts,
                             std::string_view /*says*/) {
    nlohmann::json object = nlohmann::json::object();
    for (std::size_t i = 0; i < names_->size(); ++i) {
      object[(*names_)[i]] = i < counts.size() ? counts[i] : 0;
    }
    object_[name] = std::move(object);
  }
  // Writes a list of structs with names as an object.
  void by_name(const char* name, const auto& list, std::string_view /*says*/) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& one : list) object[one.name] = json_of(one);
    object_[name] = std::move(object);
  }
  void figures(const char* name, const measure::HistogramSnapshot& histogram, std::string_view says,
               Need = {});
  void figures_or_null(const char* name, const measure::HistogramSnapshot& histogram,
                       std::string_view says, Need = {}) {
    object_[name] = nullptr;
    if (!histogram.empty()) figures(name, histogram, says);
  }
  void figures_if_any(const char* name, const measure::HistogramSnapshot& histogram,
                      std::string_view says) {
    if (!histogram.empty()) figures(name, histogram, says);
  }
  void buckets_if_any(const char* name, const measure::SparseHistogram& histogram,
                      std::string_view says);
  void percentiles(const measure::HistogramSnapshot& histogram, std::string_view says);
  void buckets(const char* name, const measure::HistogramSnapshot& histogram,
               std::string_view says);

 private:
  nlohmann::json json_of(double value) const { return std::isfinite(value) ? value : 0.0; }
  nlohmann::json json_of(const std::string& value) const { return value; }
  nlohmann::json json_of(std::integral auto value) const { return value; }
  template <class Value>
  nlohmann::json json_of(const std::optional<Value>& value) const {
    return value ? json_of(*value) : nlohmann::json();
  }
  nlohmann::json json_of(const std::map<std::string, std::string>& values) const { return values; }
  template <class Value>
  nlohmann::json json_of(const std::vector<Value>& values) const {
    nlohmann::json list = nlohmann::json::array();
    for (const Value& one : values) list.push_back(json_of(one));
    return list;
  }
  template <class Described>
    requires std::is_class_v<Described>
  nlohmann::json json_of(const Described& value) const {
    DescribedJson inner(names_);
    describe(inner, value);
    return inner.take();
  }

  nlohmann::json object_ = nlohmann::json::object();
  const std::vector<std::string>* names_;
};

}  // namespace drover::report
