// The parts of a summary (report.h) that results of other benchmarks than TPC-C have, and the words that all
// parts are made of: for summary_text.cpp. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/document/result.h"

namespace drover::report {

// Three or four digits that matter, at most seven characters up to 27 hours.
std::string plain_ms(std::uint64_t ns);

// Text of others may hold line breaks and escape sequences: they must not reach a terminal.
std::string printable(std::string_view text);

// A line of the summary, however long: who asks for the summary makes it fit.
void append_wrapped(std::string& out, std::string_view label, std::string_view raw);

// How wide a column of names is that leaves so much to the others. Names beyond it are cut.
std::size_t name_width_of(const std::vector<std::string>& names, std::size_t width_of_others,
                          std::size_t width);

void append_headline_of_others(std::string& out, const Result& result);

// The latency beside the service time; nothing in a closed loop.
void append_service_times(std::string& out, const Result& result, std::size_t width);
void append_statements(std::string& out, const Result& result, std::size_t width);

// What the server was doing: its sessions by wait event, and what statements cost it. Nothing where nobody looked.
void append_server_stats(std::string& out, const Result& result, std::size_t width);

// The hosts that made the load together; nothing where there was one.
void append_load_hosts(std::string& out, const Result& result, std::size_t width);

// What is missing of a run of several hosts, or that this is a part of one; nothing of a run that was alone.
void append_part(std::string& out, const Result& result);

// What was done at each of several hosts; nothing where there was one.
void append_hosts(std::string& out, const Result& result, std::size_t width);

// What was written, and what was read and verified.
void append_accounts(std::string& out, const Result& result);

}  // namespace drover::report
