/** Commands of claimCore.ts, and its answers. */
import type { Holder, Name, NamesReport } from '../../../../src/server/platform/registry/port.js'

/** Variable with the settings of the core, as JSON. */
export const CLAIM_SETTINGS = 'CLAIM_CORE'

export interface CoreSettings {
  endpoints: string[]
  platformId: string
  leaseSeconds: number
  seed: number
}

export type CommandBody =
  | { what: 'create'; account: string; username: string; email: string }
  | { what: 'rename'; account: string; username: string }
  | { what: 'email'; account: string; email: string }
  | { what: 'delete'; account: string }
  /** Holds names until `release`. */
  | { what: 'hold'; names: Name[] }
  | { what: 'release'; hold: number }
  | { what: 'look-up'; name: Name; isFresh: boolean }
  /** Adds a text to a list in a record. */
  | { what: 'count'; counter: string; token: string }
  | { what: 'counted'; counter: string }
  | { what: 'once'; once: string; expires: number }
  | { what: 'faults'; clockOffset?: number; lossPercent?: number }
  | { what: 'state' }
  /** Compares the names of the store with etcd, and claims missing ones with `repair`. */
  | { what: 'compare'; repair?: true }

export type Command = CommandBody & { id: number }

/** An account as its core stores it. */
export interface StoredAccount {
  id: string
  username: string
  usernames: string[]
  unique: [field: string, value: string][]
}

export interface CoreReply {
  id: number
  /** `absent`: there is no such account; `unsure`: the registry did not answer. */
  outcome: 'ok' | 'refused' | 'absent' | 'unsure' | 'failed'
  /** First answer to `hold`, while the names are held. */
  isHeld?: true
  taken?: Name[]
  error?: string
  /** Set when the outcome of one of its transactions was unknown for a while. */
  lingers?: true
  holder?: Holder | null
  counted?: string[]
  isFirst?: boolean
  unsettled?: number
  isPresent?: boolean
  accounts?: StoredAccount[]
  report?: NamesReport
}
