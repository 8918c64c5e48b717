import ArgumentParser
import ControlPoint
import Proxies
import Renderers

struct SourceCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "source", abstract: "Lists the sources of an OpenHome renderer, or chooses one.")
  @Argument(help: "The source's name, the beginning of it, or its number.") var name: String?
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let product: Product4.Proxy = try renderer.proxy(.product)
    let (xml, current) = try await renderer.attempt { () async throws(ActionFailure) in
      (try await product.sourceXml(), Int(try await product.sourceIndex()))
    }
    let sources = RendererSource.list(xml)
    guard let name else { return Self.report(sources, current) }
    guard let source = RendererSource.choose(name, among: sources) else {
      throw Failure(.noInput, "\(renderer.name) has no source \"\(name)\"", hints: sources.map(\.name))
    }
    try await renderer.attempt { () async throws(ActionFailure) in
      try await product.setSourceIndex(value: UInt32(source.index))
    }
    return renderer.done(["source": .string(source.name)])
  }

  private static func report(_ sources: [RendererSource], _ current: Int) -> Report {
    var table = Table(["", "#", "NAME", "TYPE"], rightAligned: [1])
    let shown = sources.filter { $0.isVisible || $0.index == current }
    for source in shown {
      table.add([source.index == current ? ">" : "", "\(source.index)", source.name, source.type])
    }
    let json = shown.map { source in
      JSON.members([
        "number": .number(source.index), "name": .string(source.name), "type": .string(source.type),
        "current": .bool(source.index == current),
      ])
    }
    return Report(json: .array(json), body: .table(table), whenEmpty: "it names no sources")
  }
}

extension RendererSource {
  /// The source that a user names: its name, type or number, or the beginning of its name if that is unique.
  static func choose(_ text: String, among sources: [RendererSource]) -> RendererSource? {
    let wanted = text.lowercased()
    if let exact = sources.first(where: { $0.name.lowercased() == wanted }) { return exact }
    let beginning = sources.filter { $0.name.lowercased().hasPrefix(wanted) }
    if beginning.count == 1 { return beginning[0] }
    let ofType = sources.filter { $0.type.lowercased() == wanted }
    if ofType.count == 1 { return ofType[0] }
    return Int(text).flatMap { number in sources.first { $0.index == number } }
  }
}

struct StandbyCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "standby", abstract: "Says whether an OpenHome renderer is in standby, or sends it there.")
  @Argument(help: "on, off or toggle.") var value: Switch?
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let product: Product4.Proxy = try renderer.proxy(.product)
    let isNow = try await renderer.attempt { () async throws(ActionFailure) in try await product.standby() }
    guard let value else {
      return .lines(
        [isNow ? "on" : "off"], json: .members(["renderer": .string(renderer.name), "standby": .bool(isNow)]))
    }
    let wanted = value.value(now: isNow)
    try await renderer.attempt { () async throws(ActionFailure) in try await product.setStandby(value: wanted)
    }
    return renderer.done(["standby": .bool(wanted)])
  }
}

/// Remembers a renderer.
struct UseCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "use", abstract: "Sets the renderer that is meant without -r; prints it when none is given.")
  @Argument(help: "The renderer; - forgets it.") var name: String?
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    guard let name else {
      guard let text = ChosenRenderer.read() else { throw Failure(.noDevice, "no renderer is set") }
      return .lines([text], json: .members(["udn": .string(text)]))
    }
    guard name != "-" else {
      _ = ChosenRenderer.write(nil)
      return .lines([], json: .members(["udn": JSON.null]))
    }
    let renderer = try await DeviceFinder(session).renderer(name)
    guard ChosenRenderer.write(renderer.udn) else {
      throw Failure(.software, "it can't be remembered: no folder for it")
    }
    return renderer.done(["udn": .string(renderer.udn)])
  }
}
