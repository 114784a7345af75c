// docs/result.schema.json is what the description of a result makes, by the visitor below.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "report/document/result_fields.h"

namespace drover::report {
namespace {

using json = nlohmann::ordered_json;
using settings::Amount;
using settings::Flag;
using settings::Real;
using settings::Text;
using settings::Whole;

json reference(std::string_view definition) {
  return {{"$ref", fmt::format("#/$defs/{}", definition)}};
}

json or_null(json schema) {
  return {{"anyOf", {std::move(schema), {{"type", "null"}}}}};
}

// With what is said of it in front, or behind a reference.
json described(std::string_view says, json schema) {
  if (says.empty()) return schema;
  if (schema.contains("$ref")) {
    schema["description"] = says;
    return schema;
  }
  json with = {{"description", says}};
  with.update(schema);
  return with;
}

json words_of(std::string_view words) {
  json list = json::array();
  settings::for_each_word(words, [&](std::string_view word) { list.push_back(word); });
  return list;
}

constexpr std::string_view figures_says = "A histogram and the figures computed from it.";
constexpr std::string_view percentiles_says =
    "Percentiles by nearest rank, in milliseconds; 0 if nothing was measured.";
constexpr const char* histogram_definition = R"json({
  "description": "A histogram of values. Bucket i < 128 contains the value i. For i >= 128, with s = floor(i / 64) - 1, the bucket begins at (i - 64 s) * 2^s and is 2^s wide.",
  "type": "object",
  "required": ["unit", "sub_buckets_per_octave", "count", "sum", "min", "max", "overflow", "buckets"],
  "properties": {
    "unit": {"description": "Nanoseconds.", "const": "ns"},
    "sub_buckets_per_octave": {"description": "Number of buckets per octave.", "const": 64},
    "count": {"$ref": "#/$defs/count", "description": "Number of values, with those of overflow: the sum of all counts."},
    "sum": {"$ref": "#/$defs/unsigned", "description": "Sum of all values in nanoseconds, exact."},
    "min": {"$ref": "#/$defs/unsigned", "description": "Smallest value in nanoseconds, exact; 0 without values."},
    "max": {"$ref": "#/$defs/unsigned", "description": "Largest value in nanoseconds, exact; 0 without values."},
    "overflow": {"$ref": "#/$defs/count", "description": "Number of values of 2^42 ns (73 minutes) or more, which have no bucket."},
    "buckets": {
      "description": "Pairs of bucket index and count in ascending order, without empty buckets.",
      "type": "array",
      "maxItems": 2368,
      "items": {
        "type": "array",
        "prefixItems": [
          {"description": "Index of the bucket.", "type": "integer", "minimum": 0, "maximum": 2367},
          {"description": "Number of values in the bucket.", "type": "integer", "minimum": 1, "maximum": 72057594037927936}
        ],
        "items": false,
        "minItems": 2
      }
    }
  }
})json";

constexpr const char* where_any = "Only if there is any.";

using Definitions = std::map<std::string, json, std::less<>>;

class SchemaOfObject {
 public:
  explicit SchemaOfObject(Definitions& definitions) : definitions_(definitions) {}

