// Whether an answer of the server is the answer to what it was asked: by the tag that ends it
// ("COMMIT", "INSERT 0 1"). A COMMIT that is answered ROLLBACK has not committed. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace drover::database::postgres {

// The word with which the tag of the answer must begin; empty where nothing is asked of it. The
// statement is written as all of ours are: in capitals, its first word first.
std::string_view expected_tag(std::string_view sql) noexcept;

bool is_tag_of(std::string_view tag, std::string_view expected) noexcept;

// For people: what came, what was expected, and what that means.
std::string wrong_tag(std::string_view tag, std::string_view expected);

// Whether a transaction is open after an answer with this tag, where it was `open` before.
bool open_after(std::string_view tag, bool open) noexcept;

}  // namespace drover::database::postgres
