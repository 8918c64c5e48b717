/// How findings are shown.
enum DoctorReport {
  static func report(_ findings: [Finding]) -> Report {
    let json = findings.map { finding in
      JSON.members([
        "grade": .string(finding.grade.rawValue), "check": .string(finding.check),
        "text": .string(finding.text),
        "cure": .string(finding.cure),
      ])
    }
    var lines: [String] = []
    for finding in findings {
      lines.append("\(mark(finding.grade)) \(finding.text)")
      if let cure = finding.cure { lines.append("        cure: \(cure)") }
    }
    if !findings.contains(where: { $0.grade != .good }) {
      lines.append("Nothing is wrong that can be seen from here.")
    }
    let plain = findings.map {
      [$0.grade.rawValue, $0.check, $0.text, $0.cure ?? ""].joined(separator: " | ")
    }
    return Report(json: .array(json), body: .lines(lines, plain: plain))
  }

  private static func mark(_ grade: Finding.Grade) -> String {
    switch grade {
    case .good: "  ok   "
    case .hint: "  hint "
    case .fault: "  FAULT"
    }
  }
}
