/** Types shared by the writers of account exports. */
import type { Account } from '../../store/engine/account.js'
import type { ArchiveDraft } from '../../store/backup/archive.js'
import type { MakerFacts } from '../../store/backup/manifest.js'
import type { Database, Snapshot } from '../../store/engine/database.js'
import type { FormatRecord } from '../../store/engine/open.js'
import type { Seal } from '../../store/keyring/seal.js'
import type { Noun } from './format.js'

/** Store to export from; its attached files must not be removed meanwhile. */
export interface ExportSource {
  db: Database
  seal: Seal
  format: FormatRecord
  /** Path of a file's bytes. */
  pathOf(account: string, sha256: string): string
  /** Seconds since the epoch. */
  now(): number
  /** Version of coffer. */
  product: string
}

/** Destination of an export: an archive, or its sender; `M` is the result. */
export interface AccountDraft<M> extends Pick<ArchiveDraft, 'addNamed' | 'addStream' | 'drop'> {
  finish(facts: MakerFacts): Promise<M>
}

/** Context of the line generators. */
export interface Export {
  source: ExportSource
  account: ReadAccount
  snapshot: Snapshot
  /** The database as of the snapshot. */
  reader: Database
  count(noun: Noun, by?: number): void
}

/** Read access to an account. */
export type ReadAccount = Pick<Account, 'db' | 'prefix'>
