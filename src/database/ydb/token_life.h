// For how long a token that YDB made is good, as it says itself: a token is a JWT (RFC 7519), whose
// middle part holds "exp" in seconds since 1970. Nothing is verified: that is the server's. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace drover::database::ydb {

// When to log in again: at half of what is left, but not before 10 s and not after 12 h. One hour
// where the token does not say.
std::chrono::seconds renew_token_after(std::string_view token, std::int64_t now_unix_s);

}  // namespace drover::database::ydb
