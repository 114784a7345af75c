// From the words of a command line to the command that is to be done, with its options given.
//
// The words come first, then variables of the environment, then the file of --config (option_sources.h). What
// is wrong is a UsageError in the words of this program: what was wrong, what was probably meant, and which
// help to ask for. It never has the value of an option that is unknown, since it may hold a password.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/option/command.h"

namespace drover::cli {

// A command is missing, and nothing that was written was meant to be one: then the help of `command` is worth
// more than a sentence.
class CommandMissing : public UsageError {
 public:
  CommandMissing(const std::string& message, const Command& command)
      : UsageError(message), command(command) {}
  const Command& command;
};

// The commands that the words name, from the program on, with what the words give to their options. Only with
// --help or --version among them may a command or a word be wrong. Throws UsageError.
std::vector<Command*> read_words(Command& program, const std::vector<std::string>& words);

// Whether a flag of one of them is given: "--help".
bool has_flag(const std::vector<Command*>& path, std::string_view written);

// Throws UsageError if a required option of the command is not given.
void require_complete(const Command& command);

// Throws UsageError if several options, or the file of --config, name the standard input, which can
// be read only once. `config` is the name of that file, or empty.
void require_one_reader_of_standard_input(const Command& command, const std::string& config);

// " (from the variable DROVER_TPCC_RUN_PACE)", if the message is about an option ("--pace 0: …") that a
// variable or a file has given; else nothing.
std::string origin_note(const Command& command, std::string_view message);

// Returns " (with the same --db)" if the message advises a command that uses a database, and the
// command line of `command` names one: the advised command would use another database without it.
// Returns nothing if the message mentions --db already.
std::string same_database_note(const Command& command, std::string_view message);

}  // namespace drover::cli
