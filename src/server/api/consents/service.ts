/** Service that processes messages between accounts (delivery/dispatcher.ts), as its callers see it. */
import type { Call } from '../../call/method.js'

/** An event to be created. */
export interface AnswerInput {
  id?: string | undefined
  type: string
  content?: unknown
}

export interface Consents {
  /** Checks a task that may be due. */
  wake(account: string, id: string): void
  /** Resolves when the current attempt at a task ends, or at once when there is none. */
  settled(account: string, id: string): Promise<void>
  /**
   * Verifies the accepting account before an accept is stored: see `proof.ts`. Returns false at once for other events.
   * @throws Failure `invalid-operation`, `consent-check-unavailable`
   */
  proveAnswer(call: Call, streamIds: readonly string[], answer: AnswerInput): false | Promise<true>
  /** Number of tasks that run or wait. */
  readonly waiting: number
  /** Resumes the tasks of an earlier process. */
  resume(): Promise<void>
  /** Aborts running attempts; their tasks stay due at the next start. */
  stop(): Promise<void>
}

/** Needed by functions that hand over messages between accounts. */
export interface ConsentDeps {
  readonly consents: Consents
}
