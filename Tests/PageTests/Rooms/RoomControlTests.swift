import JSON
import Logging
import Renderers
import Testing

@testable import ControlPoint
@testable import HTTP
@testable import Page

/// What is asked for below `/api/v1/rooms`, where no room answers.
@Suite(.timeLimit(.minutes(1))) struct RoomControlTests {
  private struct Reports: RoomReportSource {
    func roomReports() -> RoomReportsView {
      var view = RoomReportsView()
      view.isSending = true
      return view
    }
  }

  private func make(_ sections: PageSections = PageSections()) async throws -> (APIRig, MediaControl) {
    let rig = try await APIRig()
    let control = MediaControl(
      eventLoop: rig.loop, player: rig.player,
      own: PlayerControl(player: rig.player, section: rig.playerSection), sections: sections, pictures: nil,
      reports: Reports(), logger: Logger(label: "media") { _ in SwiftLogNoOpLogHandler() })
    var settings = MediaControl.Settings()
    (settings.interfaces, settings.udns, settings.name) = (["lo"], ["self"], "Kitchen")
    control.set(settings)
    control.addSections()
    rig.serve(rooms: control)
    return (rig, control)
  }

  @Test func reportsAndTitlesNeedNoSearch() async throws {
    let (rig, control) = try await make()
    try await rig.fill(2)
    #expect(try await rig.ask("GET", "/api/v1/rooms/reports").text == #"{"sending":true,"listeners":[]}"#)
    #expect(try await rig.ask("GET", "/api/v1/rooms/next").text == #"{"titles":[{"title":"2.flac"}]}"#)
    #expect(await control.run == nil)
    await control.stop()
  }

  @Test(
    arguments: [
      ("POST", "nobody/join", #"{"host": "other"}"#, 404), ("POST", "nobody/leave", nil, 404),
      ("PATCH", "nobody/group", #"{"step": 2}"#, 404), ("POST", "nobody/join", "{}", 422),
      ("POST", "nobody/join", #"{"host": ""}"#, 422), ("PATCH", "nobody/group", "{}", 422),
      ("PATCH", "nobody/group", #"{"volume": 101}"#, 422), ("PATCH", "nobody/group", #"{"step": -101}"#, 422),
      ("PATCH", "nobody/group", #"{"step": 1, "volume": 3}"#, 422),
      ("PATCH", "nobody/group", #"{"balance": 1}"#, 422), ("GET", "nobody/join", nil, 404),
    ] as [(String, String, String?, Int)])
  func whatCannotBe(_ method: String, _ path: String, _ body: String?, _ status: Int) async throws {
    let (rig, control) = try await make()
    #expect(try await rig.ask(method, "/api/v1/rooms/\(path)", body).status == status)
    await control.stop()
  }

  /// A page that may only look is shown rooms, and changes nothing.
  @Test func lookingIsNoChange() async throws {
    let rig = try await APIRig(access: .view)
    for (method, path) in [("POST", "a/join"), ("POST", "a/leave"), ("PATCH", "a/group")] {
      #expect(try await rig.ask(method, "/api/v1/rooms/\(path)", "{}").status == 403)
    }
  }

  @Test func onlyRoomsPlayTogether() async throws {
    let (rig, control) = try await make()
    await control.find([
      Devices.av("tv", "Television", host: "127.0.0.1"), Devices.room("study", "Study", host: "127.0.0.1"),
    ])
    let join = try await rig.ask("POST", "/api/v1/rooms/tv/join", #"{"host": "study"}"#)
    #expect(join.status == 409 && join.type == "no-room")
    // It is found and doesn't answer.
    let other = try await rig.ask("POST", "/api/v1/rooms/study/leave")
    #expect(other.status == 502)
    let rooms = try #require(try await rig.ask("GET", "/api/v1/rooms").json)
    guard case .array(let list) = rooms["rooms"] else {
      Issue.record("no list")
      return
    }
    let study = list.filter { $0["udn"] == .string("study") }
    #expect(study.count == 1 && study[0]["canReceive"] == .boolean(true) && study[0]["problem"] != nil)
    #expect(!list.contains { $0["udn"] == .string("tv") })
    await control.stop()
  }

  /// Who follows rooms hears what is different among the renderers too, and nobody else is followed for that.
  @Test func roomsAreFollowedWhileAPageShowsThem() async throws {
    let sections = PageSections()
    let (rig, control) = try await make(sections)
    try await rig.loop.submit { sections[.rooms]?.followed(true) }.get()
    await control.find([Devices.room("study", "Study", host: "127.0.0.1")])
    let run = try #require(await control.run)
    #expect(run.followers["study"] != nil)
    #expect(run.followed["study"]?.contains { $0.id.contains("Receiver") } == true)
    let before = await control.roomsVersion
    await control.changed(.renderers)
    #expect(await control.roomsVersion > before)
    let text = try await rig.loop.submit {
      var json = JSONWriter()
      sections[.rooms]?.write(to: &json)
      return String(decoding: json.bytes, as: UTF8.self)
    }.get()
    #expect(text.contains(#""udn":"study""#))
    try await rig.loop.submit { sections[.rooms]?.followed(false) }.get()
    #expect(await control.run?.followers["study"] == nil)
    await control.stop()
  }
}

extension MediaControl {
  fileprivate func find(_ devices: [FoundDevice]) {
    use()
    for device in devices { _ = run?.renderers.take(.appeared(device)) }
    adjustFollowing()
  }
}
