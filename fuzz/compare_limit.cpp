// Limits of `drover compare`, and the names of metrics in them: what is read is written as the
// same, and what is not is refused with a message for people.
#include <cmath>

#include "fuzz.h"
#include "report/compare/metric.h"

using namespace drover;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  try {
    const report::Limit limit = report::Limit::parse(text);
    fuzz::require(std::isfinite(limit.bound), "the bound is a number", text);
    using Kind = report::Limit::Kind;
    const bool is_change = limit.kind != Kind::value;
    fuzz::require(!is_change || (limit.above ? limit.bound >= 0 : limit.bound <= 0),
                  "a change goes in the direction of the limit", text);
    fuzz::require(is_change || limit.bound >= 0, "no value is negative", text);
    fuzz::require(!limit.is_beyond(limit.bound), "at the bound is not beyond it", text);
    fuzz::require(report::Metric::parse(limit.metric.name()) == limit.metric,
                  "a metric's name is that metric", limit.metric.name());
    const report::Limit again = report::Limit::parse(limit.text());
    fuzz::require(again.metric == limit.metric && again.above == limit.above &&
                      again.kind == limit.kind && again.bound == limit.bound,
                  "its text is the same limit", limit.text());
    fuzz::require(again.text() == limit.text(), "its text is stable", limit.text());
  } catch (const report::LimitError& error) {
    fuzz::require_message(error.what());
  } catch (const report::MetricError& error) {
    fuzz::require_message(error.what());
  }
  return 0;
}
