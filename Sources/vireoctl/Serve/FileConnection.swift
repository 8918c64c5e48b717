import Glibc
import HTTP
import NIOCore
import Network

/// A connection of the renderer: answers one request after the other, and reads the file only as fast as it is taken.
final class FileConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let pieceBytes: Int64 = 64 * 1024
  private static let inboxBytes = 64 * 1024
  /// The time for the next request.
  private static let requestTime = TimeAmount.seconds(60)

  private struct Sending {
    var descriptor: CInt
    var rest: Range<Int64>
    var closes: Bool
  }

  private let table: FileTable
  private var parser: RequestParser
  private var inbox = ByteBuffer()
  private var sending: Sending?
  private var isAnswering = false
  private var isClosing = false
  private var deadline: Scheduled<Void>?

  init(_ table: FileTable) {
    self.table = table
    var limits = HTTPLimits()
    limits.bodyBytes = 0
    parser = RequestParser(limits: limits)
  }

  func channelActive(context: ChannelHandlerContext) {
    guard let peer = context.remoteAddress.flatMap({ IPAddress($0) }), table.answers(peer),
      table.add(context.channel)
    else { return context.close(promise: nil) }
    awaitRequest(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    sending = nil
    table.remove(context.channel)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    inbox.writeBuffer(&bytes)
    guard inbox.readableBytes <= Self.inboxBytes else { return context.close(promise: nil) }
    answerNext(context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    sendMore(context)
    answerNext(context)
  }

  private func awaitRequest(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: Self.requestTime) { channel.close(promise: nil) }
  }

  private func answerNext(_ context: ChannelHandlerContext) {
    // A write may make the channel writable within it.
    guard !isAnswering else { return }
    isAnswering = true
    defer { isAnswering = false }
    while sending == nil, !isClosing, context.channel.isActive {
      switch parser.next(&inbox) {
      case .needMore: return
      case .head: continue
      case .failure: return context.close(promise: nil)
      case .request(let request): answer(request.head, context)
      }
    }
  }

  private func answer(_ head: RequestHead, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    let file = table.paths[head.path]
    let answer = FileAnswer(to: head, file: file)
    let date = HTTPDate.text(secondsSince1970: time(nil))
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer.text(date: date))), promise: nil)
    sending = Sending(
      descriptor: file?.descriptor ?? -1, rest: answer.body ?? 0..<0, closes: answer.closes)
    sendMore(context)
  }

  private func sendMore(_ context: ChannelHandlerContext) {
    while var part = sending, context.channel.isWritable {
      guard !part.rest.isEmpty else {
        sending = nil
        return ended(context, closes: part.closes)
      }
      let wanted = Int(min(Self.pieceBytes, Int64(part.rest.count)))
      var piece = context.channel.allocator.buffer(capacity: wanted)
      let read = piece.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { bytes in
        max(pread(part.descriptor, bytes.baseAddress, wanted, off_t(part.rest.lowerBound)), 0)
      }
      // The file has become shorter, or can't be read any more: the length that was promised can't be kept.
      guard read > 0 else {
        (sending, isClosing) = (nil, true)
        return context.close(promise: nil)
      }
      table.isRead.store(true, ordering: .relaxed)
      part.rest = part.rest.lowerBound + Int64(read)..<part.rest.upperBound
      sending = part
      context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
    }
  }

  private func ended(_ context: ChannelHandlerContext, closes: Bool) {
    guard closes else { return awaitRequest(context) }
    isClosing = true
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
  }
}
