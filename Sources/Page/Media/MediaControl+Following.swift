import ControlPoint
import NIOCore
import Network
import Player
import Renderers

/// Follows what renderers do, for as long as a page shows them: by their events, or by asking where they have none.
extension MediaControl {
  /// Renderers whose events are taken; others are asked only.
  static let maximumFollowed = 12
  /// Changes within this time are one.
  private static let moderation = Duration.milliseconds(100)
  /// How often a renderer without events is asked, and every other one: events may be lost without a trace.
  private static let interval = Duration.seconds(5)
  private static let longInterval = Duration.seconds(60)
  /// When to subscribe again, after a refusal.
  private static let retryTime = Duration.seconds(15)

  /// Follows those that are there while a page shows them, and nobody else.
  var followsRenderers: Bool { followed.contains(.renderers) || followed.contains(.rooms) }

  func adjustFollowing() {
    let isFollowed = followsRenderers
    followSelf(isFollowed)
    guard let run else { return }
    let present = isFollowed ? run.renderers.players.filter(\.isThere) : []
    let known = Dictionary(present.map { ($0.key, $0) }) { first, _ in first }
    for (key, services) in run.followed {
      // Another half may have been found, or it has moved.
      let isSame = services.isEmpty || known[key].map { Self.services(of: $0, run.controlPoint) } == services
      if known[key] == nil || !isSame { unfollow(key) }
    }
    var count = self.run?.followed.values.count { !$0.isEmpty } ?? 0
    for player in present where self.run?.followers[player.key] == nil {
      let services = count < Self.maximumFollowed ? Self.services(of: player, run.controlPoint) : []
      if !services.isEmpty { count += 1 }
      self.run?.followed[player.key] = services
      self.run?.silent[player.key] = Set(services.map(\.id))
      self.run?.followers[player.key] = Task {
        await follow(player.key, services, run.controlPoint)
      }
    }
  }

  private func unfollow(_ key: String) {
    run?.followers.removeValue(forKey: key)?.cancel()
    run?.followed[key] = nil
    run?.silent[key] = nil
  }

  private static func services(
    of player: RendererList.Player, _ controlPoint: ControlPoint
  ) -> [ServiceLocation] {
    let remote = RemoteRenderer(player.devices, through: controlPoint)
    let services: [RendererService] =
      remote.isOpenHome
      ? [.product, .transport, .playlist, .radio, .info, .volume, .receiver, .sender]
      : [.avTransport, .renderingControl]
    return services.compactMap(remote.location)
  }

  private func follow(
    _ key: String, _ services: [ServiceLocation], _ controlPoint: ControlPoint
  ) async {
    touch(key)
    await withTaskGroup(of: Void.self) { group in
      for location in services {
        group.addTask {
          while !Task.isCancelled {
            do {
              for try await change in controlPoint.service(location).changes() {
                await self.told(key, location.id, isSilent: change == .interrupted)
              }
            } catch {}
            await self.told(key, location.id, isSilent: true)
            await self.eventLoop.pause(for: Self.retryTime)
          }
        }
      }
      group.addTask {
        while !Task.isCancelled {
          let interval = await self.isSilent(key) ? Self.interval : Self.longInterval
          await self.eventLoop.pause(for: interval)
          await self.touch(key)
        }
      }
    }
  }

  private func told(_ key: String, _ service: String, isSilent: Bool) {
    guard !Task.isCancelled else { return }
    if isSilent { run?.silent[key]?.insert(service) } else { run?.silent[key]?.remove(service) }
    touch(key)
  }

  /// True if a service of a renderer tells nothing, or none is asked to.
  private func isSilent(_ key: String) -> Bool {
    guard let silent = run?.silent[key], run?.followed[key]?.isEmpty == false else { return true }
    return !silent.isEmpty
  }

  /// A renderer may do something else now: it is asked in a moment, if a page shows it.
  func touch(_ key: String) {
    guard followsRenderers, let id = run?.id, run?.touched.insert(key).inserted == true else {
      return
    }
    Task {
      await self.eventLoop.pause(for: Self.moderation)
      guard run?.id == id else { return }
      run?.touched.remove(key)
      await ask(key)
    }
  }

  /// Asks a renderer what it does; one that can play together with others also for that, if a page shows it.
  func ask(_ key: String) async { await ask(key, asRoom: followed.contains(.rooms)) }

  func ask(_ key: String, asRoom: Bool) async {
    guard let run, let player = run.renderers[key], player.isThere else { return }
    let remote = RemoteRenderer(player.devices, through: run.controlPoint)
    var report = RendererList.Report(time: .now())
    report.loudest = run.renderers.reports[player.key]?.loudest
    if report.loudest == nil { report.loudest = remote.isOpenHome ? 100 : await remote.loudest() ?? 100 }
    do throws(RendererFailure) {
      if asRoom, remote.isRoom {
        let room = try await remote.room()
        // It says all that is shown of a renderer.
        (report.room, report.status) = (room, PlayerStatus(room))
      } else {
        report.status = try await remote.status()
        report.room = self.run?.renderers.reports[player.key]?.room
      }
    } catch {
      guard error != .call(.cancelled) else { return }
      report.problem = error.words(player.name) + "."
      report.status = self.run?.renderers.reports[player.key]?.status
      report.room = self.run?.renderers.reports[player.key]?.room
    }
    report.time = .now()
    guard self.run?.id == run.id else { return }
    let before = self.run?.renderers.reports[player.key]?.room
    if self.run?.renderers.take(report, of: player.key) == true {
      changed(.renderers)
    } else if before != report.room {
      changed(.rooms)
    }
  }

  // MARK: This speaker

  /// This speaker is one of the renderers: what it does is shown there too.
  private func followSelf(_ isFollowed: Bool) {
    if isFollowed, observer == nil {
      shownSelf = ownPlace
      observer = player.assumeIsolated { player in
        player.observe { [weak self] _, _ in self?.assumeIsolated { $0.selfChanged() } }
      }
    } else if !isFollowed, let observer {
      self.observer = nil
      player.assumeIsolated { $0.removeObserver(observer) }
    }
  }

  private func selfChanged() {
    let shown = ownPlace
    guard let before = shownSelf, shown != before else { return }
    shownSelf = shown
    changed(shown.renderer != before.renderer ? .renderers : .rooms)
  }
}
