extension Duration {
  /// The duration in whole microseconds, truncated. Clamped to the range of Int64, about 292,000 years.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflows { return seconds < 0 ? .min : .max }
    let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return overflowsToo ? (seconds < 0 ? .min : .max) : sum
  }
}
