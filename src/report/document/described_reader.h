// DescribedReader: the visitor of descriptions (settings/field.h) that reads untrusted documents
// and checks the bounds of each field.
//
//   read_described(json, bounds);
//
// Known fields may come in any order, each at most once. Required fields must be there. Unknown
// fields are skipped. Fields that repeat others are compared with them when all have been read. All
// functions throw JsonError.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "measure/histogram.h"
#include "report/document/json_reader.h"
#include "report/document/result.h"
#include "settings/field.h"

namespace drover::report {

inline constexpr std::size_t json_name_bytes_max = settings::name.bytes_max;
inline constexpr std::size_t json_names_max = 10'000;

// The names of the transactions, by the first point of a time series.
struct PointNames {
  std::vector<std::string> names;
  bool complete = false;
};

// Checks a struct after it was read, or a list after each element. Overloads for single types
// refuse fields that do not fit together.
template <class Read>
void require_fitting(const JsonReader&, const Read&) {}

// Moves the elements with these names to the front, in the order of the names.
template <class Element>
void order_by_names(std::vector<Element>& list, const std::vector<std::string>& names) {
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const auto found =
        std::ranges::find_if(list, [&](const Element& one) { return one.name == *name; });
    if (found != list.end()) std::rotate(list.begin(), found, found + 1);
  }
}

class DescribedReader {
 public:
  using Need = settings::Need;

  // `names` must outlive this object.
  explicit DescribedReader(JsonReader& json, PointNames* names = nullptr)
      : json_(json), names_(names) {}

  // Reads an object that describe_fields(*this) describes, and calls check() before fields that
  // repeat others are compared.
  void read(const auto& describe_fields, const auto& check) {
    const auto describe_once = [&](Pass pass) {
      pass_ = pass;
      index_ = 0;
      describe_fields(*this);
    };
    json_.object([&](std::string_view key) {
      key_ = key;
      key_known_ = false;
      describe_once(Pass::read);
      if (!key_known_) json_.skip();
    });
    describe_once(Pass::require);
    check();
    describe_once(Pass::compare);
  }

