import CSoupGuard

/// What is wrong with a server, which GStreamer's HTTP source doesn't report.
struct ServerFaults: Equatable {
  /// Its certificate was refused.
  var certificate: CertificateFault?
  /// It has sent something, but no answer in HTTP.
  var speaksOtherwise = false
}

extension ServerFaults {
  /// What was last found of the server of `uri`. Each fault is returned once.
  init(of uri: String) {
    certificate = CertificateFault.last(of: uri)
    speaksOtherwise = csoupguard_take_answer_fault(uri) != 0
  }
}
