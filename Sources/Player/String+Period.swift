extension String {
  /// The sentence without its final period, to be continued in a longer one.
  package var withoutPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
