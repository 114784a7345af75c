// What a described value (settings/field.h) is on another host.
#pragma once

#include "report/document/described_text.h"

namespace drover::test {

template <class Described>
Described over_the_wire(const Described& value) {
  return report::read_text<Described>(report::written_text(value));
}

}  // namespace drover::test
