import ArgumentParser
import ControlPoint
import Pins
import Proxies
import Renderers

struct PinsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pins", abstract: "Lists, plays and changes the favourites (pins) of an OpenHome renderer.",
    subcommands: [
      PinsListCommand.self, PinsPlayCommand.self, PinsSetCommand.self, PinsClearCommand.self,
      PinsSwapCommand.self,
    ], defaultSubcommand: PinsListCommand.self)
  @OptionGroup var options: GlobalOptions
}

struct PinsListCommand: Command {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the pins.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    try await PinSlots.read(try await DeviceFinder(session).renderer()).report
  }
}

/// Which pin a command is about.
struct PinOptions: ParsableArguments {
  @Argument(help: "Its number, or title.") var pin: [String] = []
  @Option(help: "Its id, as list --json says it, instead of a number or title.") var id: UInt32?

  func validate() throws {
    guard pin.isEmpty != (id == nil) else {
      throw ValidationError("say which pin: its number, its title, or --id")
    }
  }

  /// Does something with the pin.
  ///
  /// - Parameter isWhole: whether the beginning of a title isn't enough.
  func perform(
    _ session: Session, isWhole: Bool, _ action: (Pins1.Proxy, UInt32) async throws(ActionFailure) -> Void
  ) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let pins: Pins1.Proxy = try renderer.proxy(.pins)
    let text = pin.joined(separator: " ")
    let name: PinSlots.Name = id.map { .id($0) } ?? (isWhole ? .wholeText(text) : .text(text))
    let item = try await PinSlots.read(renderer).pin(name, of: renderer.name).item
    try await renderer.attempt { () async throws(ActionFailure) in try await action(pins, item.id) }
    return renderer.done(["title": .string(item.title)])
  }
}

struct PinsPlayCommand: Command {
  static let configuration = CommandConfiguration(commandName: "play", abstract: "Plays a pin.")
  @OptionGroup var pin: PinOptions
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    try await pin.perform(session, isWhole: false) { pins, id throws(ActionFailure) in
      try await pins.invokeId(id: id)
    }
  }
}

struct PinsSetCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Puts something into a slot.",
    discussion: """
      WHAT is an address, such as a station's; a track, album or folder of a media server (SERVER/PATH or SERVER:ID); or the \
      number of a line that browse or search has printed last.
      """)
  @Argument(help: "The number of the slot.") var slot: Int
  @Argument(help: "An address, SERVER/PATH, SERVER:ID, or the number of a line of the last browse or search.")
  var what: String
  @Option(help: "Its title.") var title: String?
  @Option(help: "The address of its picture.") var art: String?
  @Flag(help: "Shuffle its tracks.") var shuffle = false
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let pins: Pins1.Proxy = try renderer.proxy(.pins)
    let index = try await PinSlots.read(renderer).index(slot)
    let pin = try await pin(session)
    let modes = PinList.modes(
      in: try await renderer.attempt { () async throws(ActionFailure) in try await pins.getModes() })
    if let modes, !modes.contains(pin.mode) {
      throw Failure(.refused, "\(renderer.name) has no pins of the kind \"\(pin.mode)\"", hints: modes)
    }
    try await renderer.attempt { () async throws(ActionFailure) in
      try await pins.setDevice(
        index: index, mode: pin.mode, type: pin.type, uri: pin.uri, title: pin.title,
        description: pin.detail, artworkUri: pin.picture, shuffle: pin.isShuffled)
    }
    return renderer.done(["number": .number(slot), "title": .string(pin.title)])
  }

  private func pin(_ session: Session) async throws -> Pin {
    let what = What(what, isFile: PlayWhat.isFile)
    if case .address(let address) = what { return try made(.stream(address), title: address, detail: "") }
    guard let (server, object) = try await PlayWhat(session).object(what) else {
      throw Failure(.usage, "a file of this machine can't be kept: nobody serves it later")
    }
    return try made(
      .object(server: server.device.udn, id: object.id), title: object.title, detail: server.name,
      art: object.art.first?.address)
  }

  private func made(_ uri: PinURI, title: String, detail: String, art: String? = nil) throws -> Pin {
    do throws(PinError) {
      return try Pin(
        uri, title: self.title ?? title, detail: detail, picture: self.art ?? art ?? "", isShuffled: shuffle)
    } catch {
      throw Failure(.usage, "its address is too long for a pin")
    }
  }
}

struct PinsClearCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Removes a pin.",
    discussion: "Its title has to be whole, so that none is removed by mistake.")
  @OptionGroup var pin: PinOptions
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    try await pin.perform(session, isWhole: true) { pins, id throws(ActionFailure) in
      try await pins.clear(id: id)
    }
  }
}

struct PinsSwapCommand: Command {
  static let configuration = CommandConfiguration(commandName: "swap", abstract: "Exchanges two slots.")
  @Argument(help: "The number of one slot.") var first: Int
  @Argument(help: "The number of the other.") var second: Int
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let pins: Pins1.Proxy = try renderer.proxy(.pins)
    let slots = try await PinSlots.read(renderer)
    let (one, other) = (try slots.index(first), try slots.index(second))
    try await renderer.attempt { () async throws(ActionFailure) in
      try await pins.swap(index1: one, index2: other)
    }
    return renderer.done()
  }
}
