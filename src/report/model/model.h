// The report model: a report as values, which a command builds once and one of three renderers
// shows.
//
//   render_terminal()   text for a terminal: aligned columns, folded lines
//   render_markdown()   Markdown of GitHub's flavour, for a pull request
//   render_page()       one file with charts that opens without a network
//
// The page executes nothing: it has no script, and its policy (Content-Security-Policy) forbids
// everything except its own style sheet. All texts are escaped (html_writer.h).
//
// Plain values and pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "report/model/chart.h"
#include "report/model/html_writer.h"

namespace drover::report {

// A text in the words of each format. A heading, paragraph, item or column whose text is empty in a
// format is left out of it.
//
// `terminal` and `page` may hold any text. `markdown` is Markdown: text from a result goes through
// markdown_name() or markdown_sentence().
struct Wording {
  std::string terminal;
  std::string markdown;
  std::string page;

  Wording() = default;
  Wording(const char* all) : Wording(std::string(all)) {}                           // NOLINT
  Wording(std::string all) : terminal(all), markdown(all), page(std::move(all)) {}  // NOLINT
  Wording(std::string in_terminal, std::string in_documents)
      : terminal(std::move(in_terminal)), markdown(in_documents), page(std::move(in_documents)) {}
  Wording(std::string in_terminal, std::string in_markdown, std::string on_page)
      : terminal(std::move(in_terminal)),
        markdown(std::move(in_markdown)),
        page(std::move(on_page)) {}
};

// A name that a result contains, such as that of a script.
Wording name_wording(const std::string& name);

// A sentence that may contain texts from a result.
Wording sentence_wording(const std::string& sentence);

// The texts of one format only.
inline Wording only_terminal(std::string text) {
  return {std::move(text), "", ""};
}
inline Wording only_markdown(std::string text) {
  return {"", std::move(text), ""};
}
inline Wording only_page(std::string text) {
  return {"", "", std::move(text)};
}

// An element behind the text of a cell, such as {"div.note", "run-01.json"}.
struct CellPart {
  Literal selector;
  std::string text;
};

// A cell of a table, or an item of a list. All but the text is shown on pages only.
struct Cell : Wording {
  using Wording::Wording;
  Cell(Wording text) : Wording(std::move(text)) {}  // NOLINT(google-explicit-constructor)

  std::string style = {};  // classes of the style sheet
  std::string icon = {};   // before the text; hidden from screen readers
  std::string link = {};   // "#result-1": a place in the document
  std::vector<CellPart> parts = {};
};

struct TableColumn {
  Wording title;
  bool is_number = true;
  // In terminals:
  std::size_t width = 0;  // at least; the cells may need more
  std::size_t gap = 1;    // blanks before the column
  bool if_room = false;   // left out where the table is wider than the terminal
};

struct TableRow {
  std::vector<Cell> cells;  // one for each column
  bool in_terminal = true;
  bool in_markdown = true;
  bool on_page = true;
};

// The second part of a wide table, which is shown as a table of its own: always on pages, and in
// terminals that are too narrow for the whole table.
struct TablePart {
  std::size_t first_column = 1;
  std::string caption;  // on pages
};

struct Table {
  Wording caption = {};                   // in terminals there is none
  std::vector<TableColumn> columns = {};  // the first one has the names of the rows
  std::vector<TableRow> rows = {};
  bool last_is_total = false;
  std::vector<TablePart> further_parts = {};
  Wording rest = {};  // a note behind the table: how many rows are left out

  // On pages:
  std::string style = {};
  std::size_t head_column = 0;  // the cell that names its row for screen readers

  // In terminals:
  std::size_t name_width_least = 11;
  std::size_t name_width_most = 40;  // longer names are cut

