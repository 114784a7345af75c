#include "workload/ycsb/clients/operations.h"

#include <fmt/format.h>

#include <numeric>

namespace drover::ycsb {
namespace {

using random::Rng;

constexpr std::uint64_t operations_purpose = 1;

// The number of draws of zipfian-original before it takes the remainder of a division. If
// operationcount is far above the number of rows, nearly all draws are rows that do not exist yet.
constexpr int original_tries_max = 100;

constexpr std::size_t number_of(OperationType type) {
  return static_cast<std::size_t>(type);
}

MissingPlaces places_of(const std::vector<RowRange>& missing, std::uint64_t first) {
  MissingPlaces places;
  for (const RowRange& range : missing) places.add(range.begin - first, range.end - first);
  return places;
}

std::uint64_t initial_rows_of(const Properties& properties, std::uint64_t missing) {
  const auto rows = static_cast<std::uint64_t>(properties.insert_count);
  if (rows > missing) return rows - missing;
  if (const auto why = properties.why_no_rows()) throw PropertyError(*why);
  throw PropertyError(
      fmt::format("the table {} has no rows from number {} (insertstart) on. Load rows with "
                  "'drover ycsb load', or change insertstart",
                  properties.table, properties.insert_start));
}

// Returns the number of rows that YCSB draws from. YCSB counts the upper bound as a row.
std::uint64_t original_items(const Properties& properties, std::uint64_t initial_rows) {
  const double inserts = static_cast<double>(properties.operation_count) *
                         (properties.insert_proportion / properties.proportions());
  return initial_rows + static_cast<std::uint64_t>(inserts * 2) + 1;
}

}  // namespace

std::string_view operation_name(OperationType type) {
  constexpr std::array<std::string_view, operation_type_count> names = {
      "READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"};
  return names[number_of(type)];
}

Mix::Mix(const Properties& properties)
    : up_to_{properties.read_proportion, properties.update_proportion, properties.insert_proportion,
             properties.scan_proportion, properties.read_modify_write_proportion} {
  std::partial_sum(up_to_.begin(), up_to_.end(), up_to_.begin());
}

double Mix::share(OperationType type) const {
  const std::size_t number = number_of(type);
  return (up_to_[number] - (number == 0 ? 0 : up_to_[number - 1])) / up_to_.back();
}

OperationType Mix::draw(Rng& rng) const {
  // In (0, sum], so that no type without a share is drawn.
  const double at = rng.unit() * up_to_.back();
  std::size_t number = 0;
  while (up_to_[number] < at) ++number;
  return static_cast<OperationType>(number);
}

KeyChooser::KeyChooser(const Properties& properties, const std::vector<RowRange>& missing,
                       const InsertSequence& sequence, random::Sequential& turn)
    : sequence_(sequence),
      turn_(turn),
      distribution_(properties.request_distribution),
      first_(static_cast<std::uint64_t>(properties.insert_start)),
      missing_(places_of(missing, first_)),
      initial_rows_(initial_rows_of(properties, missing_.count())),
      zipfian_(initial_rows_, properties.zipfian_skew),
      permutation_(initial_rows_),
      original_(original_items(properties, initial_rows_)),
      hotspot_(properties.hotspot_data_fraction, properties.hotspot_operation_fraction),
      exponential_(properties.exponential_percentile, properties.exponential_fraction) {}

std::uint64_t KeyChooser::draw(Rng& rng) {
  const std::uint64_t index = draw_index(rng, initial_rows_ + sequence_.existing());
  return index < initial_rows_ ? first_ + missing_.place_of(index)
                               : sequence_.number(index - initial_rows_);
}

// Returns the index of a row. `rows` is the number of rows at the beginning plus the inserted ones.
std::uint64_t KeyChooser::draw_index(Rng& rng, std::uint64_t rows) {
  switch (distribution_) {
    case RequestDistribution::uniform:
      break;
    case RequestDistribution::zipfian: {
      const std::uint64_t rank = draw_rank(rng, rows);
      return rank < initial_rows_ ? permutation_(rank) : rank;
    }
    case RequestDistribution::zipfian_original:
      return draw_original(rng, rows);
    case RequestDistribution::latest:
      return rows - 1 - draw_rank(rng, rows);
    case RequestDistribution::hotspot:
      return hotspot_.draw(rng, initial_rows_);
    case RequestDistribution::sequential:
      return turn_.draw(initial_rows_);
    case RequestDistribution::exponential:
      return rows - 1 - exponential_.draw(rng, rows);
  }
  return rng.below(initial_rows_);
}

std::uint64_t KeyChooser::draw_rank(Rng& rng, std::uint64_t rows) {
  if (rows != zipfian_.items()) zipfian_.resize(rows);
  return zipfian_.draw(rng);
}

std::uint64_t KeyChooser::draw_original(Rng& rng, std::uint64_t rows) const {
  std::uint64_t index = original_.draw(rng);
  for (int tries = 1; index >= rows && tries < original_tries_max; ++tries) {
    index = original_.draw(rng);
  }
  return index % rows;
}

Operations::Operations(const Properties& properties, const std::vector<RowRange>& missing,
                       InsertSequence& sequence, random::Sequential& turn)
    : sequence_(sequence),
      mix_(properties),
      field_count_(static_cast<std::uint32_t>(properties.field_count)),
      read_all_fields_(properties.read_all_fields),
      write_all_fields_(properties.write_all_fields),
      scan_length_min_(static_cast<std::uint32_t>(properties.scan_length_min)),
      scan_length_max_(static_cast<std::uint32_t>(properties.scan_length_max)) {
  if (mix_.share(OperationType::insert) < 1) keys_.emplace(properties, missing, sequence, turn);
  if (properties.scan_length_distribution == ScanLengthDistribution::zipfian) {
    scan_lengths_.emplace(scan_length_max_ - scan_length_min_ + 1, properties.zipfian_skew);
  }
}

Operation Operations::draw(Rng& rng) {
  Operation operation = {.type = mix_.draw(rng)};
  if (operation.type == OperationType::insert) {
    operation.key = sequence_.next();
    return operation;
  }
  operation.key = keys_->draw(rng);
  if (operation.type == OperationType::scan) operation.scan_length = draw_scan_length(rng);
  if (operation.type != OperationType::update) {
    operation.read_field = draw_field(rng, read_all_fields_);
  }
  if (operation.writes()) operation.written_field = draw_field(rng, write_all_fields_);
  return operation;
}

std::uint32_t Operations::draw_scan_length(Rng& rng) const {
  if (scan_lengths_) return scan_length_min_ + static_cast<std::uint32_t>(scan_lengths_->draw(rng));
  return static_cast<std::uint32_t>(rng.uniform64(scan_length_min_, scan_length_max_));
}

std::optional<std::uint32_t> Operations::draw_field(Rng& rng, bool all) const {
  if (all) return std::nullopt;
  return static_cast<std::uint32_t>(rng.below(field_count_));
}

OperationSource::OperationSource(Operations& operations, std::uint64_t seed, std::uint32_t terminal)
    : operations_(&operations), rng_(Rng::stream(seed, operations_purpose, {terminal})) {}

}  // namespace drover::ycsb
