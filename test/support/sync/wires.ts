/** Wires and channels within a test, instead of websockets. */
import { createFramedTransport, type Codec } from '../../../src/sync/channel/framedTransport.js'
import type { Channel, Wire } from '../../../src/sync/channel/channel.js'
import { createFrameQueue, type FrameQueue } from '../../../src/sync/channel/queue.js'

export interface WireOptions {
  /** Bytes queued at the receiver before senders wait: 256 KiB by default. */
  most?: number
  /** Returns the frames that arrive instead of a frame: none, the same, or others. `from` is the index of the sending end. */
  tap?(frame: Uint8Array, from: 0 | 1): Uint8Array[]
}

export interface MemoryWires {
  /** The two ends. */
  readonly ends: [Wire, Wire]
  /** Cuts the network: frames in transit still arrive, later ones do not, and both ends are notified. */
  cut(): void
}

/** Creates the two ends of a wire in memory. */
export function memoryWires({ most = 256 * 1024, tap }: WireOptions = {}): MemoryWires {
  let isClosed = false
  const waiting: [(() => void)[], (() => void)[]] = [[], []]
  const resume = (to: 0 | 1): void => {
    for (const go of waiting[to].splice(0)) go()
  }
  const queueOf = (at: 0 | 1): FrameQueue => createFrameQueue({ maxBytes: most, onRoom: () => resume(at) })
  const queues: [FrameQueue, FrameQueue] = [queueOf(0), queueOf(1)]

  function end(at: 0 | 1): Wire {
    const to = at === 0 ? 1 : 0
    let sent = 0
    const wire = {
      async send(frame: Uint8Array) {
        if (isClosed) throw new Error('the wire is closed')
        sent += frame.length
        for (const passed of tap?.(frame, at) ?? [frame]) {
          received[to] += passed.length
          queues[to].push(passed)
        }
        while (queues[to].isFull) await new Promise<void>((resolve) => void waiting[to].push(resolve))
      },
      frames: queues[at].frames,
      close() {
        isClosed = true
        queues[at].drop()
        queues[to].end()
      },
      get sent() {
        return sent
      },
      get received() {
        return received[at]
      },
    }
    return wire
  }

  const received: [number, number] = [0, 0]
  return {
    ends: [end(0), end(1)],
    cut() {
      isClosed = true
      for (const queue of queues) queue.end()
    },
  }
}

const plain: Codec = {
  seal: (message, isLast) => Buffer.concat([Uint8Array.of(isLast ? 1 : 0), message]),
  open(frame) {
    const isLast = frame[0] === 1
    return frame.length === 0 ? undefined : { message: frame.slice(1), isLast }
  },
  release() {},
}

export interface PlainChannels extends Pick<MemoryWires, 'cut'> {
  readonly ends: [Channel, Channel]
}

/** Creates both ends of an unencrypted channel, for tests of its messages. `nodes` are the names of the ends. */
export function plainChannels(nodes: [string, string] = ['node-a', 'node-b'], options: WireOptions = {}): PlainChannels {
  const wires = memoryWires(options)
  const binding = Uint8Array.from({ length: 32 }, (_, at) => at)
  const channel = (at: 0 | 1): Channel => {
    const wire = wires.ends[at]
    const about = { node: nodes[at === 0 ? 1 : 0], binding, overhead: 1 }
    return createFramedTransport(wire, wire.frames[Symbol.asyncIterator](), plain, about)
  }
  return { ends: [channel(0), channel(1)], cut: () => wires.cut() }
}
