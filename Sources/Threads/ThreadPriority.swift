import CLinux
import Glibc

/// How soon the calling thread gets a processor when others want it too (sched(7)).
package enum ThreadPriority: Sendable, Equatable {
  /// SCHED_RR: before all ordinary threads, of other programs as well.
  case realTime(CInt)
  /// An ordinary thread with a larger share.
  case nice(CInt)
  case ordinary

  /// Above everything ordinary, below the kernel's own threads (50) and those of a sound server.
  private static let wanted: CInt = 10
  private static let wantedNice: CInt = -11
  private static let whom = __priority_which_t(PRIO_PROCESS.rawValue)

  /// Gives the calling thread as much precedence as the system allows: RLIMIT_RTPRIO and RLIMIT_NICE say how much
  /// (LimitRTPRIO= and LimitNICE= of systemd), CAP_SYS_NICE allows all. Threads that it starts don't inherit it.
  package static func raise() -> ThreadPriority {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit)
    let most = CInt(clamping: limit.rlim_cur)
    for priority in [wanted, min(most, wanted)] where priority > 0 {
      if clinux_schedule_thread(priority) == 0 { return .realTime(priority) }
    }
    // On Linux this is a matter of the thread, not of the process.
    return setpriority(whom, 0, wantedNice) == 0 ? .nice(wantedNice) : .ordinary
  }

  /// Makes the calling thread ordinary again, as nice as the process's first one. Always allowed.
  package static func restore() {
    clinux_schedule_thread(0)
    setpriority(whom, 0, getpriority(whom, id_t(getpid())))
  }
}
