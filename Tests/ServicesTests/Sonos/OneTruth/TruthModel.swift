/// The player as somebody would describe it who only knows what each device promises: a list, a station, a cast, and which of
/// them plays. It knows nothing of outputs, streams, positions and connections.
struct TruthModel: Sendable {
  enum Repeat: Sendable, CaseIterable { case none, all, one }
  enum Source: String, Sendable, CaseIterable {
    case playlist = "Playlist"
    case radio = "Radio"
    case cast = "UPnP AV"
  }
  enum Phase: Sendable {
    case stopped
    /// On the way to playing.
    case starting
    /// Paused on the way, before anything was heard.
    case startingToPause
    /// Another track or place while paused.
    case startingPaused
    case playing, paused
  }
  /// What the MediaRenderer shows: its own cast, what another source plays, or what of another source it has stopped.
  enum Focus: Sendable { case cast, others, stoppedOthers }
  struct Track: Sendable, Equatable {
    var id: UInt32
    var name: String
  }

  let mostTracks: Int
  let volumeLimit: Int

  var tracks: [Track] = []
  /// The id of the current track; 0 for an empty list, nil where only dice know.
  var current: UInt32? = 0
  var lastID: UInt32 = 0
  var repeats = Repeat.none
  var shuffles = false

  var source = Source.playlist
  /// A source that was chosen for the next Play.
  var awaited: Source?
  /// Whose turn it is again when a cast is over.
  var castOver: Source?
  var phase = Phase.stopped
  var isStandby = false

  var station: String?
  var cast: String?
  var castWaits = false
  var focus = Focus.others
  /// How the zone's controller named what it chose.
  var named: (played: String, sent: String)?

  var volume: Int
  var isMuted = false

  init(mostTracks: Int, volumeLimit: Int, volume: Int) {
    (self.mostTracks, self.volumeLimit, self.volume) = (mostTracks, volumeLimit, volume)
  }

  // MARK: What is shown

  static func address(_ name: String) -> String { name.isEmpty ? "" : "http://192.0.2.1/\(name).flac" }

  private var index: Int? { tracks.firstIndex { $0.id == current } }
  var name: String? {
    switch source {
    case .playlist: index.map { tracks[$0].name }
    case .radio: station
    case .cast: cast
    }
  }
  private var uri: String { name.map(Self.address) ?? "" }

  private var phaseText: String {
    switch phase {
    case .stopped: "Stopped"
    case .starting, .startingToPause: "Buffering"
    case .playing: "Playing"
    case .startingPaused, .paused: "Paused"
    }
  }

  var openHome: [String: String] {
    [
      "TransportState": phaseText, "Source": source.rawValue, "Standby": isStandby ? "1" : "0", "Uri": uri,
      "PlaylistState": source == .playlist ? phaseText : "Stopped",
      "RadioState": source == .radio ? phaseText : "Stopped", "Channel": station.map(Self.address) ?? "",
      "Id": String(current ?? 0), "Ids": tracks.map { String($0.id) }.joined(separator: " "),
      "Repeat": repeats == .none ? "0" : "1", "Shuffle": shuffles ? "1" : "0",
      "Volume": String(volume), "Mute": isMuted ? "1" : "0",
    ]
  }

  /// - Parameter queue: the address of the queue.
  func zone(queue: String) -> [String: String] {
    let state =
      switch phase {
      case .stopped: "STOPPED"
      case .starting: "TRANSITIONING"
      case .playing: "PLAYING"
      // A controller that has paused sees that at once.
      case .startingToPause, .startingPaused, .paused: "PAUSED_PLAYBACK"
      }
    var chosen = uri
    if source == .radio, !uri.isEmpty { chosen = "x-rincon-mp3radio://\(uri)" }
    if source != .playlist, let named, named.played == uri { chosen = named.sent }
    let hasTrack = name != nil
    return [
      "TransportState": state, "CurrentPlayMode": Self.mode(repeats, shuffles),
      "TrackURI": source == .playlist ? uri : chosen,
      "AVTransportURI": source == .playlist ? queue : chosen,
      "NumberOfTracks": source == .playlist ? String(tracks.count) : hasTrack ? "1" : "0",
      "CurrentTrack": source == .playlist ? String(index.map { $0 + 1 } ?? 0) : hasTrack ? "1" : "0",
      "Volume": String(volume), "Mute": isMuted ? "1" : "0",
      "Titles": tracks.map(\.name).joined(separator: " "),
    ]
  }

