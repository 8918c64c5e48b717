import CGStreamer
import Glibc
import Synchronization

/// Writes what the `file:` output plays to a WAV file, whose header is correct whenever nothing plays.
final class WaveWriter: Sendable {
  private struct State {
    var format: StreamFormat?
    var dataBytes = 0
    var hasFailed = false
  }

  private let descriptor: CInt
  private let notify: @Sendable (PipelineEvent) -> Void
  private let state = Mutex(State())

  /// Truncates or creates the file; nil with `errno` set if it can't be opened.
  init?(path: String, notify: @escaping @Sendable (PipelineEvent) -> Void) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return nil }
    self.notify = notify
  }

  deinit {
    finalise()
    close(descriptor)
  }

  /// Streaming thread: appends one block.
  func append(_ sample: OpaquePointer) -> GstFlowReturn {
    guard let buffer = gst_sample_get_buffer(sample) else { return GST_FLOW_OK }
    return state.withLock { state in
      if state.format == nil {
        guard let read = StreamFormat(caps: gst_sample_get_caps(sample)) else {
          return GST_FLOW_NOT_NEGOTIATED
        }
        state.format = read
        let header = WaveHeader(format: read, dataBytes: 0).bytes
        guard header.withUnsafeBytes({ put($0, &state) }) else { return GST_FLOW_ERROR }
      }
      var map = GstMapInfo()
      guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return GST_FLOW_ERROR }
      defer { gst_buffer_unmap(buffer, &map) }
      guard put(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)), &state) else {
        return GST_FLOW_ERROR
      }
      state.dataBytes += Int(map.size)
      return GST_FLOW_OK
    }
  }

  /// Writes the length of the data into the header.
  func finalise() {
    state.withLock { state in
      guard let format = state.format else { return }
      let header = WaveHeader(format: format, dataBytes: state.dataBytes).bytes
      _ = header.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
  }

  private func put(_ bytes: UnsafeRawBufferPointer, _ state: inout State) -> Bool {
    var rest = bytes
    while let start = rest.baseAddress, rest.count > 0 {
      let count = write(descriptor, start, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        if !state.hasFailed { notify(.writeFailed(String(cString: strerror(errno)))) }
        state.hasFailed = true
        return false
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }
}

/// The 44 bytes before the samples of a WAV file.
struct WaveHeader {
  var format: StreamFormat
  var dataBytes: Int

  var bytes: [UInt8] {
    let isFloat = format.sample.hasPrefix("F")
    let bits = format.bytesPerFrame / max(1, format.channels) * 8
    var result = Array("RIFF".utf8)
    append(UInt32(clamping: dataBytes + 36), to: &result)
    result += Array("WAVEfmt ".utf8)
    append(UInt32(16), to: &result)
    append(UInt16(isFloat ? 3 : 1), to: &result)
    append(UInt16(clamping: format.channels), to: &result)
    append(UInt32(clamping: format.rate), to: &result)
    append(UInt32(clamping: format.rate * format.bytesPerFrame), to: &result)
    append(UInt16(clamping: format.bytesPerFrame), to: &result)
    append(UInt16(clamping: bits), to: &result)
    result += Array("data".utf8)
    append(UInt32(clamping: dataBytes), to: &result)
    return result
  }

  private func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
