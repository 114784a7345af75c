#include "cli/help/help.h"

#include <fmt/format.h>

#include "cli/option/option_sources.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

using Row = std::pair<std::string_view, std::string_view>;

constexpr std::array<Row, 5> exit_codes = {{
    {"0", "Success. For check: all conditions hold."},
    {"1", "Failure, or a condition or limit does not hold."},
    {"2", "Wrong command line, variable or --config file. Nothing was done."},
    {"3", "For pg status only: the server is not running."},
    {"130", "Interrupted by Ctrl-C or SIGTERM, after an orderly end."},
}};

// Returns text that roff prints unchanged.
std::string escaped(std::string_view text) {
  const std::string whole = text::replaced(std::string(text), "\\", "\\e");
  // "\\-" is the ASCII hyphen, so that examples can be copied.
  return text::replaced(text::replaced(whole, "-", "\\-"), "…", "...");
}

// Returns a line of escaped text for roff. roff would take a dot or an apostrophe at its beginning
// for a request.
std::string line_of_escaped(std::string_view text) {
  const bool is_request = text.starts_with('.') || text.starts_with('\'');
  return fmt::format("{}{}\n", is_request ? "\\&" : "", text);
}

std::string line_of(std::string_view text) {
  return line_of_escaped(escaped(text));
}

// Returns the escaped text, wrapped after escaping: mandoc warns about source lines of more than 80
// bytes.
std::string running_text(std::string_view text) {
  std::string lines;
  for (const std::string& line : text::wrapped_lines(escaped(text), 78)) {
    lines += line_of_escaped(line);
  }
  return lines;
}

// Returns one argument of a macro.
std::string argument(std::string_view text) {
  return "\"" + text::replaced(escaped(text), "\"", "\\(dq") + "\"";
}

std::string tagged(std::string_view tag, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}", argument(tag), running_text(text));
}

// Returns paragraphs of running text. Lines that begin with a space are not wrapped.
std::string paragraphs(std::string_view text) {
  std::string page;
  std::string paragraph;
  bool is_literal = false;
  const auto end_paragraph = [&] {
    if (paragraph.empty()) return;
    page += ".PP\n" + running_text(paragraph);
    paragraph.clear();
  };
  const auto set_literal = [&](bool wanted) {
    if (std::exchange(is_literal, wanted) == wanted) return;
    page += wanted ? ".PP\n.nf\n" : ".fi\n";
  };
  for (const std::string& line : text::parts(text, '\n')) {
    if (line.starts_with(' ')) {
      end_paragraph();
      set_literal(true);
      page += line_of(line);
    } else {
      set_literal(false);
      paragraph += fmt::format("{} ", line);
      if (line.empty()) paragraph.pop_back();
      if (line.empty() || line.ends_with(':')) end_paragraph();
    }
  }
  set_literal(false);
  end_paragraph();
  return page;
}

std::string manual_remarks(const Option& option) {
  std::string text;
  if (option.required) text += " Required.";
  if (option.range) text += fmt::format(" From {}.", option.range_text());
  if (option.is_list()) {
    text += option.delimiter == ',' ? " Comma-separated." : " May be repeated.";
  }
  if (!option.default_text.empty()) text += fmt::format(" Default: {}.", option.default_text);
  return text;
}

std::string option_entry(const Option& option) {
  std::string tag = ".TP\n.BR";
  for (const std::string& name : option.names) {
    tag += fmt::format(" {}{}", argument(name), name == option.names.back() ? "" : " \", \"");
  }
  if (!option.is_argument() && !option.value.empty()) {
    tag += fmt::format(" \" \" {}", argument(option.value));
  }
  const std::string& description = option.description;
  const bool is_sentence = description.ends_with('.');
  return tag + "\n" + running_text(description + (is_sentence ? "" : ".") + manual_remarks(option));
}

std::string command_section(const Command& command) {
  std::string page = fmt::format(".SS {}\n", argument(command.full_name()));
  page += paragraphs(command.description);
  for (const Option& one : command.arguments) page += option_entry(one);
  for (const OptionGroup& group : option_groups(command)) {
    if (group.heading == general_group) continue;
    page += fmt::format(".PP\n.I {}\n", argument(group.heading));
    for (const Option* option : group.options) page += option_entry(*option);
  }
  return page + paragraphs(command.footer);
}