  static func mode(_ repeats: Repeat, _ shuffles: Bool) -> String {
    switch (repeats, shuffles) {
    case (.none, false): "NORMAL"
    case (.all, false): "REPEAT_ALL"
    case (.one, false): "REPEAT_ONE"
    case (.none, true): "SHUFFLE_NOREPEAT"
    case (.all, true): "SHUFFLE"
    case (.one, true): "SHUFFLE_REPEAT_ONE"
    }
  }

  private var shown: Source? {
    switch focus {
    case .cast: cast == nil ? nil : .cast
    case .others: source == .cast || phase == .stopped ? nil : source
    case .stoppedOthers: source == .cast || name == nil ? nil : source
    }
  }

  var renderer: [String: String] {
    let isActive = shown == source
    let state =
      switch phase {
      case _ where shown == nil: "NO_MEDIA_PRESENT"
      case _ where !isActive: "STOPPED"
      case .stopped: "STOPPED"
      case .starting, .startingToPause: "TRANSITIONING"
      case .playing: "PLAYING"
      case .startingPaused, .paused: "PAUSED_PLAYBACK"
      }
    return [
      "TransportState": state,
      "Uri": shown == nil ? "" : isActive ? uri : Self.address(cast ?? ""),
      "Volume": String(volume), "Mute": isMuted ? "1" : "0",
    ]
  }

  // MARK: The transport

  private var isGoing: Bool { phase == .starting || phase == .playing }

  private mutating func run() {
    switch phase {
    case .stopped where name == nil: break
    case .stopped, .startingToPause, .startingPaused: phase = .starting
    case .paused: phase = .playing
    case .starting, .playing: break
    }
  }

  private mutating func hold() {
    switch phase {
    case .starting: phase = .startingToPause
    case .playing: phase = .paused
    case .stopped, .startingToPause, .startingPaused, .paused: break
    }
  }

  /// The current track begins anew, in the same state.
  private mutating func restart() {
    guard name != nil || current == nil else {
      phase = .stopped
      return
    }
    switch phase {
    case .stopped, .startingToPause, .startingPaused: break
    case .starting, .playing: phase = .starting
    case .paused: phase = .startingPaused
    }
  }

  private mutating func begin() { phase = name == nil && current != nil ? .stopped : .starting }

  mutating func heard() {
    switch phase {
    case .starting: phase = .playing
    case .startingToPause, .startingPaused: phase = .paused
    case .stopped, .playing, .paused: break
    }
  }

  private mutating func switchTo(_ new: Source) {
    guard new != source else { return }
    if source == .cast, phase != .stopped { focus = .others }
    phase = .stopped
    source = new
    castOver = nil
    if new == .cast {
      if cast != nil { focus = .cast }
    } else if focus == .stoppedOthers {
      focus = .others
    }
  }

  private mutating func activate(_ new: Source) {
    isStandby = false
    awaited = nil
    switchTo(new)
  }

  /// What the MediaRenderer shows follows what plays.
  fileprivate mutating func settle(since old: TruthModel) {
    guard phase != .stopped else { return }
    if source == .cast {
      if cast != nil { focus = .cast }
      castWaits = false
    } else if old.phase == .stopped || old.source != source {
      focus = .others
    }
  }

  /// A cast that has been over for a while gives the transport back.
  fileprivate mutating func quiet() {
    if phase == .stopped, let castOver { switchTo(castOver) }
  }

  // MARK: The list

