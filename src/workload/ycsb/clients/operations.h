// The choice of operations: the type by the mix, a key of an existing row, and the fields.
//
//   Operations operations(properties, missing, sequence, turn);  // one per worker
//   OperationSource source(operations, seed, terminal);          // one per client
//   const Operation operation = source.next();
//
// Existing rows are the initial rows, those of the client's part that existed when the run began,
// in their order, followed by the rows that the run has inserted (InsertSequence). Distributions:
//
//   uniform           the initial rows
//   zipfian           exact, over all rows. The ranks of the initial rows are scattered over these
//                     rows; inserted rows follow as the coldest, so that an insert makes no other
//                     row hot
//   zipfian-original  as in YCSB: hashed, over the initial rows and twice the inserts that
//                     operationcount lets expect, and drawn again if the row does not exist yet
//   latest            zipfian, the newest row first
//   hotspot           the initial rows, of which the first ones are hot
//   sequential        the initial rows in their order. The clients of all workers share one
//                     position. Several hosts divide the rows: each round has one row for each
//                     client of all hosts, and a host takes those of its own clients
//   exponential       the newest row first
//
// An operation is a function of properties, seed, client, and the number of inserts that were
// settled when it was drawn. A mix without inserts is the same on every machine. The hot keys do
// not depend on the seed. Only with `sequential` does a row depend on the order in which clients
// draw.
//
// Thread safety: Operations and its sources belong to one worker. All workers share the
// InsertSequence and the turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "random/distributions.h"
#include "random/permutation.h"
#include "random/rng.h"
#include "random/zipfian.h"
#include "workload/ycsb/clients/insert_sequence.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

enum class OperationType : std::uint8_t { read, update, insert, scan, read_modify_write };
inline constexpr std::size_t operation_type_count = 5;

// Returns the name in YCSB's reports: "READ", "READ-MODIFY-WRITE".
std::string_view operation_name(OperationType type);

struct Operation {
  OperationType type = OperationType::read;
  std::uint64_t key = 0;          // the number of the row, or of a scan's first row
  std::uint32_t scan_length = 0;  // of a scan, in rows
  // The field that is read or written. Nothing: all fields, as an insert always writes.
  std::optional<std::uint32_t> read_field = std::nullopt;
  std::optional<std::uint32_t> written_field = std::nullopt;

  bool writes() const noexcept {
    return type != OperationType::read && type != OperationType::scan;
  }
  // Returns the number of fields whose versions an update or read-modify-write increments.
  std::uint64_t fields_updated(const Properties& properties) const noexcept {
    if (!writes() || type == OperationType::insert) return 0;
    return written_field ? 1 : static_cast<std::uint64_t>(properties.field_count);
  }
  friend bool operator==(const Operation&, const Operation&) = default;
};

// The operation types with their shares.
class Mix {
 public:
  // Requires: a proportion is above 0, as PropertyReader ensures.
  explicit Mix(const Properties& properties);

  [[nodiscard]] double share(OperationType type) const;
  OperationType draw(random::Rng& rng) const;

 private:
  // The sum of the proportions up to and including each type.
  std::array<double, operation_type_count> up_to_{};
};

// Chooses existing rows.
class KeyChooser {
 public:
  // `missing`: the rows of the client's part that do not exist, ascending. Throws PropertyError if
  // there is no initial row. The sequence and the turn must outlive this object.
  KeyChooser(const Properties& properties, const std::vector<RowRange>& missing,
             const InsertSequence& sequence, random::Sequential& turn);

  std::uint64_t draw(random::Rng& rng);

 private:
  std::uint64_t draw_index(random::Rng& rng, std::uint64_t rows);
  std::uint64_t draw_rank(random::Rng& rng, std::uint64_t rows);
  std::uint64_t draw_original(random::Rng& rng, std::uint64_t rows) const;

  const InsertSequence& sequence_;
  random::Sequential& turn_;
  RequestDistribution distribution_;
  std::uint64_t first_;
  MissingPlaces missing_;  // from first_ on
  std::uint64_t initial_rows_;
  random::Zipfian zipfian_;
  random::Permutation permutation_;
  random::ScrambledOriginalZipfian original_;
  random::Hotspot hotspot_;
  random::Exponential exponential_;
};

class Operations {
 public:
  // `missing` is that of KeyChooser. Throws PropertyError if operations need rows and there is no
  // initial row. The sequence and the turn must outlive this object.
  Operations(const Properties& properties, const std::vector<RowRange>& missing,
             InsertSequence& sequence, random::Sequential& turn);

 private:
  friend class OperationSource;

  Operation draw(random::Rng& rng);
  [[nodiscard]] std::uint32_t draw_scan_length(random::Rng& rng) const;
  [[nodiscard]] std::optional<std::uint32_t> draw_field(random::Rng& rng, bool all) const;

  InsertSequence& sequence_;
  Mix mix_;
  std::optional<KeyChooser> keys_;  // nothing if the mix only inserts
  std::uint32_t field_count_;
  bool read_all_fields_;
  bool write_all_fields_;
  std::uint32_t scan_length_min_;
  std::uint32_t scan_length_max_;
  std::optional<random::Zipfian> scan_lengths_;  // nothing: uniform
};

class OperationSource {
 public:
  // `operations` must outlive this object.
  OperationSource(Operations& operations, std::uint64_t seed, std::uint32_t terminal);

  // The key of an insert is a number of the InsertSequence, which the caller settles.
  Operation next() { return operations_->draw(rng_); }

 private:
  Operations* operations_;
  random::Rng rng_;
};

static_assert(sizeof(OperationSource) == 16);  // 150,000 clients have one each

}  // namespace drover::ycsb