  void definition(std::string_view says, std::string_view name = {}) {
    definition_ = name;
    says_ = says;
  }
  template <class Value, class Kind>
    requires std::is_class_v<Kind>
  void field(const char* name, const Value&, const Kind& kind, std::string_view says,
             Need need = {}) {
    add(name, says, need, schema_of(static_cast<Value*>(nullptr), kind));
  }
  template <class Value>
  void field(const char* name, const Value& value, std::string_view says, Need need = {}) {
    add(name, says, need, schema_of(value));
  }
  void within(const char* name, std::string_view says, Need need, const auto& describe_fields) {
    SchemaOfObject inner(definitions_);
    describe_fields(inner);
    if (!inner.of_tpcc_.empty()) of_tpcc_["properties"][name] = inner.of_tpcc_;
    add(name, says, need, inner.take());
  }
  // The example that is described is one of tpcc.
  void where(bool is_of_tpcc, const auto& describe_fields) {
    SchemaOfObject inner(definitions_);
    describe_fields(inner);
    for (const auto& [name, schema] : inner.properties_.items()) {
      properties_[name] = schema;
      comment(name,
              is_of_tpcc ? "Only in documents of tpcc." : "Only in documents of ycsb and sql.");
    }
    if (is_of_tpcc) of_tpcc_["required"] = inner.required_;
  }
  template <class Value>
  void list_if_any(const char* name, const std::vector<Value>& list, std::string_view says) {
    field(name, list, says, Need::added);
    comment(name, where_any);
  }
  void order_of(const char* name, const auto&, std::string_view says) {
    add(name, says, Need::added, {{"type", "array"}, {"items", schema_of(settings::name)}});
  }
  template <class Value>
  void repeats(const char* name, const Value& value, const auto& kind, std::string_view says,
               Need need = {}) {
    add(name, says, need, schema_of(static_cast<std::invoke_result_t<Value>*>(nullptr), kind));
    static_cast<void>(value);
  }
  void follows(const char* name, const auto& value, const auto& kind, std::string_view says,
               Need need = {}) {
    repeats(name, value, kind, says, need);
  }
  void version(const char* name, int version, std::string_view says) {
    add(name, says, Need::required, {{"const", version}});
  }
  template <class Value>
  void if_known(const char* name, const std::optional<Value>&, const auto& kind,
                std::string_view says) {
    add(name, says, Need::added, schema_of(static_cast<Value*>(nullptr), kind));
    comment(name, where_any);
  }
  void column(const char* name, const auto&, auto, const Real& kind, std::string_view says) {
    add(name, says, Need::required, {{"type", "array"}, {"items", schema_of(kind)}});
  }
  void counts(const char* name, const auto&, const Text& names, std::string_view says,
              std::string_view says_of_one = "Attempts.") {
    json schema = {{"type", "object"},
                   {"additionalProperties", described(says_of_one, schema_of(settings::count))}};
    if (names.words.empty()) {
      schema["propertyNames"] = {{"maxLength", names.bytes_max}};
    } else {
      schema["propertyNames"] = {{"enum", words_of(names.words)}};
    }
    add(name, says, Need::required, std::move(schema));
  }
  void counts_by_transaction(const char* name, const auto&, std::string_view says) {
    add(name, says, Need::required,
        {{"type", "object"},
         {"additionalProperties", described("Commits.", schema_of(settings::count))}});
  }
  template <class Value>
  void by_name(const char* name, const std::vector<Value>&, std::string_view says) {
    add(name, says, Need::required,
        {{"type", "object"},
         {"minProperties", 1},
         {"maxProperties", 128},
         {"propertyNames", {{"minLength", 1}, {"maxLength", settings::name.bytes_max}}},
         {"additionalProperties", schema_of(Value())}});
  }
  void figures(const char* name, const measure::HistogramSnapshot&, std::string_view says,
               Need need = {}) {
    add(name, says, need, figures_schema());
  }
  void figures_or_null(const char* name, const measure::HistogramSnapshot&, std::string_view says,
                       Need need = {}) {
    add(name, says, need, or_null(figures_schema()));
  }
  void figures_if_any(const char* name, const measure::HistogramSnapshot&, std::string_view says) {
    add(name, says, Need::added, figures_schema());
    comment(name, where_any);
  }
  void percentiles(const measure::HistogramSnapshot&, std::string_view says) {
    SchemaOfObject inner(definitions_);
    for (const auto& [name, percent] : percentiles_written) {
      inner.field(name, percent, settings::milliseconds,
                  fmt::format("Milliseconds that {:g}% of the values do not exceed.", percent));
    }
    definitions_["percentiles"] = described(percentiles_says, inner.take());
    add("percentiles", says, Need::required, reference("percentiles"));
  }
  void buckets(const char* name, const measure::HistogramSnapshot&, std::string_view says) {
    definitions_["histogram"] = json::parse(histogram_definition);
    schema_of(settings::any_whole);
    add(name, says, Need::required, reference("histogram"));
  }
  void buckets_if_any(const char* name, const measure::SparseHistogram&, std::string_view says) {
    definitions_["histogram"] = json::parse(histogram_definition);
    add(name, says, Need::added, reference("histogram"));
    comment(name, where_any);
  }

  // A schema of what a document of tpcc has to have besides.
  const json& of_tpcc() const { return of_tpcc_; }

  json take() {
    return {{"type", "object"},
            {"required", std::move(required_)},
            {"properties", std::move(properties_)}};
  }

 private:
  void add(const std::string& name, std::string_view says, Need need, json schema) {
    if (need != Need::added) required_.push_back(name);
    properties_[name] = described(says, std::move(schema));
  }

  // Who tells of fields that not every document has finds them by it.
  void comment(const std::string& name, const char* text) { properties_[name]["$comment"] = text; }

  json defined(std::string_view definition, json schema) {
    if (definition.empty()) return schema;
    definitions_.emplace(definition, std::move(schema));
    return reference(definition);
  }

