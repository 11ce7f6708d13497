/**
 * Memory of answers that clients have not taken yet. Each connection has some of its own; what goes beyond comes from one
 * budget of the node, so that clients that ask for much and do not read cost no more than that together.
 */
import { Failure } from '../../store/model/failure.js'

/** Bytes that may wait for each connection without counting against the budget. */
export const FREE_BYTES = 256 * 1024

const MEGABYTE = 1024 * 1024

/** Of the budget, the share for answers that wait for room in it. */
const WAITING_SHARE = 1 / 4
const LOOK_AGAIN_MS = 50
/** Longest wait of an answer for room before it is refused. */
const MAX_WAIT_MS = 10_000
/** A client that takes less than this each second gives way to others when the budget is used up. */
const SLOW_BYTES_PER_SECOND = 128 * 1024
/** Large answers built in one piece at the same time: many unfinished ones would block each other. */
const MAKING_AT_ONCE = 2
/** Answers that read from the database at the same time: as many as its readers. Data just read is not counted yet. */
const READING_AT_ONCE = 4

/** Destination of answers: one connection, or its equivalent. */
export interface Receiver {
  /** Bytes that do not count. */
  readonly free: number
  /** Bytes that answers hold which are being made, or sent piece by piece. Only this module and readers change it. */
  held: number
  /** Bytes that the connection has been given and its client has not taken. */
  buffered(): number
  /** Bytes a second that the client takes; undefined while there is nothing to judge by. */
  speed(): number | undefined
  /** Ends the connection. */
  drop(): void
}

export interface AnswerBudget {
  readonly totalBytes: number
  /** Counts a receiver until the function that is answered is called. */
  add(receiver: Receiver): () => void
  /** Bytes that are in use, those that connections have of their own left out. */
  used(): number
  /**
   * Has a receiver hold more bytes. Where the budget is used up, slow receivers are dropped, the slowest first; when that
   * gives no room, the promise waits for it. A receiver that is alone has room for whatever it holds.
   * @param isGone true once the client has left: then the bytes count as held
   * @throws Failure `too-many-requests` when there is no room for long, or as much waits for some as may
   */
  hold(receiver: Receiver, bytes: number, isGone: () => boolean): Promise<void> | undefined
  /** Waits for a turn to make a large answer in one piece, not for long; the turn is ended by the function that is answered. */
  making(): Promise<() => void>
  /** Waits for a turn to read from the database; undefined: it may be read at once. Each turn is ended by `readEnds`. */
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
    if (waiting > 0 && waiting + bytes > maxWaiting) throw crowded()
    waiting += bytes
    try {
      const until = performance.now() + MAX_WAIT_MS
      while (!isGone() && !hasRoom(receiver, bytes)) {
        if (performance.now() > until) throw crowded()
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
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
    async making() {
      if (making >= MAKING_AT_ONCE) {
        // One that takes long to make does not hold up the others for good.
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
        if (making < MAKING_AT_ONCE) for (const go of [...makers].slice(0, 1)) go()
      }
    },
    readBegins() {
      if (reading >= READING_AT_ONCE) return new Promise((resolve) => void readers.push(resolve))
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

/** Bytes of a receiver that count. */
const beyond = (receiver: Receiver): number => Math.max(0, receiver.buffered() + receiver.held - receiver.free)

/** Bytes that it has left of those that do not count. */
const spare = (receiver: Receiver): number => Math.max(0, receiver.free - receiver.buffered() - receiver.held)

const RETRY_SECONDS = 5

const crowded = (): Failure =>
  new Failure('too-many-requests', 'Too many large answers wait for their clients to read them; try again in a moment.', { retryAfterSeconds: RETRY_SECONDS })