  private mutating func insert(_ names: [String], at place: Int) {
    let room = names.prefix(mostTracks - tracks.count)
    let new = room.enumerated().map { Track(id: lastID + 1 + UInt32($0), name: $1) }
    lastID += UInt32(new.count)
    let wasEmpty = tracks.isEmpty
    tracks.insert(contentsOf: new, at: place)
    if wasEmpty { current = shuffles && new.count > 1 ? nil : new.first?.id ?? 0 }
  }

  private mutating func removeAll() {
    guard !tracks.isEmpty else { return }
    (tracks, current) = ([], 0)
    if source == .playlist { phase = .stopped }
  }

  /// What may come of it: where a shuffled list goes, only dice know.
  private func removing(_ ids: Set<UInt32>) -> [TruthModel] {
    var new = self
    new.tracks.removeAll { ids.contains($0.id) }
    guard !new.tracks.isEmpty else {
      new = self
      new.removeAll()
      return [new]
    }
    guard ids.contains(current ?? 0) else { return [new] }
    let following = tracks.drop { $0.id != current }.first { !ids.contains($0.id) }
    func ended(_ hasFollower: Bool) -> TruthModel {
      var model = new
      model.current = shuffles ? nil : following?.id ?? new.tracks[0].id
      let goesOn = hasFollower || repeats != .none
      if source == .playlist { model.phase = goesOn && isGoing && !isStandby ? .starting : .stopped }
      return model
    }
    return shuffles ? [ended(true), ended(false)] : [ended(following != nil)]
  }

  /// Where Next leads, or Previous; none at the end. With two answers only dice know.
  private func neighbours(_ isAhead: Bool) -> [UInt32?] {
    guard !tracks.isEmpty, let index else { return [nil] }
    let place = index + (isAhead ? 1 : -1)
    guard !shuffles else { return repeats == .none ? [0, nil] : [0] }
    if tracks.indices.contains(place) { return [tracks[place].id] }
    return repeats == .none ? [nil] : [(isAhead ? tracks.first : tracks.last)?.id]
  }

  private func moved(to neighbour: UInt32) -> TruthModel {
    var model = self
    model.current = shuffles ? nil : neighbour
    return model
  }

  private mutating func playPlaylist() {
    let (wasActive, before) = (source == .playlist && !isStandby, phase)
    activate(.playlist)
    if phase == .stopped, shuffles, !tracks.isEmpty { current = nil }
    if wasActive, before == .playing { begin() } else if current == nil { phase = .starting } else { run() }
  }

  private mutating func playRadio() {
    activate(.radio)
    if station != nil { phase = .starting }
  }

  private mutating func play(_ source: Source) {
    switch source {
    case .playlist: playPlaylist()
    case .radio: playRadio()
    case .cast: run()
    }
  }
}

// MARK: - What actions do

extension TruthModel {
  /// One of the outcomes that an action may have.
  struct Outcome: Sendable {
    var model: TruthModel
    var fault: Int?
  }

  func outcomes(of action: TruthAction) -> [Outcome] {
    let outcomes: [Outcome]
    switch action {
    case .zone(let action): outcomes = zone(action)
    case .openHome(let action): outcomes = openHome(action)
    case .renderer(let action): outcomes = renderer(action)
    case .heard: outcomes = does { $0.heard() }
    case .ended: outcomes = ended()
    case .quiet: outcomes = does { $0.quiet() }
    }
    return outcomes.map { outcome in
      var outcome = outcome
      if outcome.fault == nil { outcome.model.settle(since: self) }
      return outcome
    }
  }

  private func does(_ change: (inout TruthModel) -> Void) -> [Outcome] {
    var model = self
    change(&model)
    return [Outcome(model: model, fault: nil)]
  }

  private func fault(_ code: Int) -> [Outcome] { [Outcome(model: self, fault: code)] }

  private var canHold: Bool { source != .radio }

