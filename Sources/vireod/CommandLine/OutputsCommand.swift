import GStreamerOutput

/// `--list-outputs`: prints the values that `[audio] output` can have on this host.
enum OutputsCommand {
  static func text() -> String { text(GStreamerOutput.availableOutputs()) }

  static func text(_ outputs: [OutputDescription]) -> String {
    let width = outputs.map(\.name.count).max() ?? 0
    return outputs.map { output in
      let gap = String(repeating: " ", count: width - output.name.count + 2)
      return output.name + gap + output.description + (output.isAvailable ? "" : " (not installed)") + "\n"
    }.joined()
  }
}
