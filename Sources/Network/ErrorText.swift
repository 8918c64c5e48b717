import Glibc

/// Returns the system's message for an error number.
package func errorText(_ code: CInt) -> String { String(cString: strerror(code)) }
