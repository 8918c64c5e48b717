"""The table: one row per figure, one column per renderer, their ratios, and notes on what could not be measured."""

#: Between these lines of the README are the tables of `run` and those of `control-point`.
RENDERERS = "<!-- table: begin (written by Tests/Bench/run) -->", "<!-- table: end -->"
CONTROL_POINT = "<!-- control-point tables: begin (written by Tests/Bench/control-point) -->", "<!-- control-point tables: end -->"


def markdown(lines, left=1):
    """A table of lines of cells, the first of them its head; `left` columns are set to the left."""
    rule = ["---"] * left + ["---:"] * (len(lines[0]) - left)
    return "\n".join("| " + " | ".join(line) + " |" for line in [lines[0], rule, *lines[1:]])


class Table:
    def __init__(self, names):
        self.names = names
        self.rows = []
        self._notes = []

    def note(self, text):
        """The mark of a footnote."""
        if text not in self._notes:
            self._notes.append(text)
        return f"[{self._notes.index(text) + 1}]"

    def add(self, label, unit, values, digits=1, target="", marks=None):
        """`values` by name: a number, or a text that is no number; none where there is none. `marks` by name go behind."""
        marks = marks or {}
        if any(values.get(name) is not None or marks.get(name) for name in self.names):
            self.rows.append((label, unit, values, digits, target, marks))

    @staticmethod
    def _cell(value, digits, mark):
        text = "—" if value is None else value if isinstance(value, str) else f"{value:,.{digits}f}"
        return f"{text} {mark}".strip() if mark else text

    @staticmethod
    def _ratio(one, two):
        if isinstance(one, str) or isinstance(two, str) or one is None or not two:
            return "—"
        return f"{one / two:.2f}"

    def markdown(self):
        """Nothing where there is no row."""
        if not self.rows:
            return ""
        first, others = self.names[0], self.names[1:]
        lines = [["", "target", *self.names, *(f"{first} / {other}" for other in others)]]
        for label, unit, values, digits, target, marks in self.rows:
            row = [f"{label}, {unit}" if unit else label, target]
            row += [self._cell(values.get(name), digits, marks.get(name)) for name in self.names]
            row += [self._ratio(values.get(first), values.get(other)) for other in others]
            lines.append(row)
        return markdown(lines)

    def notes(self):
        return "\n".join(f"- [{number}] {text}" for number, text in enumerate(self._notes, 1))


def write(path, text, place=RENDERERS):
    """Puts tables between the markers of the README."""
    begin, end = place
    before, rest = path.read_text().split(begin, 1)
    _, after = rest.split(end, 1)
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}")
