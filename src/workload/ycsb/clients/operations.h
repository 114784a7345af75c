// What a terminal does next: an operation of the mix, on a key of the rows that exist, with its fields.
//
//   Operations operations(properties, missing, sequence, turn);  // one a worker
//   OperationSource source(operations, seed, terminal);          // one a terminal
//   const Operation operation = source.next();
//
// Rows that exist are those of the client's part that were there when the run began, in their order, and then those that
// the run has inserted (InsertSequence). How the key is chosen of them:
//
//   uniform           each row of the beginning equally often
//   zipfian           exactly, of all of them; the ranks of the rows of the beginning are scattered over them, and
//                     inserted ones follow as the coldest, so that nothing that is inserted makes another row hot
//   zipfian-original  as YCSB does it: hashed, of the rows of the beginning and twice the inserts that are expected of
//                     operationcount, and anew where that is no row yet
//   latest            zipfian, the newest first
//   hotspot           rows of the beginning, of which the first ones are hot
//   sequential        the rows of the beginning one after the other. The terminals of all workers
//                     share one position. Several hosts divide the rows: each round has one row for
//                     each terminal of all hosts, and a host takes those of its own terminals
//   exponential       the newest first
//
// An operation is a function of properties, seed, terminal, and how many inserts were settled when
// it was drawn: a mix without inserts is the same on every machine. The hot keys do not depend on
// the seed. Only with `sequential` does a row depend on the order in which the terminals draw.
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
#include "workload/ycsb/clients/missing_places.h"
#include "workload/ycsb/properties/properties.h"
#include "workload/ycsb/row_range.h"

namespace drover::ycsb {

enum class OperationType : std::uint8_t { read, update, insert, scan, read_modify_write };
inline constexpr std::size_t operation_type_count = 5;

// As YCSB's reports name them: "READ", "READ-MODIFY-WRITE".
std::string_view operation_name(OperationType type);

struct Operation {
  OperationType type = OperationType::read;
  std::uint64_t key = 0;          // the row's number; of a scan, the first row's
  std::uint32_t scan_length = 0;  // of a scan
  // Which field is read (of a read, a scan and a read-modify-write) and written (of an update and a read-modify-write);
  // all of them where there is none. An insert writes all.
  std::optional<std::uint32_t> read_field = std::nullopt;
  std::optional<std::uint32_t> written_field = std::nullopt;

  friend bool operator==(const Operation&, const Operation&) = default;
};

// A type with the share of its proportion among all.
class Mix {
 public:
  // Requires: a proportion is above 0, as PropertyReader ensures.
  explicit Mix(const Properties& properties);

  [[nodiscard]] double share(OperationType type) const;
  OperationType draw(random::Rng& rng) const;

 private:
  std::array<double, operation_type_count>
      up_to_{};  // the sum of the proportions up to and with each type
};

// Chooses a row that exists.
class KeyChooser {
 public:
  // `missing`: rows of the part that are not there, ascending. Throws PropertyError where there is no row at the
  // beginning. The sequence and the turn must outlive this.
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
  // `missing` is that of KeyChooser. Throws PropertyError if operations need rows and there are
  // none at the beginning. The sequence and the turn, which all workers share, must outlive this
  // object.
  Operations(const Properties& properties, const std::vector<RowRange>& missing,
             InsertSequence& sequence, random::Sequential& turn);

 private:
  friend class OperationSource;

  Operation draw(random::Rng& rng);
  [[nodiscard]] std::uint32_t draw_scan_length(random::Rng& rng) const;
  [[nodiscard]] std::optional<std::uint32_t> draw_field(random::Rng& rng, bool all) const;

  InsertSequence& sequence_;
  Mix mix_;
  std::optional<KeyChooser> keys_;  // nothing where rows are only inserted
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

  // The key of an insert is a number of the InsertSequence: whoever executes it settles it there.
  Operation next() { return operations_->draw(rng_); }

 private:
  Operations* operations_;
  random::Rng rng_;
};

static_assert(sizeof(OperationSource) == 16);  // of each of 150,000 terminals

}  // namespace drover::ycsb
