import ControlPoint
import Network
import Renderers
import UPnP

/// Finds the devices that a command is about.
struct DeviceFinder: Sendable {
  /// How long responses to the first search may take: MX 1, and the time to read descriptions.
  static let settling = Duration.milliseconds(1600)
  static let renderers: Set<DeviceKind> = [.mediaRenderer, .openHomeProduct]
  static let servers: Set<DeviceKind> = [.mediaServer]
  static let everything: Set<DeviceKind> = [.any, .mediaRenderer, .mediaServer, .openHomeProduct]

  let session: Session

  init(_ session: Session) { self.session = session }

  var time: Duration { Duration(fractionalSeconds: session.options.timeout) }

  /// All devices of some kinds that answer within the time.
  ///
  /// - Parameter each: is told of every one as it is found, and again when it changes.
  func all(
    _ kinds: Set<DeviceKind>, each: @escaping @Sendable (FoundDevice) async throws -> Void = { _ in }
  ) async throws -> [FoundDevice] {
    try await search(kinds, for: time, each: each) { _, _ -> Bool? in nil }.seen
  }

  /// The report of all devices of some kinds; people and pipes get each line as soon as it is known.
  func list(_ kinds: Set<DeviceKind>) async throws -> Report? {
    let printer = DevicePrinter(session.output)
    let found = try await all(kinds) { try await printer.print($0) }
    return await printer.end(found)
  }

  /// The device that a user names.
  ///
  /// - Parameter noun: what is looked for, in words.
  func device(
    _ text: String, of kinds: Set<DeviceKind> = everything, noun: String = "device"
  ) async throws -> FoundDevice {
    let query = DeviceQuery(text)
    if case .url(let url) = query { return try await devices(at: url, of: kinds, noun: noun)[0] }
    let known = KnownDevices.read().filter { query.fit($0.facts).map { $0 <= .name } ?? false }
    if known.count == 1, query.isCertain(known[0].facts) || known[0].isYoung(),
      let device = await stillThere(known.map(\.facts), of: kinds)?.first
    {
      return device
    }
    let (found, seen) = try await search(kinds, for: time) { devices, isSettled -> FoundDevice? in
      let chosen = query.choose(devices.map { DeviceFacts($0) })
      guard chosen.count == 1, isSettled || query.fit(chosen[0]) == .identity else { return nil }
      return devices.first { $0.udn == chosen[0].udn }
    }
    if let found { return found }
    let facts = seen.map { DeviceFacts($0) }
    let chosen = query.choose(facts)
    throw Self.failure(noun, text, chosen.map(\.line), facts.map(\.line))
  }

  /// The renderer of the command: what `-r` names, or the default.
  func renderer() async throws -> Renderer {
    let text = ChosenRenderer.text(
      option: session.options.renderer, variable: Environment.value("VIREO_RENDERER"),
      file: ChosenRenderer.read)
    guard let text else {
      let own = session.ownAddresses
      return try await renderer {
        DefaultRenderer.choose($0, own: own)
      } isCertain: { _ in
        false
      } failure: { seen in
        Failure(
          .noDevice, seen.isEmpty ? "no renderer answered" : "there are several renderers; say which with -r",
          hints: seen.isEmpty ? ["\"vireoctl doctor\" looks for the reason"] : seen.map(\.line).sorted())
      }
    }
    return try await renderer(text)
  }

  /// The renderer that a user names.
  func renderer(_ text: String) async throws -> Renderer {
    let query = DeviceQuery(text)
    if case .url(let url) = query {
      let here = try await devices(at: url, of: Self.renderers, noun: "renderer")
      // Its other half may be known from an earlier search.
      let known = KnownDevices.read().map(\.facts).filter { facts in !here.contains { $0.udn == facts.udn } }
      let player = PlayerFacts.grouped(known + here.map { DeviceFacts($0) }).first { player in
        player.devices.contains { $0.udn == here[0].udn }
      }
      let others = player?.devices.filter { facts in !here.contains { $0.udn == facts.udn } } ?? []
      return Renderer(here + (await stillThere(others, of: Self.renderers) ?? []), session)
    }
    return try await renderer { players in
      let chosen = query.choose(players)
      return chosen.count == 1 ? chosen[0] : nil
    } isCertain: { player in
      player.devices.contains { query.isCertain($0) }
    } failure: { seen in
      Self.failure("renderer", text, query.choose(seen).map(\.line), seen.map(\.line))
    }
  }

  // MARK: -

  private static func failure(_ noun: String, _ text: String, _ chosen: [String], _ seen: [String]) -> Failure
  {
    Failure(
      .noDevice, chosen.isEmpty ? "no \(noun) \"\(text)\"" : "\"\(text)\" may be any of these; say more",
      hints: (chosen.isEmpty ? seen : chosen).sorted())
  }

