import Page
import Player
import Services
import UPnP

/// The diagnosis on the page: what is wrong, and what to do.
struct SystemChecks {
  let loaded: SettingsLoader.Loaded
  let settings: Settings
  let reach: NetworkReach?
  /// Nil where there is no zone, or nothing to be said of it yet.
  let zone: ZoneReach?
  let player: PlayerState

  var all: [API.Check] { [network, sound] + zones + playback + configuration }

  private var network: API.Check {
    guard let served = reach?.served, !served.isEmpty else {
      return API.Check(
        name: "network", state: .fault, detail: "No network to be seen on.",
        cure: settings.network.interfaces.isEmpty
          ? "Connect the cable, or join the wireless network."
          : "Connect one of the interfaces in [network] interfaces, or change that key.")
    }
    return API.Check(
      name: "network", state: .ok, detail: "Seen on \(served.map(\.name).joined(separator: ", ")).")
  }

  private var sound: API.Check {
    switch player.device {
    case .closed:
      API.Check(name: "sound", state: .ok, detail: "The sound device is opened when something plays.")
    case .open(let name, let path):
      API.Check(name: "sound", state: .ok, detail: "\(name): \(path.text)")
    case .silent(let text), .away(let text):
      API.Check(name: "sound", state: .fault, detail: text, cure: "See [audio] output.")
    }
  }

  private var zones: [API.Check] {
    guard let zone else { return [] }
    let name = "Sonos zone"
    guard zone.failures.isEmpty else {
      let places = zone.failures.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
      return [
        API.Check(
          name: name, state: .fault,
          detail: "TCP port \(ZoneIdentity.port) can't be opened at \(places.joined(separator: ", ")).",
          cure: "End the program that has the port, or set [sonos] enabled = false.")
      ]
    }
    switch zone.presence {
    case .looks:
      return [API.Check(name: name, state: .ok, detail: "Looks for other zones before it shows itself.")]
    case .shown:
      let others = zone.others == 1 ? "one other zone" : "\(zone.others) other zones"
      return [API.Check(name: name, state: .ok, detail: "Shown, with \(others) in its household.")]
    case .hides(let household):
      return [
        API.Check(
          name: name, state: .warning,
          detail: "It hides: there are zones of another maker, in the household \(household).",
          cure: "[sonos] beside-others = true shows it anyway. Most programs then find either it or those.")
      ]
    }
  }

  private var playback: [API.Check] {
    player.failure.map { [API.Check(name: "playback", state: .warning, detail: $0.message)] } ?? []
  }

  private var configuration: [API.Check] {
    let problems = HostChecks.problems(loaded)
    guard !problems.isEmpty else {
      return [
        API.Check(
          name: "configuration", state: .ok,
          detail: loaded.file.map { "\($0) has no mistakes." } ?? "There is no file; the defaults hold.")
      ]
    }
    return problems.map {
      API.Check(
        name: "configuration", state: .warning, detail: redacted(text: $0.description),
        cure: "Change it, and reload; vireod --check-config checks it first.")
    }
  }
}
