/// A row to be written to the table `setting`; one without a value is to be deleted.
struct StoreRow: Equatable {
  let name: String
  let value: StoreValue?

  init(_ name: String, _ value: StoreValue?) {
    self.name = name
    self.value = value
  }

  init(_ name: String, text: String?) { self.init(name, text.map { .text($0) }) }
  init(_ name: String, number: (some BinaryInteger)?) { self.init(name, number.map { .number($0) }) }
  init(_ name: String, flag: Bool) { self.init(name, .integer(flag ? 1 : 0)) }
}
