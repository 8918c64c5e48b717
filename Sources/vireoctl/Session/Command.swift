import ArgumentParser
import ControlPoint

/// A command that talks to devices.
protocol Command: AsyncParsableCommand {
  var options: GlobalOptions { get }
  /// True for a command that Ctrl-C ends as its work's regular end, if it ends without an error.
  static var endsByInterruption: Bool { get }

  /// Does it, and returns what there is to say, if it hasn't been said.
  func perform(_ session: Session) async throws -> Report?
}

extension Command {
  static var endsByInterruption: Bool { false }

  mutating func run() async throws {
    let session = Session(options)
    let result: Result<Report?, any Error>
    do {
      try UsedInterfaces.check(options.interfaces)
      result = .success(try await perform(session))
    } catch { result = .failure(error) }
    await session.end()
    if let report = try result.get() { try session.output.show(report) }
  }
}

extension Duration {
  init(fractionalSeconds seconds: Double) { self = .milliseconds(Int64(seconds * 1000)) }
}

/// Runs `body`, and cancels it after `time`; nil then.
func within<Value: Sendable>(
  _ time: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
  try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: time)
      return nil
    }
    defer { group.cancelAll() }
    return try await group.next() ?? nil
  }
}
