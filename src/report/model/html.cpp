// Writes HTML: its elements, and pages of the report model.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <utility>

#include "report/model/model.h"
#include "report/model/report.css.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

constexpr std::string_view replacement_character = "\xef\xbf\xbd";

// Marks of direction without a shape of their own, and code points that no document may hold.
bool is_unwanted(char32_t point) {
  const bool mark = point == 0x200e || point == 0x200f || point == 0x061c || point == 0xfeff;
  const bool nothing = (point & 0xfffe) == 0xfffe || (point >= 0xfdd0 && point <= 0xfdef);
  return mark || nothing || !text::is_printable(point);
}

std::string_view entity(char32_t point) {
  static constexpr std::pair<char32_t, std::string_view> entities[] = {
      {'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
      {'"', "&quot;"}, {'\'', "&#39;"}, {'`', "&#96;"}};
  for (const auto& [sign, name] : entities)
    if (sign == point) return name;
  return {};
}

// "12.30" becomes "12.3", and "-0.0" becomes "0".
std::string without_trailing_zeros(std::string text) {
  if (text.find('.') != std::string::npos) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

[[maybe_unused]] bool is_harmless(const Attribute& attribute) {
  const std::string_view name = attribute.name.text();
  if (name.starts_with("on") || name == "style" || name == "src") return false;
  return name != "href" || attribute.value.starts_with('#') || attribute.value == "data:,";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const text::Utf8Character next = text::first_character(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    if (!next.valid) {
      result += replacement_character;
    } else if (next.point == '\n' || next.point == '\t') {
      result += ' ';
    } else if (!is_unwanted(next.point)) {
      const std::string_view name = entity(next.point);
      result += name.empty() ? bytes : name;
    }
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t characters_max) {
  std::string_view rest = text;
  std::size_t characters = 0;
  std::size_t kept_bytes = 0;
  while (!rest.empty()) {
    const std::size_t bytes = text::first_character(rest).bytes;
    if (characters < characters_max) kept_bytes += bytes;
    ++characters;
    rest.remove_prefix(bytes);
  }
  if (characters <= characters_max) return std::string(text);
  return fmt::format("{} … and {} more characters", text.substr(0, kept_bytes),
                     characters - characters_max);
}

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  return without_trailing_zeros(fmt::format("{:.1f}", value));
}

std::string percentage(double share) {
  if (!std::isfinite(share)) return "0%";
  return without_trailing_zeros(fmt::format("{:.2f}", share * 100)) + "%";
}

std::string_view HtmlWriter::begin(std::string_view selector, Attributes attributes) {
  const std::string_view tag = selector.substr(0, selector.find('.'));
  out_ += '<';
  out_ += tag;
  if (tag != selector) out_ += fmt::format(" class=\"{}\"", selector.substr(tag.size() + 1));
  for (const Attribute& attribute : attributes) {
    assert(is_harmless(attribute));
    if (attribute.value.empty() && attribute.name.text() == "class") continue;
    out_ += ' ';
    out_ += attribute.name.text();
    out_ += "=\"";
    out_ += escaped(attribute.value);
    out_ += '"';
  }
  return tag;
}

HtmlWriter::Element HtmlWriter::open(Literal selector, Attributes attributes) {
  const std::string_view tag = begin(selector.text(), attributes);
  out_ += '>';
  return {*this, tag, ++depth_};
}

void HtmlWriter::leaf(Literal selector, Attributes attributes) {
  begin(selector.text(), attributes);
  out_ += "/>";
}

void HtmlWriter::line(Literal selector, Attributes attributes, std::string_view text_in_it) {
  const Element element = open(selector, attributes);
  text(text_in_it);
}

void HtmlWriter::text(std::string_view text_of_others) {
  out_ += escaped(shortened(text_of_others, shown_characters_max));
}

void HtmlWriter::style_sheet(Literal css) {
  const Element style = open("style");
  out_ += css.text();
}

void HtmlWriter::close(std::string_view tag, std::size_t depth) {
  assert(depth == depth_);
  (void)depth;
  --depth_;
  out_ += "</";
  out_ += tag;
  out_ += '>';
  // Breaks lines for readers of the source, except within running text, where they would be spaces.
  static constexpr std::string_view blocks[] = {"section", "figure",  "table", "tr",   "svg",
                                                "g",       "details", "p",     "head", "style"};
  for (const std::string_view block : blocks)
    if (tag == block) out_ += '\n';
}

std::string HtmlWriter::take() {
  assert(depth_ == 0);
  return std::exchange(out_, {});
}

namespace {

constexpr const char* policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

void write_heading(HtmlWriter& html, int level, const std::string& text) {
  if (level <= 1) return html.line("h1", text);
  if (level == 2) return html.line("h2", text);
  if (level == 3) return html.line("h3", text);
  html.line("h4", text);
}

void write_cell(HtmlWriter& html, const Cell& cell, bool is_number, bool is_head) {
  std::string style = is_number ? "n" : "";
  if (!cell.style.empty()) style += (style.empty() ? "" : " ") + cell.style;
  const auto element = is_head ? html.open("th", {{"scope", "row"}, {"class", style}})
                               : html.open("td", {{"class", style}});
  if (!cell.icon.empty()) html.line("span.icon", {{"aria-hidden", "true"}}, cell.icon);
  if (cell.link.empty())
    html.text(cell.page);
  else
    html.line("a", {{"href", cell.link}}, cell.page);
  for (const CellPart& part : cell.parts) html.line(part.selector, part.text);
}

// Returns the shown columns of a part of the table: column 0, the names, which all parts share, and
// the part's own columns.
std::vector<std::size_t> columns_of_part(const Table& table, std::size_t part) {
  const auto& further = table.further_parts;
  const std::size_t first = part == 0 ? 1 : further[part - 1].first_column;
  const std::size_t end = part < further.size() ? further[part].first_column : table.columns.size();
  std::vector<std::size_t> columns = {0};
  for (std::size_t i = first; i < end; ++i)
    if (!table.columns[i].title.page.empty()) columns.push_back(i);
  return columns;
}

void write_row(HtmlWriter& html, const Table& table, const std::vector<std::size_t>& columns,
               const TableRow& row) {
  assert(row.cells.size() == table.columns.size());
  const auto line = html.open("tr");
  for (const std::size_t i : columns)
    write_cell(html, row.cells[i], table.columns[i].is_number && i > 0, i == table.head_column);
}

void write_part(HtmlWriter& html, const Table& table, const std::string& caption,
                const std::vector<std::size_t>& columns) {
  // Readers without a pointer scroll the table with the keyboard, so it can have the focus.
  const auto frame =
      html.open("div.scroll",
                {{"role", "region"}, {"tabindex", "0"}, {"aria-label", shortened(caption, 100)}});
  const auto element = html.open("table", {{"class", table.style}});
  html.line("caption", caption);
  {
    const auto head = html.open("thead");
    const auto line = html.open("tr");
    for (const std::size_t i : columns) {
      const TableColumn& column = table.columns[i];
      html.line("th", {{"scope", "col"}, {"class", column.is_number && i > 0 ? "n" : ""}},
                column.title.page);
    }
  }
  std::vector<const TableRow*> rows;
  for (const TableRow& row : table.rows)
    if (row.on_page) rows.push_back(&row);
  const TableRow* total = table.last_is_total && !rows.empty() ? rows.back() : nullptr;
  if (total != nullptr) rows.pop_back();
  {
    const auto body = html.open("tbody");
    for (const TableRow* row : rows) write_row(html, table, columns, *row);
  }
  if (total == nullptr) return;
  const auto foot = html.open("tfoot");
  write_row(html, table, columns, *total);
}

class PageRenderer {
 public:
  explicit PageRenderer(HtmlWriter& html) : html_(html) {}

  void write(const Blocks& blocks) {
    for (const Block& block : blocks) std::visit(*this, block.content);
  }

  void operator()(const Heading& heading) {
    if (!heading.text.page.empty()) write_heading(html_, heading.level, heading.text.page);
  }

  void operator()(const Paragraph& paragraph) {
    if (paragraph.text.page.empty()) return;
    const auto element = html_.open("p", {{"class", paragraph.style}});
    if (paragraph.icon.empty()) return html_.text(paragraph.text.page);
    html_.line("span.icon", {{"aria-hidden", "true"}}, paragraph.icon);
    html_.line("span", paragraph.text.page);
  }

  void operator()(const Gap& /*unused*/) {}
  void operator()(const Fact& /*unused*/) {}

  void operator()(const Items& items) {
    if (items.items.empty()) return;
    const auto list = html_.open("ul", {{"class", items.style}});
    for (const Cell& item : items.items) html_.line("li", {{"class", item.style}}, item.page);
  }

  void operator()(const Table& table) {
    if (table.columns.front().title.page.empty()) return;
    for (std::size_t part = 0; part <= table.further_parts.size(); ++part) {
      write_part(html_, table,
                 part == 0 ? table.caption.page : table.further_parts[part - 1].caption,
                 columns_of_part(table, part));
    }
    if (!table.rest.page.empty()) html_.line("p.note", table.rest.page);
  }

  void operator()(const Tiles& tiles) {
    if (!tiles.title.empty()) html_.line("p.tiles-title", tiles.title);
    const auto list = html_.open("ul.tiles");
    for (const Tile& tile : tiles.tiles) {
      const auto item = html_.open("li");
      html_.line("span.name", tile.name);
      html_.line("span", {{"class", tile.is_first ? "figure first" : "figure"}}, tile.figure);
      html_.line("span", {{"class", "extra " + tile.style}}, tile.extra);
    }
  }

  void operator()(const Figure& figure) {
    const Chart& chart = figure.chart;
    const auto element = html_.open("figure", {{"class", figure.style}});
    html_.line("figcaption",
               {{"id", chart.id + "-title"}, {"class", figure.hides_title ? "vh" : ""}},
               chart.title);
    draw_chart(html_, chart);
    for (const Legend& legend : figure.legends) write_legend(legend);
    if (!figure.note.empty()) html_.line("p.note", figure.note);
    html_.line("p.note", {{"id", chart.id + "-text"}}, chart.description);
  }

  void operator()(const Switches& switches) {
    const auto list = html_.open("ul.results");
    for (std::size_t i = 0; i < switches.names.size(); ++i) {
      const auto item = html_.open("li");
      const auto label = html_.open("label");
      html_.leaf("input",
                 {{"type", "checkbox"}, {"id", fmt::format("show-{}", i + 1)}, {"checked", ""}});
      {
        const auto swatch =
            html_.open("svg", {{"width", "26"}, {"height", "10"}, {"aria-hidden", "true"}});
        html_.leaf(
            "line",
            {{"class", fmt::format("swatch-line r{} d{}", i % result_colours, i / result_colours)},
             {"x1", "1"},
             {"y1", "5"},
             {"x2", "25"},
             {"y2", "5"}});
      }
      html_.line("span", switches.names[i]);
    }
  }

  void operator()(const Section& section) {
    const auto element =
        section.id.empty() ? html_.open("section") : html_.open("section", {{"id", section.id}});
    ++level_;
    if (!section.heading.empty()) write_heading(html_, level_, section.heading);
    write(section.blocks);
    --level_;
  }

  void operator()(const Details& details) {
    const auto element = html_.open("details", {{"class", details.style}});
    if (details.heading.empty()) {
      html_.line("summary", details.summary.page);
    } else {
      const auto summary = html_.open("summary");
      html_.line("h2", details.heading);
      html_.line("span.lead", " " + details.summary.page);
    }
    write(details.blocks);
  }

  void operator()(const SideBySide& side_by_side) {
    const auto element = html_.open(side_by_side.selector);
    for (const Blocks& part : side_by_side.parts) {
      const auto half = html_.open("div");
      write(part);
    }
  }

 private:
  void write_legend(const Legend& legend) {
    if (legend.empty()) return;
    const auto list = html_.open("ul.legend");
    for (const LegendEntry& entry : legend) {
      const auto item = html_.open("li");
      if (entry.is_swatch)
        html_.line("span", {{"class", "swatch " + entry.style}}, "");
      else
        html_.line("span", {{"class", entry.style}, {"aria-hidden", "true"}}, "■ ");
      html_.text(entry.text);
    }
  }

  HtmlWriter& html_;
  int level_ = 1;  // of the heading around the blocks
};

void write_head(HtmlWriter& html, const Page& page) {
  const auto head = html.open("head");
  html.leaf("meta", {{"charset", "utf-8"}});
  html.leaf("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}});
  html.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.leaf("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  // Without this link a browser may ask a server for an icon.
  html.leaf("link", {{"rel", "icon"}, {"href", "data:,"}});
  html.line("title", page.title);
  html.style_sheet(report_css);
  if (!page.style.text().empty()) html.style_sheet(page.style);
}

}  // namespace

std::vector<TableColumn> page_columns(const char* first, std::vector<std::string> numbers) {
  std::vector<TableColumn> columns = {{only_page(first), false}};
  for (std::string& title : numbers) columns.push_back({only_page(std::move(title))});
  return columns;
}

Table pairs_table(std::string caption, std::vector<std::pair<std::string, std::string>> pairs) {
  Table table{.caption = only_page(std::move(caption)),
              .columns = {{only_page("Name"), false}, {only_page("Value"), false}}};
  for (auto& [name, value] : pairs) table.add({std::move(name), std::move(value)});
  return table;
}

void append(Blocks& blocks, Blocks more) {
  blocks.insert(blocks.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

std::string render_page(const Page& page) {
  HtmlWriter html;
  PageRenderer renderer(html);
  {
    const auto root = html.open("html", {{"lang", "en"}});
    write_head(html, page);
    const auto body = html.open("body");
    html.line("a.skip", {{"href", "#content"}}, "Skip to the content");
    {
      const auto header = html.open("header");
      renderer.write(page.header);
      if (!page.links.empty()) {
        const auto navigation = html.open("nav", {{"aria-label", "Parts of the report"}});
        for (const Link& link : page.links)
          html.line("a", {{"href", std::string(link.to.text())}}, link.text);
      }
    }
    {
      const auto main = html.open("main", {{"id", "content"}, {"tabindex", "-1"}});
      renderer.write(page.content);
    }
    if (!page.footer.empty()) {
      const auto footer = html.open("footer");
      renderer.write(page.footer);
    }
  }
  return html.take();
}

}  // namespace drover::report
