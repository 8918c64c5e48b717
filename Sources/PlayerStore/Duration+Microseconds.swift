extension Duration {
  /// Whole microseconds, what is left over cut off; the nearest that there is for spans beyond 292,000 years.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflows { return seconds < 0 ? .min : .max }
    let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return overflowsToo ? (seconds < 0 ? .min : .max) : sum
  }
}