  /// The end of the track that plays.
  private func ended() -> [Outcome] {
    guard phase == .playing, source != .radio else { return does { _ in } }
    guard source == .playlist else { return does { $0.phase = .stopped } }
    guard repeats != .one else { return does { $0.restart() } }
    return neighbours(true).map { neighbour in
      var model = neighbour.map(moved) ?? self
      model.phase = neighbour == nil ? .stopped : .starting
      if neighbour == nil { model.current = shuffles ? nil : tracks.first?.id ?? 0 }
      return Outcome(model: model, fault: nil)
    }
  }

  // MARK: The zone

  private func zone(_ action: TruthAction.Zone) -> [Outcome] {
    switch action {
    case .add(let names, let place, let asNext):
      guard tracks.count < mostTracks else { return fault(709) }
      let isNext = place == 0 && asNext && shuffles && !tracks.isEmpty
      let next = isNext ? (index ?? 0) + 1 : nil
      return does { $0.insert(names, at: next ?? at(place)) }
    case .addEach(let names, let place):
      guard tracks.count < mostTracks else { return fault(709) }
      return does { $0.insert(names, at: at(place)) }
    case .remove(let place):
      guard tracks.indices.contains(place - 1) else { return fault(402) }
      return removing([tracks[place - 1].id]).map { Outcome(model: $0, fault: nil) }
    case .removeRange(let start, let count):
      guard count > 0 else { return does { _ in } }
      guard start >= 1, start + count - 1 <= tracks.count else { return fault(402) }
      let ids = tracks[(start - 1)..<(start - 1 + count)].map(\.id)
      return removing(Set(ids)).map { Outcome(model: $0, fault: nil) }
    case .removeAll: return does { $0.removeAll() }
    case .move(let start, let count, let target):
      guard start >= 1, count >= 1, start + count - 1 <= tracks.count, (1...tracks.count + 1).contains(target)
      else { return fault(402) }
      return does { $0.move(start - 1, count, before: target - 1) }
    case .seekTrack(let number):
      guard source == .playlist else { return fault(701) }
      guard tracks.indices.contains(number - 1) else { return fault(711) }
      return does {
        $0.awaited = nil
        $0.current = tracks[number - 1].id
        $0.restart()
      }
    case .seekTime:
      guard name != nil else { return fault(701) }
      guard source != .radio else { return fault(phase == .stopped ? 711 : 701) }
      return does {
        $0.awaited = nil
        if $0.phase != .playing, $0.phase != .paused { $0.restart() }
      }
    case .play:
      guard name != nil else { return fault(701) }
      return does {
        ($0.isStandby, $0.awaited) = (false, nil)
        phase == .stopped ? $0.play(source) : $0.run()
      }
    case .pause:
      guard phase != .stopped else { return fault(701) }
      return does {
        $0.awaited = nil
        canHold ? $0.hold() : $0.halt()
      }
    case .stop:
      return does {
        $0.awaited = nil
        $0.halt()
      }
    case .next, .previous:
      guard source != .radio, name != nil else { return fault(701) }
      let isAhead = if case .next = action { true } else { false }
      return (source == .cast ? [nil] : neighbours(isAhead)).map { neighbour in
        guard let neighbour else { return Outcome(model: self, fault: 711) }
        var model = moved(to: neighbour)
        model.awaited = nil
        model.restart()
        return Outcome(model: model, fault: nil)
      }
    case .setMode(let repeats, let shuffles):
      guard source == .playlist else { return fault(712) }
      return does { ($0.repeats, $0.shuffles) = (repeats, shuffles) }
    case .selectQueue:
      return does { if source != .playlist { $0.select(.playlist) } }
    case .setTrack(let name):
      return does {
        $0.select(.cast)
        ($0.cast, $0.focus) = (name, .cast)
        $0.castWaits = false
        $0.named = (Self.address(name), Self.address(name))
      }
    case .setStation(let name, let isShort):
      return does {
        $0.select(.radio)
        $0.station = name
        $0.named = (Self.address(name), Self.station(name, isShort: isShort))
      }
    case .setVolume(let step), .setGroupVolume(let step):
      return does { $0.volume = min(step, 100, volumeLimit) }
    case .changeVolume(let distance):
      return does { $0.volume = min(max(volume + distance, 0), 100, volumeLimit) }
    case .setMute(let isMuted), .setGroupMute(let isMuted): return does { $0.isMuted = isMuted }
    }
  }

