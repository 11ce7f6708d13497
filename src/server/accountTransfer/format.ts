/**
 * What an archive of one account holds (`coffer users export`, coffer-account(5)): a file of JSON lines for each kind of
 * thing, and the attached files as members of their own. The lines are the objects of the interface wherever it has them.
 */
import type { Manifest } from '../../store/backup/manifest.js'
import type { Access, AccessDeletion } from '../../store/model/access.js'
import type { EmailEntry } from '../../store/model/emails.js'
import type { EventDeletion, EventRemains } from '../../store/model/event.js'
import { Failure } from '../../store/model/failure.js'
import type { Enrolment } from '../../store/model/mfa.js'
import type { StreamDeletion } from '../../store/model/stream.js'
import type { WebhookRuns, Webhook } from '../../store/model/webhook.js'
import type { Usage } from '../../store/accesses/accesses.js'
import type { Quota } from '../../store/accounts/users.js'

/** Version of what the lines hold; the folder around them has one of its own (store/backup/manifest.ts). */
export const ACCOUNT_FORMAT = 1

/** The files, in the order in which they are written and read. */
export const LINE_FILES = [
  'account.ndjson',
  'streams.ndjson',
  'profiles.ndjson',
  'accesses.ndjson',
  'webhooks.ndjson',
  'slices.ndjson',
  'deletions.ndjson',
  'events.ndjson',
  'history.ndjson',
  'series.ndjson',
] as const

export type LineFile = (typeof LINE_FILES)[number]

/** The kind of members that are such files, and of those that are attached files; see `Member`. */
export const LINES = 'lines'
export const FILE = 'file'

/** The only line of `account.ndjson`. */
export interface AccountLine {
  format: typeof ACCOUNT_FORMAT
  account: {
    username: string
    id: string
    created: number
    /** Argon2id, in the PHC string format; absent where nobody can sign in by password. */
    passwordHash?: string
    passwordChanged?: number
    formerPasswords?: { hash: string; changed: number }[]
    formerUsernames?: string[]
    /** Values that only this account has, by account field. */
    unique: Record<string, string>
    /** Account fields that are no events. */
    hidden: Record<string, string | number>
    emails?: EmailEntry[]
    usernameChanges?: number
    quota?: Quota
    /** The second factor, the secret of an authenticator app in clear. */
    mfa?: Enrolment
  }
}

/**
 * A line of `history.ndjson`: an earlier version of an event, or of a deleted one what is kept of it; oldest first for each
 * event, and all of one event together.
 */
export interface HistoryLine {
  event: string
  version: EventRemains
  /** Set when the interface leaves the version out: only notes of the node came after it. */
  stamped?: true
}

/** A line of `deletions.ndjson`. */
export type DeletionLine = { event: EventDeletion } | { stream: StreamDeletion }

/** A line of `series.ndjson`: some points of the series of an event, a row each, in the order of time. */
export interface SeriesLine {
  event: string
  /** `deltaTime`, and the other columns. */
  fields: string[]
  points: (number | string | boolean | null)[][]
}

/** A line of `accesses.ndjson`. Ids are base ids, with the serial beside them. */
export type AccessLine =
  | {
      access: Access
      token: string
      /** Until when the session of a personal access lives, in seconds. */
      session?: number
      usage?: Usage
      /** Earlier versions, oldest first. */
      versions?: Access[]
    }
  | { deletion: AccessDeletion; token: string }

/** A line of `webhooks.ndjson`. */
export interface WebhookLine {
  webhook: Webhook
  runs?: WebhookRuns
}

/** What is counted. */
const NOUNS = [
  'streams',
  'events',
  'eventVersions',
  'eventDeletions',
  'streamDeletions',
  'attachments',
  'files',
  'series',
  'points',
  'accesses',
  'accessDeletions',
  'profileSets',
  'webhooks',
  'followedSlices',
] as const

export type Noun = (typeof NOUNS)[number]

/** None of anything. */
export const noCounts = (): Record<Noun, number> => Object.fromEntries(NOUNS.map((noun) => [noun, 0])) as Record<Noun, number>

/** Refuses archives of something else than one account. @throws Failure `invalid-operation` */
export function assertLineKinds({ kind }: Pick<Manifest, 'kind'>): void {
  if (kind === 'account') return
  throw new Failure('invalid-operation', 'This is a backup of a whole node. Take an account out of it: coffer restore <backup> --user <username>')
}
