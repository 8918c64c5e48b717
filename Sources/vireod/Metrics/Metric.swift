/// The daemon's metrics with their names, kinds and help texts.
enum Metric: String, Sendable, CaseIterable {
  case buildInfo = "vireo_build_info"
  case uptime = "vireo_uptime_seconds"
  case limit = "vireo_limit"

  case actions = "vireo_actions_total"
  case actionFaults = "vireo_action_faults_total"
  case actionDuration = "vireo_action_duration_seconds"

  case httpRequests = "vireo_http_requests_total"
  case httpConnections = "vireo_http_connections"
  case refusals = "vireo_refusals_total"
  case subscriptions = "vireo_subscriptions"
  case subscriptionsDropped = "vireo_subscriptions_dropped_total"
  case events = "vireo_events_total"

  case tracksStarted = "vireo_tracks_started_total"
  case tracksGapless = "vireo_tracks_gapless_total"
  case underruns = "vireo_underruns_total"
  case stationsLost = "vireo_stations_lost_total"
  case playbackFailures = "vireo_playback_failures_total"
  case buffered = "vireo_buffer_seconds"
  case playerState = "vireo_player_state"
  case soundDevice = "vireo_sound_device"
  case soundRate = "vireo_sound_rate_hertz"
  case soundDepth = "vireo_sound_depth_bits"
  case soundResampled = "vireo_sound_resampled"
  case bitPerfect = "vireo_bit_perfect"
  case volumeMade = "vireo_volume_made"
  case volume = "vireo_volume"
  case muted = "vireo_muted"

  // Named as in Prometheus' own client libraries.
  case processCPU = "process_cpu_seconds_total"
  case processMemory = "process_resident_memory_bytes"
  case processDescriptors = "process_open_fds"
  case processThreads = "process_threads"

  enum Kind: Sendable { case counter, gauge, histogram }

  var kind: Kind {
    if self == .actionDuration { return .histogram }
    return rawValue.hasSuffix("_total") ? .counter : .gauge
  }

  /// A one-line description with the unit.
  var help: String {
    switch self {
    case .buildInfo: "Always 1."
    case .uptime: "Time since the start."
    case .limit: "What [limits] of the configuration allows; times are in seconds."
    case .actions: "Actions, failed ones included."
    case .actionFaults: "Actions that were answered with a UPnP error."
    case .actionDuration: "From the complete request to the complete response."
    case .httpRequests: "Requests that were answered."
    case .httpConnections: "Connections open now."
    case .refusals: "What was refused, by reason."
    case .subscriptions: "Event subscriptions now."
    case .subscriptionsDropped: "Subscriptions that ended on 412, or gave their place up out of reach."
    case .events: "Event messages, by what became of them."
    case .tracksStarted: "Tracks that were heard."
    case .tracksGapless: "Of those, the ones that followed without a gap."
    case .underruns: "Times that sound broke off to wait for data."
    case .stationsLost: "Times that a station or a track broke off, or wasn't there again yet."
    case .playbackFailures: "Tracks and stations that couldn't be played, skipped ones included, by kind."
    case .buffered: "Sound of the current track that lies ready; 0 while nothing plays."
    case .playerState: "1 for what the player does now."
    case .soundDevice:
      "1 for what becomes of the sound: closed, open, silent (no device is there), away (waited for)."
    case .soundRate: "Samples per second that the sound device gets; 0 while none is open."
    case .soundDepth: "Bits of a sample that the sound device gets; 0 while none is open."
    case .soundResampled: "1 while the sound device gets another rate than was decoded."
    case .bitPerfect: "1 while the sound device gets exactly what was decoded."
    case .volumeMade: "1 for where the volume is applied: samples, card, program, nowhere (fixed at full)."
    case .volume: "Volume, 0 to 100."
    case .muted: "1 while muted."
    case .processCPU: "Processor time used."
    case .processMemory: "Resident memory."
    case .processDescriptors: "Open descriptors."
    case .processThreads: "Threads."
    }
  }
}