  static func station(_ name: String, isShort: Bool) -> String {
    "x-rincon-mp3radio://\(isShort ? String(address(name).dropFirst(7)) : address(name))"
  }

  /// The index before which a track goes; places count from 1, and 0 is for the end.
  private func at(_ place: Int) -> Int { place == 0 ? tracks.count : min(place - 1, tracks.count) }

  private mutating func move(_ start: Int, _ count: Int, before target: Int) {
    guard !(start...start + count).contains(target) else { return }
    let moved = Array(tracks[start..<(start + count)])
    tracks.removeSubrange(start..<(start + count))
    tracks.insert(contentsOf: moved, at: target > start ? target - count : target)
  }

  private mutating func halt() { phase = .stopped }

  private mutating func select(_ new: Source) {
    awaited = nil
    halt()
    switchTo(new)
    castOver = nil
  }

  // MARK: OpenHome

  private func openHome(_ action: TruthAction.OpenHome) -> [Outcome] {
    let isActive = source == .playlist && !isStandby
    switch action {
    case .insert(let name, let after):
      guard tracks.count < mostTracks else { return fault(801) }
      let place = after == 0 ? 0 : tracks.firstIndex { $0.id == after }.map { $0 + 1 }
      guard let place else { return fault(800) }
      return does { $0.insert([name], at: place) }
    case .delete(let id):
      guard tracks.contains(where: { $0.id == id }) else { return fault(800) }
      return removing([id]).map { Outcome(model: $0, fault: nil) }
    case .deleteAll: return does { $0.removeAll() }
    case .seekID(let id):
      guard tracks.contains(where: { $0.id == id }) else { return fault(800) }
      return does { $0.start(id) }
    case .seekIndex(let index):
      guard tracks.indices.contains(index) else { return fault(802) }
      return does { $0.start(tracks[index].id) }
    case .seekTime:
      guard isActive else { return does { _ in } }
      guard name != nil else { return fault(803) }
      return does {
        $0.awaited = nil
        if $0.phase == .startingToPause || $0.phase == .startingPaused { $0.phase = .starting }
        $0.run()
      }
    case .play: return does { $0.playPlaylist() }
    case .pause:
      return does { if isActive { ($0.awaited, _) = (nil, $0.hold()) } }
    case .stop:
      return does { if isActive { ($0.awaited, _) = (nil, $0.halt()) } }
    case .next: return isActive ? openHomeSkip(isAhead: true) : does { _ in }
    case .previous: return isActive ? openHomeSkip(isAhead: false) : does { _ in }
    case .transportPlay:
      return does {
        $0.isStandby = false
        $0.play(awaited ?? source)
      }
    case .transportPause:
      return does {
        $0.awaited = nil
        canHold ? $0.hold() : $0.halt()
      }
    case .transportStop:
      return does {
        $0.awaited = nil
        guard source == .cast else { return $0.halt() }
        if shown != nil { $0.halt() }
      }
    case .skipNext, .skipPrevious:
      guard source == .playlist else { return fault(801) }
      let isAhead = if case .skipNext = action { true } else { false }
      return does { $0.isStandby = false }.flatMap { $0.model.openHomeSkip(isAhead: isAhead) }
    case .setRepeat(let isOn):
      return does { $0.repeats = !isOn ? .none : repeats == .one ? .one : .all }
    case .setShuffle(let isOn): return does { $0.shuffles = isOn }
    case .setSource(let new):
      return does {
        $0.activate(new)
        $0.castOver = nil
      }
    case .setStandby(true):
      return does {
        guard !isStandby else { return }
        if source == .cast, phase != .stopped { $0.focus = .others }
        $0.halt()
        $0.isStandby = true
      }
    case .setStandby(false):
      return does {
        guard isStandby else { return }
        $0.activate(castOver ?? source)
        $0.castOver = nil
      }
    case .setChannel(let name):
      return does {
        if phase == .stopped || source == .radio { $0.activate(.radio) } else { $0.awaited = .radio }
        guard station != name else { return }
        $0.station = name
        if $0.source == .radio { $0.halt() }
      }
    case .playRadio: return does { $0.playRadio() }
    case .stopRadio:
      return does { if source == .radio, !isStandby { $0.halt() } }
    case .setVolume(let step):
      if step > 200 || step > 100 && volume == 100 { return fault(811) }
      return does { ($0.volume, $0.isMuted) = (min(step, 100, volumeLimit), false) }
    case .changeVolume(let up):
      return does { ($0.volume, $0.isMuted) = (min(max(volume + (up ? 1 : -1), 0), volumeLimit), false) }
    case .setMute(let isMuted): return does { $0.isMuted = isMuted }
    }
  }

