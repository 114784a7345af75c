// Figures and nouns in sentences. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::report {

// The noun as it stands behind the count: "connection" behind 1, "connections" behind 0 and 2;
// "Deliveries" of "Delivery".
std::string plural(std::uint64_t count, std::string_view noun);

// "1 connection", "12 connections"
std::string counted(std::uint64_t count, std::string_view noun);

// Three digits that matter, without an exponent: 0.0123, 1.5, 12, 2034.
std::string figure_text(double value);

}  // namespace drover::report
