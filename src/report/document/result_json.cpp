#include "report/document/result_json.h"

#include "report/document/described_json.h"
#include "report/document/result_fields.h"

namespace drover::report {

using nlohmann::json;

void DescribedJson::figures(const char* name, const measure::HistogramSnapshot& histogram,
                            std::string_view /*says*/, Need) {
  DescribedJson inner;
  describe_figures(inner, histogram, {});
  object_[name] = inner.take();
}

void DescribedJson::percentiles(const measure::HistogramSnapshot& histogram,
                                std::string_view /*says*/) {
  json& figures = object_["percentiles"];
  for (const auto& [name, percent] : percentiles_written) {
    figures[name] = static_cast<double>(histogram.percentile_ns(percent)) * 1e-6;
  }
}

static json json_of_buckets(const measure::SparseHistogram& sparse) {
  json buckets = json::array();
  std::uint64_t count = sparse.overflow;
  for (const auto& [index, samples] : sparse.buckets) {
    buckets.push_back({index, samples});
    count += samples;
  }
  return {{"unit", "ns"},
          {"sub_buckets_per_octave", measure::sub_buckets_per_octave},
          {"count", count},
          {"sum", sparse.sum_ns},
          {"min", sparse.min_ns},
          {"max", sparse.max_ns},
          {"overflow", sparse.overflow},
          {"buckets", std::move(buckets)}};
}

void DescribedJson::buckets(const char* name, const measure::HistogramSnapshot& histogram,
                            std::string_view /*says*/) {
  object_[name] = json_of_buckets(histogram.to_sparse());
}

void DescribedJson::buckets_if_any(const char* name, const measure::SparseHistogram& histogram,
                                   std::string_view /*says*/) {
  if (!histogram.buckets.empty() || histogram.overflow > 0)
    object_[name] = json_of_buckets(histogram);
}

namespace {

std::string compact(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void append_text(std::string& text, const json& value, const std::string& indent) {
  const bool has_lines =
      value.is_object() || (value.is_array() && !value.empty() && value.front().is_object());
  if (!has_lines || value.empty()) {
    text += compact(value);
    return;
  }
  const std::string inner = indent + "  ";
  text += value.is_object() ? "{" : "[";
  const char* separator = "\n";
  for (const auto& [key, element] : value.items()) {
    text += separator + inner;
    if (value.is_object()) {
      text += compact(key) + ": ";
      append_text(text, element, inner);
    } else {
      text += compact(element);
    }
    separator = ",\n";
  }
  text += "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string document_text(const json& document) {
  std::string text;
  append_text(text, document, "");
  return text + "\n";
}

json to_json(const Result& result) {
  std::vector<std::string> names;
  for (const TransactionResult& one : result.transactions) names.push_back(one.name);
  DescribedJson document(&names);
  describe(document, result);
  return document.take();
}

void write_result_file(const std::filesystem::path& path, const Result& result) {
  file::write_atomically(result_file(path), document_text(to_json(result)));
}

}  // namespace drover::report
