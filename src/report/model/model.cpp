#include "report/model/model.h"

#include <iterator>

namespace drover::report {

Wording name_wording(const std::string& name) {
  return {name, markdown_name(name), name};
}

Wording sentence_wording(const std::string& sentence) {
  return {sentence, markdown_sentence(sentence), sentence};
}

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

}  // namespace drover::report
