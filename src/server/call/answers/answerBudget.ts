/**
 * Memory budget for answers not yet read by clients. Each connection has a free allowance; beyond it all share one budget
 * of the node, which bounds the cost of clients that request much and read slowly.
 */
import { Failure } from '../../../store/model/failure.js'

/** Bytes that may be buffered per connection without counting against the budget. */
export const FREE_BYTES = 256 * 1024

const MEGABYTE = 1024 * 1024

/** Share of the budget for answers that wait for room. */
const WAITING_SHARE = 1 / 4
const POLL_MS = 50
/** Maximum wait of an answer for room before it is refused. */
const MAX_WAIT_MS = 10_000
/** Clients slower than this are dropped when the budget is exhausted. */
const SLOW_BYTES_PER_SECOND = 128 * 1024
/** Maximum number of large answers built in memory at once: many unfinished ones would block each other. */
const MAX_BUILT_AT_ONCE = 2
/** Maximum number of answers reading from the database at once, equal to its readers. Data just read is not counted yet. */
const MAX_READING_AT_ONCE = 4

/** Destination of answers: a connection or its equivalent. */
export interface Receiver {
  /** Bytes that do not count against the budget. */
  readonly free: number
  /** Bytes held by answers in progress. Changed only by this module and readers. */
  held: number
  /** Bytes written to the connection and not yet read by the client. */
  buffered(): number
  /** Read rate of the client in bytes per second; undefined without data. */
  speed(): number | undefined
  /** Closes the connection. */
  drop(): void
}

export interface AnswerBudget {
  readonly totalBytes: number
  /** Counts a receiver until the returned function is called. */
  add(receiver: Receiver): () => void
  /** Returns the bytes in use, without the free allowances. */
  used(): number
  /**
   * Reserves bytes for a receiver. When the budget is exhausted, drops slow receivers, slowest first; if that is not enough, the
   * returned promise waits for room. A receiver alone on the node always has room.
   * @param isGone true once the client has left: the bytes are then counted at once
   * @throws Failure `too-many-requests` when no room is freed within the maximum wait, or too many bytes wait already
   */
  hold(receiver: Receiver, bytes: number, isGone: () => boolean): Promise<void> | undefined
  /** Waits (bounded) for a slot to build a large answer in memory; the returned function releases it. */
  buildSlot(): Promise<() => void>
  /** Waits for a slot to read from the database; undefined when one is free. `readEnds` releases the slot. */
  readBegins(): Promise<void> | undefined
  readEnds(): void
}

export function createAnswerBudget(megabytes: number): AnswerBudget {
  const total = megabytes * MEGABYTE
  const maxWaiting = total * WAITING_SHARE
  const receivers = new Set<Receiver>()
  let waiting = 0
  let making = 0
  const makers = new Set<() => void>()
  let reading = 0
  const readers: (() => void)[] = []

  function used(): number {
    let sum = 0
    for (const receiver of receivers) sum += beyond(receiver)
    return sum
  }

  /** Checks for room for more bytes of a receiver; drops slow receivers if necessary. */
  function hasRoom(receiver: Receiver, bytes: number): boolean {
    const more = bytes - spare(receiver)
    if (more <= 0) return true
    const lack = used() + more - (total - maxWaiting)
    return lack <= 0 || dropSlow(receiver, lack) || used() === beyond(receiver)
  }

  function dropSlow(wanting: Receiver, bytes: number): boolean {
    const slow: { receiver: Receiver; speed: number }[] = []
    for (const receiver of receivers) {
      if (receiver === wanting || beyond(receiver) === 0) continue
      const speed = receiver.speed()
      if (speed !== undefined && speed < SLOW_BYTES_PER_SECOND) slow.push({ receiver, speed })
    }
    slow.sort((a, b) => a.speed - b.speed)
    let left = bytes
    for (const { receiver } of slow) {
      if (left <= 0) break
      left -= beyond(receiver)
      receiver.drop()
      receivers.delete(receiver)
    }
    return left <= 0
  }

  async function waitFor(receiver: Receiver, bytes: number, isGone: () => boolean): Promise<void> {
    if (waiting > 0 && waiting + bytes > maxWaiting) throw noRoom()
    waiting += bytes
    try {
      const until = performance.now() + MAX_WAIT_MS
      while (!isGone() && !hasRoom(receiver, bytes)) {
        if (performance.now() > until) throw noRoom()
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
      receiver.held += bytes
    } finally {
      waiting -= bytes
    }
  }

  return {
    totalBytes: total,
    add(receiver) {
      receivers.add(receiver)
      return () => void receivers.delete(receiver)
    },
    used,
    hold(receiver, bytes, isGone) {
      if (!hasRoom(receiver, bytes)) return waitFor(receiver, bytes, isGone)
      receiver.held += bytes
      return undefined
    },
    async buildSlot() {
      if (making >= MAX_BUILT_AT_ONCE) {
        // Start after the maximum wait anyway: one slow answer must not block the others indefinitely.
        await new Promise<void>((resolve) => {
          const go = (): void => {
            clearTimeout(late)
            makers.delete(go)
            resolve()
          }
          const late = setTimeout(go, MAX_WAIT_MS)
          makers.add(go)
        })
      }
      making += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        making -= 1
        if (making < MAX_BUILT_AT_ONCE) for (const go of [...makers].slice(0, 1)) go()
      }
    },
    readBegins() {
      if (reading >= MAX_READING_AT_ONCE) return new Promise((resolve) => void readers.push(resolve))
      reading += 1
      return undefined
    },
    readEnds() {
      const next = readers.shift()
      if (next === undefined) reading -= 1
      else next()
    },
  }
}

/** Returns the bytes of a receiver beyond its free allowance. */
const beyond = (receiver: Receiver): number => Math.max(0, receiver.buffered() + receiver.held - receiver.free)

/** Returns the remaining free allowance of a receiver. */
const spare = (receiver: Receiver): number => Math.max(0, receiver.free - receiver.buffered() - receiver.held)

const RETRY_SECONDS = 5

const noRoom = (): Failure =>
  new Failure('too-many-requests', 'Too many large answers are waiting to be read by their clients; try again in a moment.', { retryAfterSeconds: RETRY_SECONDS })

/** Needed by functions that send large answers. */
export interface AnswerDeps {
  readonly answerBudget: AnswerBudget
}