  /// A renderer among those that were seen lately, else among those that answer.
  ///
  /// - Parameter isCertain: true for a renderer that no other one can be taken for.
  private func renderer(
    _ choose: @escaping @Sendable ([PlayerFacts]) -> PlayerFacts?, isCertain: (PlayerFacts) -> Bool,
    failure: ([PlayerFacts]) -> Failure
  ) async throws -> Renderer {
    let entries = KnownDevices.read()
    if let known = choose(PlayerFacts.grouped(entries.map(\.facts))),
      isCertain(known) || KnownDevices.areYoung(known.devices, in: entries),
      let devices = await stillThere(known.devices, of: Self.renderers),
      devices.count == known.devices.count,
      choose(PlayerFacts.grouped(devices.map { DeviceFacts($0) })) != nil
    {
      return Renderer(devices, session)
    }
    // Whoever hasn't answered when the first search is over has missed it, or is slow. A renderer's halves answer separately.
    let (found, seen) = try await search(Self.renderers, for: time) { devices, isSettled -> [FoundDevice]? in
      guard isSettled, let chosen = choose(PlayerFacts.grouped(devices.map { DeviceFacts($0) })) else {
        return nil
      }
      return chosen.devices.compactMap { facts in devices.first { $0.udn == facts.udn } }
    }
    if let found { return Renderer(found, session) }
    throw failure(PlayerFacts.grouped(seen.map { DeviceFacts($0) }))
  }

  /// Looks until `choose` takes something, or the time is over.
  ///
  /// - Parameter choose: its second argument is true when the first search is over.
  func search<Chosen: Sendable>(
    _ kinds: Set<DeviceKind>, for time: Duration,
    each: @escaping @Sendable (FoundDevice) async throws -> Void = { _ in },
    _ choose: @escaping @Sendable ([FoundDevice], Bool) -> Chosen?
  ) async throws -> (chosen: Chosen?, seen: [FoundDevice]) {
    let collected = Collected()
    let settling = min(Self.settling, time)
    let stream = await session.controlPoint.devices(kinds)
    let start = ContinuousClock.now
    let chosen = try await within(time) { () -> Chosen? in
      try await withThrowingTaskGroup(of: Chosen?.self) { group in
        group.addTask {
          for await change in stream {
            let devices = await collected.take(change)
            if devices.contains(where: { $0.udn == change.device.udn }) {
              try await each(change.device)
            }
            if let chosen = choose(devices, .now - start >= settling) { return chosen }
          }
          return nil
        }
        group.addTask {
          try await Task.sleep(for: settling)
          return choose(await collected.devices, true)
        }
        defer { group.cancelAll() }
        while let chosen = try await group.next() {
          if let chosen { return chosen }
        }
        return nil
      }
    }
    try Task.checkCancellation()
    let seen = await collected.devices
    KnownDevices.remember(seen.map { KnownDevices.Entry(DeviceFacts($0)) })
    if seen.isEmpty, let failure = await UsedInterfaces.failure(session) { throw failure }
    // What came at the very end counts, too.
    return (chosen ?? nil ?? choose(seen, true), seen)
  }

  /// Those of some devices that are still where they were; nil if one isn't.
  func stillThere(_ devices: [DeviceFacts], of kinds: Set<DeviceKind>) async -> [FoundDevice]? {
    let controlPoint = session.controlPoint
    return await withTaskGroup(of: FoundDevice?.self) { group in
      for facts in devices {
        group.addTask {
          let found = try? await within(.seconds(1)) { try await controlPoint.devices(at: facts.url) }
          return found?.first { device in
            device.udn.lowercased() == facts.udn.lowercased() && device.friendlyName == facts.name
              && kinds.contains { $0.matches(device) }
          }
        }
      }
      var found: [FoundDevice] = []
      for await device in group {
        if let device { found.append(device) }
      }
      return found.count == devices.count ? found : nil
    }
  }

  func devices(
    at url: String, of kinds: Set<DeviceKind>, noun: String
  ) async throws -> [FoundDevice] {
    guard let literal = LiteralURL.of(url) else {
      throw Failure(.noDevice, "\(url) isn't a URL that can be read: http, and a host that has an address")
    }
    let devices: [FoundDevice]
    do throws(ActionFailure) {
      devices = try await session.controlPoint.devices(at: literal)
    } catch {
      throw error == .status(404)
        ? Failure(.noDevice, "there is no description at \(url)") : Failure(error, from: url)
    }
    let wanted = devices.filter { device in kinds.contains { $0.matches(device) } }
    guard !wanted.isEmpty else { throw Failure(.noDevice, "the device at \(url) is no \(noun)") }
    return wanted
  }

  /// The devices that are there.
  private actor Collected {
    private var byUDN: [String: FoundDevice] = [:]

    var devices: [FoundDevice] { Array(byUDN.values) }

    func take(_ change: DeviceChange) -> [FoundDevice] {
      switch change {
      case .appeared(let device), .updated(let device), .restarted(let device): byUDN[device.udn] = device
      case .expired(let device), .left(let device): byUDN[device.udn] = nil
      }
      return devices
    }
  }
}
