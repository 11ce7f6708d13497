/** Tasks of the thread for large JSON, and their results. */
import type { Schema } from '../../store/model/eventTypes/schema.js'
import type { ValidationItem } from '../../store/model/failure.js'
import type { SplitPlan, SplitResult } from './split.js'

export type Task =
  | { kind: 'split'; bytes: Uint8Array; plan: SplitPlan }
  /** The stable texts of JSON texts, in their order. */
  | { kind: 'stable'; texts: readonly string[] }
  /** Violations of the schema of an event type in a content, given as JSON text or its UTF-8. */
  | { kind: 'check'; type: string; schema: Schema; text: string | Uint8Array }

export interface TaskResults {
  split: SplitResult
  stable: string[]
  check: ValidationItem[] | undefined
}
