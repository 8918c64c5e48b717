import ControlPoint
import NIOCore
import Testing

@testable import Page
@testable import Renderers

@Suite struct FoundDevicesTests {
  private func servers() -> FoundDevices {
    FoundDevices { $0.service("urn:schemas-upnp-org:service:ContentDirectory") != nil }
  }

  @Test func whatHasGoneStaysAndComesBack() {
    var found = servers()
    let shelf = Devices.server("UDN-1", "Shelf")
    #expect(found.take(.appeared(shelf)) == true)
    #expect(found.take(.updated(shelf)) == false)
    #expect(found["uuid:udn-1"]?.isThere == true)
    #expect(found.take(.expired(shelf)) && found["udn-1"]?.isThere == false && found.present.isEmpty)
    #expect(found.take(.left(shelf)) == false)
    #expect(found.take(.appeared(shelf)) && found.present == [shelf])
  }

  @Test func onlyWhatIsWantedIsKept() {
    var found = servers()
    #expect(found.take(.appeared(Devices.av("a", "Kitchen"))) == false)
    #expect(found.entries.isEmpty)
    #expect(found.take(.left(Devices.server("never", "Seen"))) == false)
  }

  @Test func notAllThatHaveGoneAreKept() {
    var found = servers()
    for number in 0..<100 {
      let device = Devices.server("udn-\(number)", "Server \(number)")
      _ = found.take(.appeared(device))
      _ = found.take(.left(device))
    }
    #expect(found.entries.count == FoundDevices.maximumGone)
    #expect(found["udn-99"] != nil && found["udn-0"] == nil)
  }
}

@Suite struct RendererListTests {
  @Test(arguments: [
    ("The Vireo authors", "Vireo", "Vireo"), ("Linn", "Linn Klimax DS", "Linn Klimax DS"),
    ("Sonos", "Play:1", "Sonos Play:1"), ("", "Model", "Model"), ("Maker", "", "Maker"),
    ("Justin Maggard, and whoever else has helped", "MiniDLNA", "MiniDLNA"),
  ]) func theMakerIsNamedOnceAndInShort(_ maker: String, _ model: String, _ shown: String) {
    #expect(DeviceFacts.model(maker, model) == shown)
  }

  private func shown(_ list: RendererList) -> [API.Renderer] {
    list.players.map { list.shown($0, seen: { _ in 3 }, icon: { _ in nil }) }
  }

  private func report(_ state: PlayerStatus.State, volume: Int, position: Int = 0, loudest: Int = 100)
    -> RendererList.Report
  {
    var status = PlayerStatus(renderer: "", udn: "")
    (status.state, status.volume, status.position, status.isMuted) = (state, volume, position, false)
    return RendererList.Report(status: status, loudest: loudest, time: .uptimeNanoseconds(0))
  }

  @Test func twoHalvesAreOneRendererAndThisSpeakerIsNone() {
    var list = RendererList(except: ["own"])
    #expect(list.take(.appeared(Devices.av("OWN", "Own"))) == false)
    #expect(list.take(.appeared(Devices.av("half-a", "Kitchen"))) == true)
    #expect(list.players.map(\.isOpenHome) == [false])
    #expect(list.take(.appeared(Devices.openHome("half-o", "Kitchen:Vireo"))) == true)
    #expect(list.take(.appeared(Devices.av("tv", "Bath", host: "192.0.2.9"))) == true)
    #expect(shown(list).map(\.name) == ["Bath", "Kitchen"] && shown(list).map(\.kind) == [.av, .openhome])
    // Both halves name it.
    #expect(list["half-a"]?.key == "half-a" && list["uuid:HALF-O"]?.key == "half-a" && list["x"] == nil)
    #expect(list.take(.left(Devices.openHome("half-o", "Kitchen:Vireo"))) == true)
    #expect(list["half-o"]?.isThere == true)
    #expect(list.take(.left(Devices.av("half-a", "Kitchen"))) == true)
    #expect(list["half-o"]?.isThere == false)
  }

  /// Halves are found in any order, and go and come back.
  @Test(arguments: [false, true]) func aRendererKeepsItsUDN(isOpenHomeFirst: Bool) {
    var list = RendererList(except: [])
    let halves = [Devices.av("half-a", "Kitchen"), Devices.openHome("half-o", "Kitchen:Vireo")]
    let (first, second) = isOpenHomeFirst ? (halves[1], halves[0]) : (halves[0], halves[1])
    _ = list.take(.appeared(first))
    #expect(shown(list).map(\.udn) == [first.udn])
    #expect(list.take(report(.playing, volume: 20), of: first.udn) == true)
    _ = list.take(.appeared(second))
    #expect(shown(list).map(\.udn) == [first.udn] && shown(list).map(\.kind) == [.openhome])
    #expect(shown(list)[0].state == .playing, "what it said is still known")
    for change in [DeviceChange.left(first), .appeared(first), .restarted(second), .left(second)] {
      _ = list.take(change)
      #expect(shown(list).map(\.udn) == [first.udn])
    }
  }

  @Test func onlyNewsAreNews() {
    var list = RendererList(except: [])
    _ = list.take(.appeared(Devices.av("a", "Kitchen")))
    #expect(shown(list)[0].state == nil)
    #expect(list.take(report(.playing, volume: 20), of: "a") == true)
    #expect(list.take(report(.playing, volume: 20, position: 7), of: "a") == false)
    #expect(list.take(report(.paused, volume: 20), of: "a") == true)
    #expect(shown(list)[0].state == .paused && shown(list)[0].volume == 20)
    #expect(list.take(report(.paused, volume: 20), of: "unknown") == false)
    var failed = report(.paused, volume: 20)
    failed.problem = "It doesn't answer."
    #expect(list.take(failed, of: "a") && shown(list)[0].problem != nil)
  }

  @Test func volumesOfOtherRanges() {
    var list = RendererList(except: [])
    _ = list.take(.appeared(Devices.av("a", "Kitchen")))
    _ = list.take(report(.playing, volume: 25, loudest: 50), of: "a")
    #expect(shown(list)[0].volume == 50)
    for loudest in [1, 30, 50, 63, 100, 255] {
      for volume in 0...loudest {
        let percent = RendererList.percent(volume, of: loudest)
        #expect((0...100).contains(percent))
        if loudest <= 100 { #expect(RendererList.volume(percent, of: loudest) == volume) }
      }
      #expect(
        RendererList.volume(100, of: loudest) == loudest && RendererList.percent(loudest, of: loudest) == 100)
    }
    #expect(RendererList.percent(1000, of: 0) == 100 && RendererList.percent(-5, of: 50) == 0)
  }
}
