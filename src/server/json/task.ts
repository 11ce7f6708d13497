/** What the thread for large JSON can be asked for, and what it answers. */
import type { Schema } from '../../store/model/eventTypes/schema.js'
import type { ValidationItem } from '../../store/model/failure.js'
import type { SplitPlan, SplitResult } from './split.js'

export type Task =
  | { kind: 'split'; bytes: Uint8Array; plan: SplitPlan }
  /** The stable texts of JSON texts, in their order. */
  | { kind: 'stable'; texts: readonly string[] }
  /** What of a content, as JSON text, does not meet the schema of an event type. */
  | { kind: 'check'; type: string; schema: Schema; text: string }

export interface TaskResults {
  split: SplitResult
  stable: string[]
  check: ValidationItem[] | undefined
}
