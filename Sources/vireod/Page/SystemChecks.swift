import Page
import Player
import UPnP

/// The diagnosis on the page: what is wrong, and what to do.
struct SystemChecks {
  let loaded: SettingsLoader.Loaded
  let settings: Settings
  let reach: NetworkReach?
  let player: PlayerState

  var all: [API.Check] { [network, sound] + playback + configuration }

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
