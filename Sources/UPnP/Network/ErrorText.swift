import Glibc

/// Returns the system's message for an error number.
func errorText(_ code: CInt) -> String { String(cString: strerror(code)) }
