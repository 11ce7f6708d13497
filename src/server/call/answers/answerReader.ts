/** Tracks the client of one call: its presence, and the memory that its answer uses. */
import { Failure } from '../../../store/model/failure.js'
import { CallerGone } from '../../../store/engine/yield.js'
import { FREE_BYTES, type AnswerBudget, type Receiver } from './answerBudget.js'

/** Serialises the reading of lists for a receiver with many simultaneous calls. */
export interface Lane {
  /** Waits until no other list is being read; undefined when free. */
  enter(): Promise<void> | undefined
  leave(): void
  /** Resolves when the receiver has read what was sent before, or is gone. */
  room(): Promise<void>
}

/** Memory accounting of one answer; release it after the answer was handed over. */
export class AnswerReader {
  readonly #budget: AnswerBudget
  readonly #receiver: Receiver
  readonly #isGone: () => boolean
  readonly #lane: Lane | undefined
  #held = 0
  /** Releases the slot of a large answer built in memory. */
  #made: (() => void) | undefined

  #hasLane = false

  /** @param slot serialises answers of a receiver with simultaneous calls */
  constructor(budget: AnswerBudget, receiver: Receiver, isGone: () => boolean, slot?: Lane) {
    this.#budget = budget
    this.#receiver = receiver
    this.#isGone = isGone
    this.#lane = slot
  }

  /** @throws CallerGone after the client has left */
  readonly assertConnected = (): void => {
    if (this.#isGone()) throw new CallerGone()
  }

  /**
   * Counts bytes of an answer built in memory. A large answer waits for a slot, and for room.
   * @param mustSend true when it can no longer be refused: the call's effect is committed, and the answer no longer than its input
   * @throws Failure `too-many-results`, `too-many-requests`
   */
  hold(bytes: number, mustSend = false): Promise<void> | undefined {
    if (mustSend || this.#held + bytes <= FREE_BYTES) return void this.drop(-bytes)
    const { totalBytes } = this.#budget
    if (this.#held + bytes > totalBytes) throw new Failure('too-many-results', undefined, { limitBytes: totalBytes })
    return this.#made === undefined ? this.#begin().then(() => this.holdPart(bytes)) : this.holdPart(bytes)
  }

  async #begin(): Promise<void> {
    await this.#lane?.room()
    this.#made = await this.#budget.buildSlot()
  }

  /** Counts bytes of a part of the answer until they are dropped. @throws as `hold` */
  holdPart(bytes: number): Promise<void> | undefined {
    const waiting = this.#budget.hold(this.#receiver, bytes, this.#isGone)
    if (waiting === undefined) return void (this.#held += bytes)
    return waiting.then(() => void (this.#held += bytes))
  }

  /** Sets the total size of the finished answer. @throws as `hold` */
  holdWhole(bytes: number, mustSend: boolean): Promise<void> | undefined {
    this.#endMaking()
    const more = bytes - this.#held
    if (more <= 0) return undefined
    return mustSend ? void this.drop(-more) : this.holdPart(more)
  }

  #endMaking(): void {
    this.#made?.()
    this.#made = undefined
    if (this.#hasLane) this.#lane?.leave()
    this.#hasLane = false
  }

  /** Stops counting some held bytes. */
  drop(bytes: number): void {
    this.#held -= bytes
    this.#receiver.held -= bytes
  }

  /** Releases all held bytes and slots. */
  release(): void {
    this.drop(this.#held)
    this.#endMaking()
  }

  /** Yields pages unchanged, reading each in its turn, which bounds the data read but not yet counted. */
  async *inTurn(pages: AsyncIterable<string[]>): AsyncGenerator<string[]> {
    const iterator = pages[Symbol.asyncIterator]()
    let isOver = false
    try {
      if (this.#lane !== undefined && !this.#hasLane) {
        const entering = this.#lane.enter()
        if (entering !== undefined) await entering
        this.#hasLane = true
      }
      for (;;) {
        const turn = this.#budget.readBegins()
        if (turn !== undefined) await turn
        let step: IteratorResult<string[], unknown>
        try {
          step = await iterator.next()
        } finally {
          this.#budget.readEnds()
        }
        if (step.done === true) break
        yield step.value
      }
      isOver = true
    } finally {
      if (!isOver) await iterator.return?.()
      // A large answer keeps its slot until it is handed over.
      if (this.#made === undefined) this.#endMaking()
    }
  }
}
