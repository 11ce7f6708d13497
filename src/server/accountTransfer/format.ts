/**
 * Archive format of one account (`coffer users export`, coffer-account(5)): a JSON-lines file per kind of item, and attached
 * files as separate members. Lines use the objects of the API where it has them.
 */
import type { Manifest } from '../../store/backup/manifest.js'
import type { Access, AccessDeletion } from '../../store/model/access.js'
import type { EmailEntry } from '../../store/model/emails.js'
import type { EventRemains } from '../../store/model/event.js'
import { Failure } from '../../store/model/failure.js'
import type { Enrolment } from '../../store/model/mfa.js'
import type { WebhookRuns, Webhook } from '../../store/model/webhook.js'
import type { Usage } from '../../store/accesses/accesses.js'
import type { Quota } from '../../store/accounts/users.js'

/** Version of the line formats; the container has its own (store/backup/manifest.ts). */
export const ACCOUNT_FORMAT = 1

/** Line files in the order of writing and reading. */
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

/** Member kinds of line files and attached files; see `Member`. */
export const LINES = 'lines'
export const FILE = 'file'

/** The single line of `account.ndjson`. */
export interface AccountLine {
  format: typeof ACCOUNT_FORMAT
  account: {
    username: string
    id: string
    created: number
    /** Argon2id, in the PHC string format; absent where no one can sign in with a password. */
    passwordHash?: string
    passwordChanged?: number
    formerPasswords?: { hash: string; changed: number }[]
    formerUsernames?: string[]
    /** Values unique to this account, by account field. */
    unique: Record<string, string>
    /** Account fields not stored as events. */
    hidden: Record<string, string | number>
    emails?: EmailEntry[]
    usernameChanges?: number
    quota?: Quota
    /** Second factor, with the secret of an authenticator app in clear text. */
    mfa?: Enrolment
  }
}

/**
 * A line of `history.ndjson`: an earlier version of an event, or the retained part of one of a deleted event. Grouped by
 * event, oldest first.
 */
export interface HistoryLine {
  event: string
  version: EventRemains
  /** Set when the API omits the version: only the node's own notes follow it. */
  stamped?: true
}

/** A line of `series.ndjson`: points of an event's series, one row each, by time. */
export interface SeriesLine {
  event: string
  /** `deltaTime`, then the other columns. */
  fields: string[]
  points: (number | string | boolean | null)[][]
}

/** A line of `accesses.ndjson`. Ids are base ids, with the serial beside them. */
export type AccessLine =
  | {
      access: Access
      token: string
      /** Expiry of a personal access's session, in seconds. */
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

/** Kinds of items counted. */
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

/** Returns zero counts. */
export const noCounts = (): Record<Noun, number> => Object.fromEntries(NOUNS.map((noun) => [noun, 0])) as Record<Noun, number>

/** Refuses other kinds of archives. @throws Failure `invalid-operation` */
export function assertLineKinds({ kind }: Pick<Manifest, 'kind'>): void {
  if (kind === 'account') return
  throw new Failure('invalid-operation', 'This is a backup of a whole node. To restore one account from it, run: coffer restore <backup> --user <username>')
}
