/** Types shared by the readers of account archives. */
import type { Archive, Member } from '../../store/backup/archive.js'
import type { Counts } from '../../store/backup/manifest.js'
import type { TypeRules } from '../../sync/crdt/validate.js'
import type { Context } from '../call/context.js'
import type { Owner, ImportChoices } from './accountShape.js'
import type { ImportTarget } from './importTarget.js'
import type { LineFile, Noun } from './format.js'
import type { Line } from './lineReader.js'
import type { Report, Refusal } from './report.js'

/** Context of the importers of each kind of item. */
export interface Import {
  node: Context
  archive: Archive
  owner: Owner
  target: ImportTarget
  report: Report
  types: TypeRules
  /** Members that are attached files, by SHA-256. */
  files: ReadonlyMap<string, Member>
  /** Digests already assigned to events. */
  assignedFiles: Set<string>
  lines(file: LineFile): AsyncIterable<Line>
  count(noun: Noun, by?: number): void
}

export interface ImportOptions extends ImportChoices {
  /** Validates everything and writes nothing. */
  dryRun?: boolean
  /** Called with the number of bytes read, and the total. */
  progress?(bytes: number, of: number): void
  signal?: AbortSignal
}

/** Result of an import. */
export interface Imported {
  username: string
  /** Counts of the archive. */
  asked: Counts
  /** Counts of the account; in a dry run, the expected ones. */
  restored: Counts
  /** Kinds of items whose counts differ. */
  differences: string[]
  /** Ids of active webhooks, and of those made inactive by the import. */
  activeWebhooks: string[]
  pausedWebhooks: string[]
  /** The first refused items, and the total number. */
  refusals: Refusal[]
  refused: number
}
