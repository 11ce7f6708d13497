/** Bounded queue of received frames; the producer pauses while it is full. */

export interface FrameQueue {
  /** Adds a frame; does nothing once ended. */
  push(frame: Uint8Array): void
  /** Ends the queue; the reader still receives waiting frames. */
  end(): void
  /** Ends the queue and drops waiting frames. */
  drop(): void
  /** True when the producer must wait. */
  readonly isFull: boolean
  /** Frames for one reader. Leaving a loop over them does not end the queue: the next loop continues where it stopped. */
  readonly frames: AsyncIterable<Uint8Array>
}

interface FrameQueueOptions {
  /** Bytes of frames at which the queue is full. */
  maxBytes: number
  /** Called when a full queue has room again, and when it ends. */
  onRoom?(): void
}

/** Additional cost of a frame in bytes, so that many empty ones fill the queue too. */
const FRAME_COST = 64

export function createFrameQueue({ maxBytes: max, onRoom }: FrameQueueOptions): FrameQueue {
  let waiting: Uint8Array[] = []
  let cost = 0
  let isEnded = false
  const readers: ((result: IteratorResult<Uint8Array, undefined>) => void)[] = []

  function end(): void {
    isEnded = true
    if (waiting.length === 0) for (const reader of readers.splice(0)) reader({ done: true, value: undefined })
    onRoom?.()
  }

  const iterator: AsyncIterator<Uint8Array, undefined> = {
    next() {
      const frame = waiting.shift()
      if (frame !== undefined) {
        const wasFull = cost >= max
        cost -= frame.length + FRAME_COST
        if (wasFull && cost < max) onRoom?.()
        return Promise.resolve({ done: false, value: frame })
      }
      if (isEnded) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve) => void readers.push(resolve))
    },
  }

  return {
    push(frame) {
      if (isEnded) return
      const reader = readers.shift()
      if (reader !== undefined) return reader({ done: false, value: frame })
      waiting.push(frame)
      cost += frame.length + FRAME_COST
    },
    end,
    drop() {
      waiting = []
      cost = 0
      end()
    },
    get isFull() {
      return !isEnded && cost >= max
    },
    frames: { [Symbol.asyncIterator]: () => iterator },
  }
}
