"""The table: one row per figure, one column per renderer, and their ratio."""

BEGIN, END = "<!-- table: begin (written by Tests/Bench/run) -->", "<!-- table: end -->"


class Table:
    def __init__(self, names):
        self.names = names
        self.rows = []

    def add(self, label, unit, values, digits=1, notes=None):
        """`values` by name; None where there is none. `notes` by name go behind the value."""
        self.rows.append((label, unit, values, digits, notes or {}))

    def _cell(self, value, digits, note):
        text = "—" if value is None else f"{value:.{digits}f}"
        return f"{text} {note}".strip() if note else text

    def markdown(self):
        pair = len(self.names) == 2
        head = ["", *self.names] + (["ratio"] if pair else [])
        lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
        for label, unit, values, digits, notes in self.rows:
            row = [f"{label}, {unit}" if unit else label]
            row += [self._cell(values.get(name), digits, notes.get(name)) for name in self.names]
            if pair:
                one, two = (values.get(name) for name in self.names)
                row.append(f"{one / two:.2f}" if one is not None and two else "—")
            lines.append(row)
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write(path, text):
    """Puts the table between the markers of the README."""
    old = path.read_text()
    before, rest = old.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")
