import CGStreamer
import Glibc
import Synchronization

/// Writes what the `file:` output plays to a WAV file, whose header is correct whenever nothing plays.
///
/// For tests it says beside it when that is heard (``TrialClock``), a line for each block: number of the block's first frame
/// in the file, nanoseconds of CLOCK_MONOTONIC at which it is heard, samples per second, and by how many nanoseconds the
/// block came later than that. A sound card would have taken it a buffer's length earlier, so being a little late is no fault.
/// Then nothing is overwritten: each time the device is opened or gets another format, it goes on in files of their own,
/// `.1`, `.2` … behind the first.
final class WaveWriter: Sendable {
  private struct State {
    var files: Files
    var format: StreamFormat?
    var dataBytes = 0
    var hasFailed = false
  }

  /// Descriptors. Those of the times are -1 where nobody wants to know them.
  private struct Files {
    var samples: CInt
    var times: CInt = -1

    func close() {
      _ = Glibc.close(samples)
      if times >= 0 { _ = Glibc.close(times) }
    }
  }

  private let path: String
  private let times: String?
  private let notify: @Sendable (PipelineEvent) -> Void
  private let state: Mutex<State>

  /// Opens the files; nil with `errno` set if they can't be opened.
  ///
  /// - Parameter times: where the times go; nil: nowhere.
  init?(path: String, times: String?, notify: @escaping @Sendable (PipelineEvent) -> Void) {
    guard let files = Self.open(path, times) else { return nil }
    (self.path, self.times, self.notify) = (path, times, notify)
    state = Mutex(State(files: files))
  }

  deinit {
    finalise()
    state.withLock { $0.files.close() }
  }

  /// Truncates or creates the file; with times, the first ones that don't exist yet.
  private static func open(_ path: String, _ times: String?) -> Files? {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC
    guard let times else {
      let samples = Glibc.open(path, flags | O_TRUNC, 0o644)
      return samples < 0 ? nil : Files(samples: samples)
    }
    let suffixes = (0..<10_000).lazy.map { $0 == 0 ? "" : ".\($0)" }
    let suffix = suffixes.first { access(path + $0, F_OK) != 0 } ?? ""
    let samples = Glibc.open(path + suffix, flags | O_EXCL, 0o644)
    guard samples >= 0 else { return nil }
    let lines = Glibc.open(times + suffix, flags | O_TRUNC, 0o644)
    guard lines >= 0 else {
      let reason = errno
      close(samples)
      errno = reason
      return nil
    }
    return Files(samples: samples, times: lines)
  }

  /// Streaming thread: appends one block, which `sink` plays now.
  func append(_ sample: OpaquePointer, heardBy sink: UnsafeMutablePointer<GstElement>) -> GstFlowReturn {
    guard let buffer = gst_sample_get_buffer(sample) else { return GST_FLOW_OK }
    return state.withLock { state in
      if state.format == nil || state.files.times >= 0 {
        guard let read = StreamFormat(caps: gst_sample_get_caps(sample)) else {
          return GST_FLOW_NOT_NEGOTIATED
        }
        guard state.format == read || begin(read, &state) else { return GST_FLOW_ERROR }
      }
      noteTime(of: sample, heardBy: sink, &state)
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

  /// Writes the header; behind samples of another format, that of further files.
  private func begin(_ format: StreamFormat, _ state: inout State) -> Bool {
    if state.format != nil, let files = Self.open(path, times) {
      writeHeader(state)
      state.files.close()
      (state.files, state.dataBytes) = (files, 0)
    }
    state.format = format
    return WaveHeader(format: format, dataBytes: 0).bytes.withUnsafeBytes { put($0, &state) }
  }

  private func noteTime(
    of sample: OpaquePointer, heardBy sink: UnsafeMutablePointer<GstElement>, _ state: inout State
  ) {
    guard state.files.times >= 0, let format = state.format, let heard = TrialClock.heard(sample, by: sink)
    else { return }
    let frame = state.dataBytes / max(1, format.bytesPerFrame)
    let late = Int64(MonotonicTime.now.nanoseconds) - Int64(heard)
    var line = "\(frame) \(heard) \(format.rate) \(late)\n"
    line.withUTF8 { _ = write(state.files.times, $0.baseAddress, $0.count) }
  }

  /// Writes the length of the data into the header.
  func finalise() {
    state.withLock { writeHeader($0) }
  }

  private func writeHeader(_ state: borrowing State) {
    guard let format = state.format else { return }
    let header = WaveHeader(format: format, dataBytes: state.dataBytes).bytes
    _ = header.withUnsafeBytes { pwrite(state.files.samples, $0.baseAddress, $0.count, 0) }
  }

  private func put(_ bytes: UnsafeRawBufferPointer, _ state: inout State) -> Bool {
    var rest = bytes
    while let start = rest.baseAddress, rest.count > 0 {
      let count = write(state.files.samples, start, rest.count)
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
