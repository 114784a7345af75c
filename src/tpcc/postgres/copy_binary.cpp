#include "tpcc/postgres/copy_binary.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace drover::tpcc::postgres {

CopyBuffer::CopyBuffer(CopyBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

CopyBuffer& CopyBuffer::operator=(CopyBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

CopyBuffer::~CopyBuffer() {
  std::free(data_);
}

void CopyBuffer::grow(size_t bytes) {
  const size_t capacity = std::max({size_ + bytes, capacity_ * 2, size_t{4096}});
  void* grown = std::realloc(data_, capacity);
  if (grown == nullptr) throw std::bad_alloc();
  data_ = static_cast<char*>(grown);
  capacity_ = capacity;
}

namespace {

template <typename Write>
CopyField make_field(Write write) {
  CopyBuffer buffer;
  {
    CopyBinaryWriter writer(buffer);
    writer.begin_row(1, numeric_field_size_max);
    write(writer);
  }
  CopyField field;
  const std::string_view bytes = buffer.view().substr(2);  // behind the count of the row's fields
  assert(bytes.size() <= field.bytes.size());
  std::copy(bytes.begin(), bytes.end(), field.bytes.begin());
  field.size = static_cast<uint32_t>(bytes.size());
  return field;
}

}  // namespace

CopyField make_numeric_field(int64_t unscaled, int scale) {
  return make_field([=](CopyBinaryWriter& writer) { writer.numeric(unscaled, scale); });
}

CopyField make_timestamp_field(int64_t us_since_2000) {
  return make_field([=](CopyBinaryWriter& writer) { writer.timestamp(us_since_2000); });
}

CopyField make_null_field() {
  return make_field([](CopyBinaryWriter& writer) { writer.null(); });
}

}  // namespace drover::tpcc::postgres
