import ArgumentParser
import ControlPoint
import Glibc
import Text
import UPnP

/// Writes down what a device says.
struct RecordCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Writes down what a device says, for a bug report or a test.",
    discussion: """
      It fetches the descriptions, calls the actions that only ask something, and takes the events for some time: use the \
      device meanwhile. Addresses, UDNs, the serial number and tokens in URIs are replaced by others; names of devices and \
      tracks stay in it. "vireoctl replay" plays the device from the file.
      """)

  static let endsByInterruption = true

  @Argument(help: "The device: name, UDN, address or URL.") var device: String
  @Argument(help: "The file to write; it must not exist.") var file: String
  @Option(name: .customLong("for"), help: "Take events for this many seconds, 0 to 1700.") var seconds = 10.0
  @Flag(help: "Keep addresses, UDNs, the serial number and tokens.") var plain = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard (0...1700).contains(seconds) else { throw ValidationError("--for must be 0 to 1700 seconds") }
  }

  func perform(_ session: Session) async throws -> Report? {
    // Opened first, so that nothing is lost because it can't be written.
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Failure(.refused, "can't write \(file): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    let recording: Recording
    do {
      recording = try await record(session)
    } catch {
      unlink(file)
      throw error
    }
    var bytes = Array(recording.text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        throw Failure(.software, "can't write \(file): \(String(cString: strerror(errno)))")
      }
      bytes = bytes.dropFirst(count)
    }
    let events = recording.entries.count { $0.method == "NOTIFY" }
    let requests = recording.entries.count - events
    return .lines(
      ["\(file) has \(counted(requests, "request")) and \(counted(events, "event"))"],
      json: .members(["file": .string(file), "requests": .number(requests), "events": .number(events)]))
  }

  private func record(_ session: Session) async throws -> Recording {
    let found = try await DeviceFinder(session).device(device)
    guard let location = found.locations.first?.address else {
      throw Failure(.unreachable, "\(found.friendlyName) can't be reached")
    }
    let recorder = Recorder(session.controlPoint.exchange)
    for (service, description) in await recorder.describe(location, found.services) {
      await recorder.ask(service, description)
    }
    // Without a description there is nothing to replay.
    if recorder.entries.isEmpty { try Task.checkCancellation() }
    if seconds > 0, !Task.isCancelled {
      session.output.note(
        "taking events for \(seconds) s: use \(found.friendlyName) now; Ctrl-C ends it earlier")
      do {
        let interfaces = try await OwnInterfaces.read(session)
        try await RecordedEvents(
          found.services, of: location.address, interface: location.interface, interfaces, recorder
        ).record(for: Duration(fractionalSeconds: seconds))
      } catch is CancellationError {
        // What there is so far is kept.
      }
    }
    if recorder.isFull { session.output.note("there was more than a recording holds; the rest is left out") }
    var recording = Recording(
      notes: ["\(found.manufacturer) \(found.modelName) \(found.modelNumber), by vireoctl \(Version.number)"],
      entries: recorder.entries)
    guard !plain else { return recording }
    var redaction = Redaction()
    for device in found.locations { redaction.hide(address: "\(device.address.address)") }
    for address in session.ownAddresses where !address.isLoopback { redaction.hide(address: "\(address)") }
    redaction.hide(udn: found.udn)
    if let root = Self.root(recorder.entries) { redaction.hide(root) }
    redaction.hide(serialNumber: found.serialNumber)
    redaction.hideStrangers(in: recording)
    recording.notes.append("Addresses, UDNs, serial numbers, SIDs, and tokens in URIs are replaced.")
    return redaction.applied(to: recording)
  }

  private static func root(_ entries: [Recording.Entry]) -> DeviceDescription? {
    guard case .answered(_, let message)? = entries.first?.outcome else { return nil }
    return try? RootDescription.read(.init(bytes: message.body)).device
  }
}

extension Redaction {
  /// Hides what the devices of a description are known by.
  fileprivate mutating func hide(_ device: DeviceDescription) {
    hide(udn: device.udn)
    hide(serialNumber: device.serialNumber)
    for embedded in device.devices { hide(embedded) }
  }
}
