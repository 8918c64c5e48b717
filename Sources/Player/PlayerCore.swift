/// The player: keeps the state, passes effects to the edges and changes to the observers.
///
/// Runs on the executor it is given; code that already runs on that executor calls it synchronously with
/// `assumeIsolated`. No method suspends, so no caller sees an incomplete change.
public actor PlayerCore {
  /// Performs every effect except ``Effect/output(_:)``. Called on the core's executor; must return at once.
  /// A resolution may be answered at once or later.
  public typealias Edge = @Sendable (_ effect: Effect, _ core: isolated PlayerCore) -> Void
  /// Receives every change, in order, on the core's executor.
  public typealias Observer = @Sendable (_ old: PlayerState, _ new: PlayerState) -> Void

  /// Identifies an observer for removal.
  public struct ObserverID: Sendable, Hashable {
    let value: UInt64
  }

  private struct Change {
    let old: PlayerState
    let new: PlayerState
    let effects: [Effect]
  }

  public private(set) var state: PlayerState
  private let executor: any SerialExecutor
  private let output: any AudioOutput
  private let clock: @Sendable () -> PlayerInstant
  private let edge: Edge
  private var observers: [(id: ObserverID, observer: Observer)] = []
  private var lastObserver: UInt64 = 0
  private var pending: [Change] = []
  private var isDelivering = false

  nonisolated public var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A player, which sends `output` the gain at once and does nothing else until the first command.
  ///
  /// - Parameters:
  ///   - executor: the executor to run on.
  ///   - configuration: the settings that the rules depend on.
  ///   - output: the sound output.
  ///   - clock: a monotonic clock, read once per input.
  ///   - initial: the state saved at the end of the last run.
  ///   - unsavedID: see ``PlayerState/init(configuration:snapshot:unsavedID:)``.
  ///   - edge: see ``Edge``.
  public init(
    executor: any SerialExecutor, configuration: PlayerConfiguration, output: any AudioOutput,
    clock: @escaping @Sendable () -> PlayerInstant, initial: PlayerSnapshot? = nil, unsavedID: UInt32 = 0,
    edge: @escaping Edge
  ) {
    self.executor = executor
    self.output = output
    self.clock = clock
    self.edge = edge
    state = PlayerState(configuration: configuration, snapshot: initial, unsavedID: unsavedID)
    let gain = state.volume.gain
    output.submit(.setGain(left: gain.left, right: gain.right))
  }

  /// The instant for computing positions.
  public var now: PlayerInstant { clock() }

  /// Position in the current track.
  public var position: Duration { state.position(at: clock()) }

  /// Performs `command`, or throws and changes nothing.
  public func perform(_ command: Command) throws(PlayerError) {
    var new = state
    let effects = try new.apply(command, at: clock())
    commit(new, effects)
  }

  /// Performs all of `commands` as one change, or throws and changes nothing.
  public func perform(_ commands: [Command]) throws(PlayerError) {
    var new = state
    var effects: [Effect] = []
    for command in commands { effects += try new.apply(command, at: clock()) }
    commit(new, effects)
  }

  /// Processes an output event. Events must come in the order in which the output sent them.
  public func receive(_ event: OutputEvent) {
    var new = state
    let effects = new.apply(event, at: clock())
    commit(new, effects)
  }

  /// Answers ``Effect/resolve(_:_:)``.
  public func resolved(_ id: ResolveID, _ resolution: Resolution) {
    var new = state
    let effects = new.apply(resolution, of: id, at: clock())
    commit(new, effects)
  }

  /// Answers ``Effect/findPin(_:_:)``.
  public func found(_ finding: PinFinding, of id: ResolveID) {
    var new = state
    let effects = new.apply(finding, of: id, at: clock())
    commit(new, effects)
  }

  /// Calls `observer` for every change from now on.
  @discardableResult
  public func observe(_ observer: @escaping Observer) -> ObserverID {
    lastObserver += 1
    let id = ObserverID(value: lastObserver)
    observers.append((id, observer))
    return id
  }

  public func removeObserver(_ id: ObserverID) {
    observers.removeAll { $0.id == id }
  }

  /// Changes the state and then sends effects and changes in order.
  ///
  /// An edge or an observer may itself send a command: the state then changes at once, while effects and
  /// changes are queued.
  private func commit(_ new: PlayerState, _ effects: [Effect]) {
    let old = state
    state = new
    guard old != new || !effects.isEmpty else { return }
    pending.append(Change(old: old, new: new, effects: effects))
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while !pending.isEmpty { deliver(pending.removeFirst()) }
  }

  private func deliver(_ change: Change) {
    for effect in change.effects {
      switch effect {
      case .output(let request): output.submit(request)
      case .resolve, .report, .wake, .store, .refreshPresets, .findPin, .stopFindingPin: edge(effect, self)
      }
    }
    guard change.old != change.new else { return }
    for (_, observer) in observers { observer(change.old, change.new) }
  }
}