  json schema_of(const Whole& kind) {
    return defined(kind.definition, {{"type", "integer"}, {"minimum", 0}, {"maximum", kind.most}});
  }
  json schema_of(const Amount& kind) {
    return defined(kind.definition,
                   {{"type", "integer"}, {"minimum", kind.least}, {"maximum", kind.most}});
  }
  json schema_of(const Real& kind) {
    return defined(kind.definition,
                   {{"type", "number"}, {"minimum", kind.least}, {"maximum", kind.most}});
  }
  json schema_of(const Flag&) { return {{"type", "boolean"}}; }
  json schema_of(const Text& kind) {
    if (!kind.words.empty()) return {{"enum", words_of(kind.words)}};
    return {{"type", "string"}, {"maxLength", kind.bytes_max}};
  }

  // The pointers only name a type.
  template <class Value>
  json schema_of(const Value*, const auto& kind) {
    return schema_of(kind);
  }
  template <class Value>
  json schema_of(const std::optional<Value>*, const auto& kind) {
    json schema = schema_of(kind);
    if (!schema.contains("type") || schema["type"] == "number") return or_null(std::move(schema));
    schema["type"] = {schema["type"], "null"};
    return schema;
  }
  json schema_of(const std::map<std::string, std::string>*, const auto& kind) {
    return {{"type", "object"}, {"additionalProperties", schema_of(kind)}};
  }
  json schema_of(const std::vector<std::string>*, const Text& kind) {
    return defined("lower_bounds", {{"description", "Names of percentiles."},
                                    {"type", "array"},
                                    {"items", described("A percentile.", schema_of(kind))}});
  }
  json schema_of(const std::vector<std::uint64_t>*, const Whole& kind) {
    return {{"type", "array"}, {"items", schema_of(kind)}};
  }

  template <class Described>
  json schema_of(const Described& value) {
    SchemaOfObject inner(definitions_);
    describe(inner, value);
    return defined(inner.definition_, described(inner.says_, inner.take()));
  }
  template <class Value>
  json schema_of(const std::optional<Value>&) {
    return or_null(schema_of(Value()));
  }
  template <class Value>
  json schema_of(const std::vector<Value>&) {
    return {{"type", "array"}, {"items", schema_of(Value())}};
  }

  json figures_schema() {
    SchemaOfObject inner(definitions_);
    const measure::HistogramSnapshot none;
    describe_figures(inner, {}, none);
    return defined("figures", described(figures_says, inner.take()));
  }

  Definitions& definitions_;
  std::string_view definition_;
  std::string_view says_;
  json required_ = json::array();
  json properties_ = json::object();
  json of_tpcc_ = json::object();
};

json result_schema() {
  Definitions definitions;
  SchemaOfObject result(definitions);
  const Result example;
  describe(result, example);
  json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"$id", "https://drover.invalid/result.schema.json"},
      {"title", "The result of a run of drover (--json)"},
      {"description",
       "Schema version 1. New fields can appear without a new version, so a reader should ignore "
       "unknown fields. Fields that are not required were added to this version later and are "
       "absent from older documents. docs/result-format.md explains each field."}};
  const json of_tpcc = result.of_tpcc();
  schema.update(result.take());
  schema["if"] = {
      {"properties", {{"plan", {{"properties", {{"benchmark", {{"const", "tpcc"}}}}}}}}}};
  schema["then"] = of_tpcc;
  schema["$defs"] = definitions;
  return schema;
}

// On one line what fits there, for people who open the file.
std::string laid_out(const json& value, const std::string& indent, std::size_t taken) {
  const std::string inner = indent + "  ";
  std::string one_line;
  std::string lines;
  const auto add = [&](const std::string& key, const json& element) {
    const bool first = lines.empty();
    lines +=
        (first ? "\n" : ",\n") + inner + key + laid_out(element, inner, inner.size() + key.size());
    one_line += (first ? "" : ", ") + key + laid_out(element, "", 0);
  };
  if (value.is_object()) {
    for (const auto& [key, element] : value.items()) add(json(key).dump() + ": ", element);
  } else if (value.is_array()) {
    for (const json& element : value) add("", element);
  } else {
    return value.dump();
  }
  const char* brackets = value.is_object() ? "{}" : "[]";
  const bool fits = taken + one_line.size() <= 100 && one_line.find('\n') == std::string::npos;
  if (fits) return brackets[0] + one_line + brackets[1];
  return brackets[0] + lines + "\n" + indent + brackets[1];
}

TEST(ResultSchema, ThePublishedOneIsThatOfTheDescription) {
  const std::string expected = laid_out(result_schema(), "", 0) + "\n";
  std::ifstream file(DROVER_DOCS "/result.schema.json");
  std::ostringstream published;
  published << file.rdbuf();
  if (published.str() == expected) return;
  const std::string path = testing::TempDir() + "result.schema.json";
  std::ofstream(path) << expected;
  FAIL() << "docs/result.schema.json is not what the description of the result makes; that is in "
         << path << ": copy it";
}

}  // namespace
}  // namespace drover::report