  void definition(std::string_view /*says*/, std::string_view /*name*/ = {}) {}
  template <class Kind>
    requires std::is_class_v<Kind>
  void field(const char* name, auto& value, const Kind& kind, std::string_view /*says*/ = {},
             Need need = {}) {
    if (is_next(name, need)) read_value(value, kind);
  }
  void field(const char* name, auto& value, std::string_view /*says*/ = {}, Need need = {}) {
    if (is_next(name, need)) read_value(value);
  }
  void within(const char* name, std::string_view /*says*/, Need need, const auto& describe_fields) {
    if (!is_next(name, need)) return;
    DescribedReader(json_, names_).read(describe_fields, [] {});
  }
  // Reads the fields in any case, but requires them only if `applies`.
  void where(bool applies, const auto& describe_fields) {
    const bool before = std::exchange(requires_, requires_ && applies);
    describe_fields(*this);
    requires_ = before;
  }
  void list_if_any(const char* name, auto& list, std::string_view says) {
    field(name, list, says, Need::added);
  }
  // Reads the order of the elements that by_name() reads, because JSON writers may sort their
  // names.
  void order_of(const char* name, auto& list, std::string_view /*says*/) {
    if (is_next(name, Need::added)) {
      read_value(order_, settings::name);
      if (order_.size() > transactions_max) {
        json_.refuse(fmt::format("at most {} transactions", transactions_max), "more");
      }
    }
    if (pass_ != Pass::compare || order_.empty()) return;
    order_by_names(list, order_);
  }
  void repeats(const char* name, const auto& value, const auto& kind, std::string_view /*says*/,
               Need = {}) {
    const std::size_t index = index_;
    if (is_next(name, Need::written)) {
      if (!json_.null()) repeated_.emplace_back(index, json_.number(0, most_of(kind)));
    } else if (pass_ == Pass::compare) {
      for (const auto& [where, found] : repeated_) {
        if (where == index) require_repeated(name, found, value());
      }
    }
  }
  void follows(const char* name, const auto&, const settings::Real& kind, std::string_view = {},
               Need = {}) {
    if (is_next(name, Need::written) && !json_.null()) json_.number(kind.least, kind.most);
  }
  void follows(const char*, const auto&, const auto&, std::string_view = {}, Need = {}) {}
  void follows(const char*, const auto&) {}
  void version(const char*, int, std::string_view) {}  // checked before
  void if_known(const char* name, auto& value, const auto& kind, std::string_view /*says*/) {
    if (is_next(name, Need::added)) read_value(value.emplace(), kind);
  }
  // Fills the list from the column if the document lacks the list, as older documents do.
  template <class Element>
  void column(const char* name, std::vector<Element>& list, double Element::* member,
              const settings::Real& kind, std::string_view /*says*/) {
    if (is_next(name, Need::required)) {
      read_elements(column_, [&](double& value) { read_value(value, kind); });
    }
    if (pass_ != Pass::compare) return;
    if (list.empty()) {
      for (const double value : column_) list.emplace_back().*member = value;
    }
    if (!std::ranges::equal(list, column_, {}, member)) {
      json_.refuse(fmt::format("as many workers as {}, with the same loads", name), "others");
    }
  }
  void counts(const char* name, std::map<std::string, std::uint64_t>& counts,
              const settings::Text& names, std::string_view /*says*/,
              std::string_view /*says_of_one*/ = {}) {
    static_cast<void>(names);
    if (is_next(name, Need::required)) read_map(counts, settings::count);
  }
  void counts_by_transaction(const char* name, std::vector<std::uint64_t>& counts,
                             std::string_view /*says*/);
  void by_name(const char* name, auto& list, std::string_view /*says*/) {
    if (!is_next(name, Need::required)) return;
    json_.object([&](std::string_view key) {
      require_plain_name(key);
      if (std::ranges::find(list, key, [](const auto& one) { return one.name; }) != list.end()) {
        json_.refuse("one such field", "a second one");
      }
      if (list.size() == transactions_max) {
        json_.refuse(fmt::format("at most {} transactions", transactions_max), "more");
      }
      list.emplace_back().name = key;
      read_value(list.back());
    });
  }
  void figures(const char* name, measure::HistogramSnapshot& histogram, std::string_view /*says*/,
               Need need = {}) {
    if (is_next(name, need)) histogram = read_figures();
  }
  void figures_or_null(const char* name, measure::HistogramSnapshot& histogram,
                       std::string_view says, Need need = {}) {
    figures(name, histogram, says, need);
  }
  void figures_if_any(const char* name, measure::HistogramSnapshot& histogram,
                      std::string_view says) {
    figures(name, histogram, says, Need::added);
  }
  void percentiles(const measure::HistogramSnapshot& histogram, std::string_view says);
  void buckets(const char* name, measure::HistogramSnapshot& histogram, std::string_view says);
  void buckets_if_any(const char* name, measure::SparseHistogram& histogram, std::string_view says);

  // Reads a histogram with its figures. Null is an empty histogram.
  measure::HistogramSnapshot read_figures();

 private:
  enum class Pass : std::uint8_t {
    read,     // reads the value of key_
    require,  // checks that required fields were there
    compare,  // compares fields that repeat others
  };

  // Returns true if the value of this field must be read now.
  bool is_next(std::string_view name, Need need);
  void require_plain_name(std::string_view name) const;
  measure::HistogramSnapshot read_buckets(std::string_view says);
  void require_repeated(std::string_view name, double found, double expected) const;
  void require_repeated(std::string_view name, double found, std::integral auto expected) const {
    require_repeated(name, found, static_cast<double>(expected));
  }
  void require_repeated(std::string_view name, double found, std::optional<double> expected) const {
    if (expected) require_repeated(name, found, *expected);
  }

