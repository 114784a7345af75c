// The parts of the audit, a group of lines each: for audit.cpp and nobody else.
//
// All of them require that something was measured, except audit_data(), which is about the whole
// run.
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace drover::report {

// mix, keying, think, throughput, interval, steady_state
std::vector<Verdict> audit_load(const Result& result);

// inputs.*: what was in the transactions
std::vector<Verdict> audit_inputs(const Result& result);

// latency.*, deferred_delivery, delivery.skipped, errors
std::vector<Verdict> audit_answers(const Result& result);

// run, availability, counts, ambiguous, ledger
std::vector<Verdict> audit_data(const Result& result);

// client.*
std::vector<Verdict> audit_client(const Result& result);

// The share of a thing among others in percent, 0 if there are no others.
double percent_of(std::uint64_t part, std::uint64_t whole);

// With thousands separated: 12,345.
std::string grouped(std::uint64_t number);

}  // namespace drover::report
