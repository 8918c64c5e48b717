import JSON

/// The media servers, as a section that pages follow.
struct ServersSection: PageSection {
  let control: MediaControl

  var version: Int { control.assumeIsolated { $0.serversVersion } }

  func write(to json: inout JSONWriter) {
    let servers = control.assumeIsolated { $0.shownServers }
    servers.write(to: &json)
  }

  func followed(_ isFollowed: Bool) { control.assumeIsolated { $0.follow(.servers, isFollowed) } }
}

/// The renderers, as a section that pages follow.
struct RenderersSection: PageSection {
  let control: MediaControl

  var version: Int { control.assumeIsolated { $0.renderersVersion } }

  func write(to json: inout JSONWriter) {
    let renderers = control.assumeIsolated { $0.shownRenderers }
    renderers.write(to: &json)
  }

  func followed(_ isFollowed: Bool) { control.assumeIsolated { $0.follow(.renderers, isFollowed) } }
}

/// The rooms that can play together, as a section that pages follow.
struct RoomsSection: PageSection {
  let control: MediaControl

  var version: Int { control.assumeIsolated { $0.roomsVersion } }

  func write(to json: inout JSONWriter) {
    let rooms = control.assumeIsolated { $0.shownRooms }
    rooms.write(to: &json)
  }

  func followed(_ isFollowed: Bool) { control.assumeIsolated { $0.follow(.rooms, isFollowed) } }
}

extension MediaControl {
  /// Registers the sections `servers`, `renderers` and `rooms`. Call once.
  public nonisolated func addSections() {
    sections[.servers] = ServersSection(control: self)
    sections[.renderers] = RenderersSection(control: self)
    sections[.rooms] = RoomsSection(control: self)
  }

  /// The first page follows a section, or the last one has stopped.
  func follow(_ section: PageSections.Name, _ isFollowed: Bool) {
    guard followed.contains(section) != isFollowed else { return }
    if isFollowed {
      followed.insert(section)
      hold()
    } else {
      followed.remove(section)
      release()
    }
    if section != .servers { adjustFollowing() }
    if section == .rooms { adjustRooms() }
  }
}
