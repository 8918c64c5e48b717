/// Rows under headings. Cells are cleaned: they may be anybody's text.
struct Table: Sendable, Hashable {
  var headings: [String]
  private(set) var rows: [[String]] = []
  /// The columns that numbers are in.
  var rightAligned: Set<Int> = []
  /// The columns' widths where they can't depend on the cells, since further ones follow; they are cut like others.
  var fixedWidths: [Int] = []

  init(_ headings: [String], rightAligned: Set<Int> = []) {
    self.headings = headings
    self.rightAligned = rightAligned
  }

  mutating func add(_ cells: [String?]) { rows.append(cells.map { TerminalText.clean($0 ?? "") }) }

  /// Without headings, cells between tabs: for other programs.
  var plain: [String] { rows.map { $0.joined(separator: "\t") } }

  /// With headings, in columns: for people. The widest columns are cut so that lines fit.
  ///
  /// - Parameter width: the columns of the terminal.
  func lines(width: Int, isStyled: Bool = false) -> [String] {
    guard !rows.isEmpty else { return [] }
    let all = [headings] + rows
    var widths = widths
    let gaps = 2 * (widths.count - 1)
    while widths.reduce(gaps, +) > width, let widest = widths.max(), widest > 8,
      let column = widths.firstIndex(of: widest)
    {
      let excess = widths.reduce(gaps, +) - width
      let second = widths.filter { $0 < widest }.max() ?? 8
      widths[column] = max(8, second, widest - excess)
      if widths[column] == widest { widths[column] -= 1 }
    }
    return all.enumerated().map { index, row in
      let line = row.indices.map { column in
        cell(row[column], widths[column], column, isLast: column == row.count - 1)
      }.joined(separator: "  ")
      return index == 0 && isStyled ? "\u{1b}[1m\(line)\u{1b}[0m" : line
    }
  }

  /// The columns' widths before any is cut.
  var widths: [Int] {
    headings.indices.map { column in
      fixedWidths.indices.contains(column)
        ? fixedWidths[column]
        : ([headings] + rows).map { column < $0.count ? TerminalText.width($0[column]) : 0 }.max() ?? 0
    }
  }

  private func cell(_ text: String, _ width: Int, _ column: Int, isLast: Bool) -> String {
    let text = TerminalText.fitted(text, to: width)
    let padding = String(repeating: " ", count: max(0, width - TerminalText.width(text)))
    if rightAligned.contains(column) { return padding + text }
    return isLast ? text : text + padding
  }
}