  private mutating func start(_ id: UInt32) {
    activate(.playlist)
    current = id
    begin()
  }

  /// Next and Previous of OpenHome start the track; beyond the end they stop at the first.
  private func openHomeSkip(isAhead: Bool) -> [Outcome] {
    neighbours(isAhead).map { neighbour in
      var model = neighbour.map(moved) ?? self
      model.awaited = nil
      if neighbour == nil { model.current = shuffles && !tracks.isEmpty ? nil : tracks.first?.id ?? 0 }
      model.phase = neighbour == nil ? .stopped : .starting
      return Outcome(model: model, fault: nil)
    }
  }

  // MARK: The MediaRenderer

  private func renderer(_ action: TruthAction.Renderer) -> [Outcome] {
    switch action {
    case .setURI(let name):
      return does {
        $0.cast = name.isEmpty ? nil : name
        $0.focus = name.isEmpty ? .others : .cast
        if source == .cast { $0.restart() }
        $0.castWaits = !name.isEmpty && (source != .cast || $0.phase == .stopped)
      }
    case .play: return playRenderer()
    case .setVolume(let step): return does { $0.volume = min(step, volumeLimit) }
    case .setMute(let isMuted): return does { $0.isMuted = isMuted }
    case .pause, .stop, .next, .previous, .seekTime: break
    }
    guard let shown else { return fault(701) }
    let isActive = shown == source
    var model = self
    if shown != .cast { model.castWaits = false }
    if isActive { model.awaited = nil }
    switch action {
    case .pause:
      guard isActive, phase != .stopped, canHold else { return fault(701) }
      return model.does { $0.hold() }
    case .stop:
      return model.does {
        guard phase != .stopped else { return }
        $0.halt()
        if shown != .cast { $0.focus = .stoppedOthers }
      }
    case .next, .previous:
      let isAhead = if case .next = action { true } else { false }
      return (shown == .playlist ? neighbours(isAhead) : [nil]).map { neighbour in
        guard let neighbour else { return Outcome(model: self, fault: 711) }
        var moved = model.moved(to: neighbour)
        moved.restart()
        return Outcome(model: moved, fault: nil)
      }
    case .seekTime:
      guard shown != .radio else { return fault(711) }
      return model.does { if isActive, $0.phase != .playing, $0.phase != .paused { $0.restart() } }
    case .setURI, .play, .setVolume, .setMute: return [Outcome(model: model, fault: nil)]
    }
  }

  private func playRenderer() -> [Outcome] {
    let played: Source?
    if let shown {
      played = castWaits && shown == source && isGoing ? .cast : shown
    } else {
      played = cast != nil && (castWaits || source == .cast) ? .cast : nil
    }
    guard let played else { return fault(701) }
    return does {
      if played == .cast {
        $0.activate(.cast)
        if source != .cast { $0.castOver = source }
        $0.run()
      } else if phase == .stopped {
        $0.play(played)
      } else {
        $0.run()
      }
    }
  }
}
