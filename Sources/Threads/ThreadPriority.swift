import CLinux
import Glibc

/// The calling thread's precedence over other threads that are ready to run (sched(7)).
package enum ThreadPriority: Sendable, Equatable {
  /// SCHED_RR: ahead of all ordinary threads, those of other programs included.
  case realTime(CInt)
  /// An ordinary thread with a larger share of the processor.
  case nice(CInt)
  case ordinary

  /// Above all ordinary threads, below the kernel's own (50) and those of a sound server.
  private static let wanted: CInt = 10
  private static let wantedNice: CInt = -11
  private static let whom = __priority_which_t(PRIO_PROCESS.rawValue)

  /// Raises the calling thread as far as the system allows, and returns what it got.
  ///
  /// The limits are RLIMIT_RTPRIO and RLIMIT_NICE (systemd's LimitRTPRIO= and LimitNICE=); CAP_SYS_NICE lifts them.
  /// Threads that this thread starts don't inherit the priority.
  package static func raise() -> ThreadPriority {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit)
    let most = CInt(clamping: limit.rlim_cur)
    for priority in [wanted, min(most, wanted)] where priority > 0 {
      if clinux_schedule_thread(priority) == 0 { return .realTime(priority) }
    }
    // On Linux the nice value belongs to the thread, not to the process.
    return setpriority(whom, 0, wantedNice) == 0 ? .nice(wantedNice) : .ordinary
  }

  /// Makes the calling thread ordinary again, with the nice value of the process's first thread; always allowed.
  package static func restore() {
    clinux_schedule_thread(0)
    setpriority(whom, 0, getpriority(whom, id_t(getpid())))
  }
}
