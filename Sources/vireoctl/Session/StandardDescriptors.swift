import Glibc

/// The descriptors 0 to 2, which whoever starts a program may have closed.
enum StandardDescriptors {
  /// Opens what is closed, before anything else takes its number: what is printed would go there.
  ///
  /// Results that can't be printed are an error all the same; messages are lost.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest number that is free. Writing to stdout fails.
      _ = Glibc.open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
