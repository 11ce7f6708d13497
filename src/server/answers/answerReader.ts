/** The client that waits for the answer of one call: whether it is still there, and what the answer costs in memory. */
import { Failure } from '../../store/model/failure.js'
import { CallerGone } from '../../store/engine/yield.js'
import { FREE_BYTES, type AnswerBudget, type Receiver } from './answerBudget.js'

/** The order in which lists are read for one receiver that asks for many at once: one after another. */
export interface Lane {
  /** Waits until no other list is being read; undefined: that is so. */
  enter(): Promise<void> | undefined
  leave(): void
  /** Resolves when the receiver has taken what it was sent before, or is gone. */
  room(): Promise<void>
}

/** To be released when the answer has been handed over. */
export class AnswerReader {
  readonly #budget: AnswerBudget
  readonly #receiver: Receiver
  readonly #isGone: () => boolean
  readonly #lane: Lane | undefined
  #held = 0
  /** Ends the turn of a large answer that is being made in one piece. */
  #made: (() => void) | undefined

  #hasLane = false

  /** @param slot given where several answers of the receiver are made at once */
  constructor(budget: AnswerBudget, receiver: Receiver, isGone: () => boolean, slot?: Lane) {
    this.#budget = budget
    this.#receiver = receiver
    this.#isGone = isGone
    this.#lane = slot
  }

  /** @throws CallerGone after the client has left */
  readonly refuseGone = (): void => {
    if (this.#isGone()) throw new CallerGone()
  }

  /**
   * Counts bytes that an answer in one piece keeps in memory from now on. A large answer waits for its turn, and for room.
   * @param isMade whether it cannot be refused: what the call did is done, and the answer is no longer than what came
   * @throws Failure `too-many-results`, `too-many-requests`
   */
  hold(bytes: number, isMade = false): Promise<void> | undefined {
    if (isMade || this.#held + bytes <= FREE_BYTES) return void this.drop(-bytes)
    const { totalBytes } = this.#budget
    if (this.#held + bytes > totalBytes) throw new Failure('too-many-results', undefined, { limitBytes: totalBytes })
    return this.#made === undefined ? this.#begin().then(() => this.holdPart(bytes)) : this.holdPart(bytes)
  }

  async #begin(): Promise<void> {
    await this.#lane?.room()
    this.#made = await this.#budget.making()
  }

  /** Counts bytes of a part of the answer, until they are dropped. @throws as `hold` */
  holdPart(bytes: number): Promise<void> | undefined {
    const waiting = this.#budget.hold(this.#receiver, bytes, this.#isGone)
    if (waiting === undefined) return void (this.#held += bytes)
    return waiting.then(() => void (this.#held += bytes))
  }

  /** Counts the answer as so many bytes altogether: it is made. @throws as `hold` */
  holdWhole(bytes: number, isMade: boolean): Promise<void> | undefined {
    this.#endMaking()
    const more = bytes - this.#held
    if (more <= 0) return undefined
    return isMade ? void this.drop(-more) : this.holdPart(more)
  }

  #endMaking(): void {
    this.#made?.()
    this.#made = undefined
    if (this.#hasLane) this.#lane?.leave()
    this.#hasLane = false
  }

  /** Counts bytes no more that were held. */
  drop(bytes: number): void {
    this.#held -= bytes
    this.#receiver.held -= bytes
  }

  /** Counts nothing any more. */
  release(): void {
    this.drop(this.#held)
    this.#endMaking()
  }

  /** Pages as they are, each read in its turn: so few are read at once that what is not counted yet is little. */
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
      // A large answer keeps its turn until it has been handed over.
      if (this.#made === undefined) this.#endMaking()
    }
  }
}