// Removes empty paragraphs after headings, about which mandoc warns.
std::string without_empty_paragraphs(std::string_view page) {
  std::string kept;
  bool is_after_heading = false;
  while (!page.empty()) {
    const std::size_t end = page.find('\n') + 1;
    const std::string_view line = page.substr(0, end);
    page = page.substr(end);
    if (!is_after_heading || line != ".PP\n") kept += line;
    is_after_heading = line.starts_with(".SH ") || line.starts_with(".SS ");
  }
  return kept;
}

// Returns the footer without the exit codes, which have their own section.
std::string_view examples_of(const Command& program) {
  const std::string_view footer = program.footer;
  return footer.substr(0, footer.find("\n\nExit codes:"));
}

std::string synopsis(const Command& program) {
  std::string page = ".SH SYNOPSIS\n";
  for (const Command* command : all_commands(program)) {
    if (!command->commands.empty()) continue;
    page += fmt::format(".B {}\n", argument(command->full_name()));
    std::string rest = "[options]";
    for (const Option& one : command->arguments) {
      const std::string name = one.name() + (one.is_list() ? " ..." : "");
      rest += one.required ? " " + name : " [" + name + "]";
    }
    page += line_of(rest) + ".br\n";
  }
  page.resize(page.size() - std::string_view(".br\n").size());
  return page;
}

std::string environment(const Command& program) {
  std::string page = ".SH ENVIRONMENT\n";
  page += running_text(
      "A variable can set each option. Its name consists of the command and the option in "
      "capitals, "
      "with _ between words: DROVER_TPCC_RUN_DURATION=90s sets --duration 90s of drover tpcc run. "
      "A "
      "shorter name, such as DROVER_TPCC_SCHEMA or DROVER_SEED, sets the option in all commands of "
      "the group or of the program that have it. The command line overrides variables, a longer "
      "name overrides a shorter one, and variables override the file of --config. Flags take true, "
      "false, 1 or 0. Options that may be repeated take values separated by semicolons. An empty "
      "variable counts as not set. --no-environment ignores these variables.");
  page += tagged("DROVER_DB",
                 "Value of --db for every command that has this option: a libpq URI or connection "
                 "string, or the URI of a YDB database.");
  for (const auto& [name, meaning] : known_variables) page += tagged(name, meaning);
  page +=
      tagged("TERM, NO_COLOR",
             "TERM: the type of the terminal, for the live screen. NO_COLOR: if set, no colours.");
  page += tagged("COLUMNS", "Width of the help if the standard output is not a terminal.");
  page += tagged("PGHOST, PGUSER, PGPASSWORD and other variables of libpq",
                 "Connection settings that --db does not contain. libpq also reads ~/.pgpass and "
                 "the service file.");
  page += ".PP\n" + running_text("Variables that set options, by command:");
  for (const Command* command : all_commands(program)) {
    std::string names;
    for (const Option& option : command->options) {
      if (option.key().empty() || !option.variable.empty()) continue;
      names += variable_of(*command, option) + " ";
    }
    if (!names.empty()) page += tagged(command->full_name(), names);
  }
  return page;
}

}  // namespace

std::string man_page(const Command& program, std::string_view version, std::string_view date) {
  std::string page = ".\\\" Made by 'drover man'.\n";
  page += fmt::format(".TH DROVER 1 \"{}\" {} {}\n.nh\n.ad l\n", date, argument(version),
                      argument("User commands"));
  page += ".SH NAME\ndrover \\- a load generator for SQL databases\n";
  page += synopsis(program);
  page += ".SH DESCRIPTION\n" +
          running_text(
              "Drover generates load on SQL databases: PostgreSQL, databases with PostgreSQL's "
              "protocol, and YDB. It runs TPC-C, YCSB and scripts in pgbench's language, measures "
              "throughput, latency and outages, and checks the data afterwards. Without --db, "
              "commands use a private PostgreSQL server, which Drover starts and stops.");
  page += ".SH COMMANDS\n";
  for (const Command& command : program.commands) {
    for (const Command* one : all_commands(command)) page += command_section(*one);
  }
  page += ".SH OPTIONS OF EVERY COMMAND\n";
  for (const Option& option : program.options) page += option_entry(option);
  page += environment(program);
  page += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes) page += tagged(code, meaning);
  page += ".SH EXAMPLES\n" + paragraphs(examples_of(program));
  page += ".SH SEE ALSO\n.BR psql (1),\n.BR postgres (1)\n";
  return without_empty_paragraphs(page);
}

}  // namespace drover::cli
