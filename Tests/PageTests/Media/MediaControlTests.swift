import JSON
import Logging
import NIOCore
import Network
import Renderers
import Testing

@testable import ControlPoint
@testable import Page

/// The control point of the page on this host's loopback, where nobody answers.
@Suite(.timeLimit(.minutes(1))) struct MediaControlTests {
  private func make(_ sections: PageSections = PageSections()) async throws -> (APIRig, MediaControl) {
    let rig = try await APIRig()
    let control = MediaControl(
      eventLoop: rig.loop, player: rig.player,
      own: PlayerControl(player: rig.player, section: rig.playerSection), sections: sections, pictures: nil,
      logger: Logger(label: "media") { _ in SwiftLogNoOpLogHandler() })
    var settings = MediaControl.Settings()
    (settings.interfaces, settings.udns, settings.name) = (["lo"], ["self"], "Kitchen")
    control.set(settings)
    control.addSections()
    return (rig, control)
  }

  @Test func theEventsOfTwelveRenderersAreTaken() async throws {
    let sections = PageSections()
    let (rig, control) = try await make(sections)
    try await rig.loop.submit { sections[.renderers]?.followed(true) }.get()
    for number in 0..<20 {
      await control.find(Devices.av("udn-\(number)", "Room \(number)"))
    }
    var run = try #require(await control.run)
    // Other tests may have a device on this loopback too.
    #expect(run.followers.keys.count { $0.hasPrefix("udn-") } == 20)
    #expect(run.followed.values.count { !$0.isEmpty } == MediaControl.maximumFollowed)
    // Its other half has come: its services are followed from now on.
    let key = try #require(run.followed.first { !$0.value.isEmpty }?.key)
    let name = try #require(run.renderers[key]?.name)
    await control.find(Devices.openHome("other", "\(name):Vireo"))
    run = try #require(await control.run)
    #expect(run.followed[key]?.contains { $0.id.contains("openhome") } == true)
    #expect(run.followed.values.count { !$0.isEmpty } <= MediaControl.maximumFollowed)
    await control.stop()
  }

  @Test func tracksAreHandedOverToEightRenderers() async throws {
    let (_, control) = try await make()
    let begun = await control.handOver(to: (0..<10).map { "udn-\($0)" })
    #expect(begun == Array(repeating: true, count: 8) + [false, false])
    await control.stop()
  }

  @Test func aRendererIsHandedOneListAtATime() async throws {
    let (_, control) = try await make()
    #expect(await control.firstHandoverIsCancelledByTheNext())
    await control.stop()
  }

  /// Two requests at once would mix their tracks.
  @Test func requestsForARendererWaitForEachOther() async throws {
    let (_, control) = try await make()
    let order = Order()
    let (first, begin) = AsyncStream<Void>.makeStream()
    let outcomes = await withTaskGroup(of: Int?.self) { group in
      for number in 1...3 {
        await order.wait(forWaiting: number - 1, at: control)
        group.addTask {
          await control.inTurn(number) {
            if number == 1 { for await _ in first {} }
            await order.add(number)
          }
        }
      }
      await order.wait(forWaiting: 3, at: control)
      let fourth = await control.inTurn(4) { await order.add(4) }
      #expect(fourth == nil, "too many wait already")
      #expect(await order.numbers == [])
      begin.finish()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.compactMap(\.self).sorted() == [1, 2, 3])
    #expect(await order.numbers == [1, 2, 3])
    #expect(await control.puts.isEmpty)
    await control.stop()
  }

  @Test func whatWasBegunIsDoneWhenItsClientHasLeft() async throws {
    let (_, control) = try await make()
    let order = Order()
    let (first, begin) = AsyncStream<Void>.makeStream()
    let client = Task {
      await control.inTurn(1) {
        for await _ in first {}
        #expect(!Task.isCancelled)
        await order.add(1)
      }
    }
    await order.wait(forWaiting: 1, at: control)
    client.cancel()
    begin.finish()
    _ = await client.value
    #expect(await order.numbers == [1])
    await control.stop()
  }

  @Test func whatIsKnownOfServersGoesWithThem() async throws {
    let (_, control) = try await make()
    for number in 0..<100 { await control.learnAndLose(Devices.server("udn-\(number)", "Shelf")) }
    let run = try #require(await control.run)
    #expect(run.folders.count <= FoundDevices.maximumGone)
    #expect(run.capabilities.count <= FoundDevices.maximumGone)
    await control.stop()
  }

  @Test func onlyWhatWasFoundIsReached() async throws {
    let (_, control) = try await make()
    for udn in ["http://192.0.2.1/d.xml", "192.0.2.1", "nobody"] {
      guard case .problem(let problem) = await control.objects(on: udn, in: "0", start: 0, count: 1) else {
        Issue.record("\(udn) was reached")
        continue
      }
      #expect(problem.status == .notFound)
      guard case .problem(let other) = await control.play([], how: .now, on: udn) else {
        Issue.record("\(udn) was reached")
        continue
      }
      #expect(other.status == .notFound)
    }
    await control.stop()
  }

  @Test func nothingOfItExistsUntilSomebodyAsksAndAfterTheEnd() async throws {
    let sections = PageSections()
    let (rig, control) = try await make(sections)
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

/// In which order requests were at work.
private actor Order {
  private(set) var numbers: [Int] = []

  func add(_ number: Int) { numbers.append(number) }

  /// Until so many requests are at work or wait.
  func wait(forWaiting count: Int, at control: MediaControl) async {
    for _ in 0..<500 {
      if await control.count(for: "udn") >= count { return }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }
}

extension MediaControl {
  fileprivate func count(for key: String) -> Int { puts[key]?.count ?? 0 }

  /// Returns the number of the request, or nil if it was refused as one too many.
  fileprivate func inTurn(_ number: Int, _ work: @escaping @Sendable () async -> Void) async -> Int? {
    use()
    guard let run else { return nil }
    let remote = RemoteRenderer([Devices.av("udn", "udn", host: "127.0.0.1")], through: run.controlPoint)
    let outcome = await inTurn(for: FoundRenderer(key: "udn", name: "udn", remote: remote)) {
      (_: isolated MediaControl) async throws(Problem) in
      await work()
      return API.PlayResult(added: number, left: 0)
    }
    if case .value(let result) = outcome { return result.added }
    return nil
  }

  fileprivate func find(_ device: FoundDevice) {
    _ = run?.renderers.take(.appeared(device))
    adjustFollowing()
  }

  fileprivate func handOver(to udns: [String]) -> [Bool] {
    use()
    guard let run else { return [] }
    let track = RendererTrack(title: "a", uri: "http://127.0.0.1:1/a.flac", metadata: "")
    return udns.map { udn in
      let remote = RemoteRenderer([Devices.av(udn, udn, host: "127.0.0.1")], through: run.controlPoint)
      return beginHandover([track], to: FoundRenderer(key: udn, name: udn, remote: remote))
    }
  }

  fileprivate func firstHandoverIsCancelledByTheNext() -> Bool {
    guard handOver(to: ["udn"]) == [true], let first = run?.handovers["udn"] else { return false }
    return handOver(to: ["udn"]) == [true] && first.isCancelled
  }

  fileprivate func learnAndLose(_ device: FoundDevice) {
    use()
    _ = run?.servers.take(.appeared(device))
    run?.folders[FoundDevices.key(device.udn)] = FolderMemory()
    run?.capabilities[FoundDevices.key(device.udn)] = ContentCapabilities(search: "", sort: "")
    _ = run?.servers.take(.left(device))
    run?.forgetServers()
  }
}