  static constexpr double most_of(const settings::Real& kind) { return kind.most; }
  static constexpr double most_of(const settings::Whole&) { return settings::figure.most; }

  void read_value(double& value, const settings::Real& kind) {
    value = json_.number(kind.least, kind.most);
  }
  void read_value(std::unsigned_integral auto& value, const settings::Whole& kind) {
    value = static_cast<std::remove_reference_t<decltype(value)>>(json_.whole_number(kind.most));
  }
  template <std::signed_integral Number>
  void read_value(Number& value, const settings::Amount& kind) {
    using Limits = std::numeric_limits<Number>;
    value =
        static_cast<Number>(json_.whole_number(std::max<std::int64_t>(kind.least, Limits::min()),
                                               std::min<std::int64_t>(kind.most, Limits::max())));
  }
  void read_value(bool& value, const settings::Flag&) { value = json_.boolean(); }
  void read_value(std::string& value, const settings::Text& kind) {
    value = kind.closed ? read_word(kind).first : json_.text(kind.bytes_max);
  }
  template <class Word>
    requires std::is_enum_v<Word>
  void read_value(Word& value, const settings::Text& kind) {
    value = static_cast<Word>(read_word(kind).second);
  }
  template <class Value>
  void read_value(std::optional<Value>& value, const auto& kind) {
    if (!json_.null()) read_value(value.emplace(), kind);
  }
  void read_value(std::vector<std::string>& list, const settings::Text& kind) {
    read_elements(list, [&](std::string& one) { read_value(one, kind); });
  }
  template <std::unsigned_integral Number>
  void read_value(std::vector<Number>& list, const settings::Whole& kind) {
    read_elements(list, [&](Number& one) { read_value(one, kind); });
  }
  void read_value(std::map<std::string, std::string>& map, const settings::Text& kind) {
    read_map(map, kind);
  }
  template <class Value>
  void read_value(std::optional<Value>& value) {
    if (!json_.null()) read_value(value.emplace());
  }
  template <class Element>
  void read_value(std::vector<Element>& list) {
    read_elements(list, [&](Element& one) {
      read_value(one);
      require_fitting(json_, list);
    });
  }
  template <class Described>
  void read_value(Described& value) {
    DescribedReader(json_, names_)
        .read([&](DescribedReader& inner) { describe(inner, value); },
              [&] { require_fitting(json_, value); });
  }

  void read_elements(auto& list, const auto& read_one) {
    json_.array([&](std::size_t) { read_one(list.emplace_back()); });
  }
  // Reads an object whose names are data.
  void read_map(auto& map, const auto& kind) {
    json_.object([&](std::string_view key) {
      require_name_of_map(key, map.size());
      const auto [entry, is_new] = map.try_emplace(std::string(key));
      if (!is_new) json_.refuse("one such field", "a second one");
      read_value(entry->second, kind);
    });
  }
  void require_name_of_map(std::string_view key, std::size_t names) const;
  // Returns a word and its index in kind.words.
  std::pair<std::string, std::size_t> read_word(const settings::Text& kind);

  JsonReader& json_;
  PointNames* names_;
  Pass pass_ = Pass::read;
  std::string_view key_;
  bool key_known_ = false;
  bool requires_ = true;   // fields are required: see where()
  std::size_t index_ = 0;  // of the next field in the description
  std::bitset<64> seen_;
  std::vector<std::pair<std::size_t, double>> repeated_;  // by the index of their field
  std::vector<std::pair<const char*, double>> percentiles_;
  std::vector<double> column_;
  std::vector<std::string> order_;
};

template <class Described>
void read_described(JsonReader& json, Described& value, PointNames* names = nullptr) {
  DescribedReader(json, names)
      .read([&](DescribedReader& reader) { describe(reader, value); }, [] {});
}

}  // namespace drover::report