  void add(std::vector<Cell> cells) { rows.push_back({std::move(cells)}); }
};

// Returns a column of names before columns of numbers, for pages.
std::vector<TableColumn> page_columns(const char* first, std::vector<std::string> numbers);

// Returns a table of two columns, names and values, for pages.
Table pairs_table(std::string caption, std::vector<std::pair<std::string, std::string>> pairs);

struct Heading {
  int level = 2;
  Wording text;
};

struct Paragraph {
  Wording text;
  std::string style = {};
  std::string icon = {};  // on pages: before the text; in Markdown it is part of the text
};

// An empty line in terminals.
struct Gap {};

// A line of a terminal that begins with a label: "  tpmC        119.5".
struct Fact {
  std::string label;
  std::string text;
};

struct Items {
  std::vector<Cell> items;
  bool is_numbered = false;  // in Markdown
  std::string style = {};
};

// A figure in large digits, on pages.
struct Tile {
  std::string name;
  std::string figure;
  std::string extra;
  std::string style;  // of `extra`
  bool is_first = false;
};
struct Tiles {
  std::string title;  // empty: none
  std::vector<Tile> tiles;
};

struct LegendEntry {
  std::string text;
  std::string style;
  bool is_swatch = false;  // a box of the style's colour, else a letter
};
using Legend = std::vector<LegendEntry>;

struct Figure {
  Chart chart;
  std::string style = {};
  bool hides_title = true;  // the heading of the section says the same
  std::vector<Legend> legends = {};
  std::string note = {};     // on pages
  bool in_terminal = false;  // drawn with characters
};

// One switch for each result, which shows and hides its curves. On pages.
struct Switches {
  std::vector<std::string> names;
};

struct Block;
using Blocks = std::vector<Block>;

// On pages: a card. In the other formats: its blocks.
struct Section {
  std::string heading;
  Blocks blocks;
  std::string id = {};
};

// Blocks that the reader opens. In terminals: its blocks.
struct Details {
  Wording summary;
  Blocks blocks;
  std::string heading = {};  // on pages, before the summary
  std::string style = {};
};

// Blocks beside each other on wide pages.
struct SideBySide {
  std::vector<Blocks> parts;
  Literal selector = "div.columns";
};

struct Block {
  std::variant<Heading, Paragraph, Gap, Fact, Items, Table, Tiles, Figure, Switches, Section,
               Details, SideBySide>
      content;

  template <class Content>
    requires(!std::is_same_v<Content, Block>)
  Block(Content of) : content(std::move(of)) {}  // NOLINT(google-explicit-constructor)
};

void append(Blocks& blocks, Blocks more);

// Returns at most `width` columns wide text that ends with a newline. Control characters become
// spaces. Requires: a width of at least 60.
std::string render_terminal(const Blocks& blocks, std::size_t width = 100);

std::string render_markdown(const Blocks& blocks);

struct Link {
  Literal to;  // "#audit"
  std::string text;
};
struct Page {
  std::string title;  // of the window
  Blocks header = {};
  std::vector<Link> links = {};
  Blocks content = {};
  Blocks footer = {};
  Literal style = "";  // added to the style sheet
};
std::string render_page(const Page& page);

// Number of colours for results (classes r0 to r7). NewOrder to Deferred (t0 to t5) and results are
// told apart by people with any of the common kinds of colour blindness; percentiles (p50, p90,
// p99) are one hue of three lightnesses. No colour is the only bearer of a meaning: judgements have
// words, curves have keys, and from the ninth result on curves have dashes.
inline constexpr std::size_t result_colours = 8;

// Returns text from a result for a Markdown document, where it stays text: one line, never empty,
// at most markdown_characters_max characters of it.
//
// Words of letters, digits and a little punctuation are written as they are. Everything else goes
// into a code span, in which nothing has a meaning: no HTML, no link, no @mention, no #123, no
// emoji. In the span, backticks become apostrophes and pipes become broken bars, so that the text
// ends neither the span nor the cell of a table.
std::string markdown_name(std::string_view text);
inline constexpr std::size_t markdown_characters_max = 300;

// Returns a sentence with texts from a result for a Markdown document, shown as it is written:
// every character with a meaning is escaped.
std::string markdown_sentence(std::string_view text);

}  // namespace drover::report
