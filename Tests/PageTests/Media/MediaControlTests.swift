import JSON
import Logging
import NIOCore
import Network
import Testing

@testable import Page

/// The control point of the page on this host's loopback, where nobody answers.
@Suite(.timeLimit(.minutes(1))) struct MediaControlTests {
  @Test func nothingOfItExistsUntilSomebodyAsksAndAfterTheEnd() async throws {
    let rig = try await APIRig()
    let sections = PageSections()
    let control = MediaControl(
      eventLoop: rig.loop, player: rig.player,
      own: PlayerControl(player: rig.player, section: rig.playerSection), sections: sections, pictures: nil,
      logger: Logger(label: "media") { _ in SwiftLogNoOpLogHandler() })
    var settings = MediaControl.Settings()
    (settings.interfaces, settings.udns, settings.name) = (["lo"], ["self"], "Kitchen")
    control.set(settings)
    control.addSections()
    func takesEvents() async throws -> Bool {
      try await rig.loop.submit { control.methods(at: "/gena/token") == ["NOTIFY"] }.get()
    }
    // Reading the sections needs nothing.
    let text = try await rig.loop.submit {
      var json = JSONWriter()
      sections[.servers]?.write(to: &json)
      sections[.renderers]?.write(to: &json)
      return String(decoding: json.bytes, as: UTF8.self)
    }.get()
    #expect(text.contains("Kitchen"))
    #expect(await control.run == nil)
    #expect(try await takesEvents() == false)
    let before = await control.serversVersion
    try await rig.loop.submit { sections[.servers]?.followed(true) }.get()
    #expect(await control.run != nil)
    #expect(try await takesEvents())
    var shown = await control.shownServers
    #expect(shown.isSearching && shown.problem == nil && shown.version > before)
    let begun = ContinuousClock.now
    while shown.isSearching {
      await rig.loop.pause(for: .milliseconds(20))
      shown = await control.shownServers
    }
    #expect(ContinuousClock.now - begun < .seconds(2) * 5)
    #expect(shown.problem != nil && shown.servers.isEmpty)
    try await rig.loop.submit { sections[.servers]?.followed(false) }.get()
    #expect(await control.run != nil)
    await control.stop()
    #expect(await control.run == nil)
    #expect(try await takesEvents() == false)
    // For good.
    try await rig.loop.submit { sections[.servers]?.followed(true) }.get()
    #expect(await control.run == nil)
  }
}
