/** Tasks of the thread for large JSON, and their results. */
import type { Schema } from '../../../store/model/eventTypes/schema.js'
import type { ValidationItem } from '../../../store/model/failure.js'
import type { SplitPlan, SplitResult } from './split.js'

export type Task =
  | { kind: 'split'; bytes: Uint8Array; plan: SplitPlan }
  /** Computes the stable texts of JSON texts, in their order. */
  | { kind: 'stable'; texts: readonly string[] }
  /** Validates content, as JSON text or its UTF-8, with the schema of an event type. */
  | { kind: 'check'; type: string; schema: Schema; text: string | Uint8Array }

export interface TaskResults {
  split: SplitResult
  stable: string[]
  check: ValidationItem[] | undefined
}
