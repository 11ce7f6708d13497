/**
 * Storage of shared secrets: a record each, with the content sealed while it is pending, and an entry under the
 * creating access, by time. Changes are journaled with ids only, so that they are on disk when acknowledged. Ended
 * secrets are overwritten, and removed from disk by compaction.
 */
import type { Account, Transaction } from '../engine/account.js'
import type { Database, Snapshot } from '../engine/database.js'
import { inWindow, createPredicate } from '../events/eventFilter.js'
import type { EventQuery } from '../events/eventQuery.js'
import { accountKeys, END, ordered, ORDERED_LENGTH, under } from '../engine/keys.js'
import { eventToRecord } from '../model/eventRecord.js'
import {
  accessOfSecretsStream,
  isSecretsStream,
  secretToEvent,
  type SharedSecret,
  type SharedSecretContent,
} from '../model/sharedSecret.js'
import type { ResolvedQuery, ResolvedStreamsQuery } from '../model/streamsQuery.js'
import { yieldEvery } from '../engine/yield.js'
import { mergeRanges } from '../engine/mergeRanges.js'
import type { Seal } from '../keyring/seal.js'
import type { RecordReader } from '../engine/recordReader.js'

/** Stored form of a secret. */
interface Stored extends SharedSecret {
  /** Sealed content; only while it is pending. */
  sealed?: string
}

/** A secret with access to its content while it is pending. */
export interface FoundSecret {
  secret: SharedSecret
  /** Opens the content; absent when the secret is not pending any more. */
  open?(): SharedSecretContent
}

const secretContext = (account: string, id: string): string => accountKeys.sharedSecret(account, id)

/** Decodes a stored secret. */
export function textToSecret(seal: Seal, account: string, text: string): FoundSecret {
  const { sealed, ...secret } = JSON.parse(text) as Stored
  if (sealed === undefined) return { secret }
  return { secret, open: () => JSON.parse(seal.open(sealed, secretContext(account, secret.id))) as SharedSecretContent }
}

/** Returns a secret by id. */
export function findSharedSecret(reader: RecordReader, seal: Seal, account: string, id: string): FoundSecret | undefined {
  const text = reader.get(secretContext(account, id))
  return text === undefined ? undefined : textToSecret(seal, account, text)
}

const entryOf = (t: Transaction, { accessId, time, id }: SharedSecret): string =>
  accountKeys.sharedSecretBy(t.account, accessId, time, id)

/** Adds a pending secret. */
export function addSharedSecret(t: Transaction, seal: Seal, secret: SharedSecret, content: SharedSecretContent): void {
  const place = secretContext(t.account, secret.id)
  const stored: Stored = { ...secret, sealed: seal.seal(JSON.stringify(content), place) }
  t.put(place, JSON.stringify(stored))
  t.put(entryOf(t, secret), '')
  t.journal('secret', 'create', secret.id)
}

/** Replaces a secret by its ended state, without its content. */
export function endSharedSecret(t: Transaction, secret: SharedSecret): void {
  t.put(secretContext(t.account, secret.id), JSON.stringify(secret))
  t.journal('secret', 'update', secret.id)
}

/** Removes a secret with its index entries. */
export function removeSharedSecret(t: Transaction, secret: SharedSecret): void {
  t.delete(secretContext(t.account, secret.id))
  t.delete(entryOf(t, secret))
  t.journal('secret', 'delete', secret.id)
}

/** Encodes a secret as the JSON text of its event. */
export const secretToRecord = ({ secret, open }: FoundSecret): string => eventToRecord(secretToEvent(secret, open?.()))

/** Returns the base ids of the accesses that have secrets, with one read per access. */
export async function accessesWithSecrets(
  { db, prefix }: Pick<Account, 'db' | 'prefix'>,
  snapshot?: Snapshot,
): Promise<string[]> {
  const all = accountKeys.allSharedSecretsBy(prefix)
  const found: string[] = []
  const { lt } = under(all)
  for (let from = all; ; ) {
    const source = db.keys({ gte: from, lt }, { limit: 1 }, snapshot)
    const [key] = await source.next(1)
    await source.close()
    if (key === undefined) return found
    const access = key.slice(all.length, key.indexOf('/', all.length))
    found.push(access)
    from = under(accountKeys.sharedSecretsBy(prefix, access)).lt
  }
}

/** Removes secrets from a query, since events of the account never match them; unchanged when it names no secrets. */
export function withoutSecrets(queries: ResolvedQuery): ResolvedQuery {
  if (accessesNamed(queries).size === 0) return queries
  return queries.map((query) =>
    query.any instanceof Set ? { ...query, any: new Set([...namedIn(query)].filter((id) => !isSecretsStream(id))) } : query,
  )
}

const namedIn = ({ any }: ResolvedStreamsQuery): Iterable<string> => (any instanceof Set ? (any as Set<string>) : [])

/** Returns the accesses whose secrets can match a query; '' stands for all. */
function accessesNamed(queries: ResolvedQuery): ReadonlySet<string> {
  const accesses = new Set<string>()
  for (const query of queries) {
    for (const id of namedIn(query)) if (isSecretsStream(id)) accesses.add(accessOfSecretsStream(id) ?? '')
  }
  return accesses
}

/** Returns pages of secrets as events of the snapshot, in the order of the answer, before skip and limit. Pages may be empty. */
export async function* scanSharedSecrets(
  account: Account,
  seal: Seal,
  scan: EventQuery,
  snapshot: Snapshot,
): AsyncGenerator<string[]> {
  if (scan.runningOnly || scan.limit <= 0) return
  const { prefix, db } = account
  const named = accessesNamed(scan.streams)
  const accesses = named.has('') ? await accessesWithSecrets(account, snapshot) : [...named]
  const prefixes = accesses.map((access) => accountKeys.sharedSecretsBy(prefix, access))
  const { window } = scan
  const bounds = { from: '', exclusive: false, before: window === undefined ? END : under(ordered(window.to)).lt }
  const order = { ascending: scan.ascending, wanted: scan.skip + scan.limit }
  const wanted = createPredicate(scan)
  const keep = (record: string): boolean => (window === undefined || inWindow(record, window)) && wanted(record)
  const idsOf = mergeRanges(db, prefixes, bounds, order, snapshot, (end) => end.slice(ORDERED_LENGTH), yieldEvery(scan.assertConnected))
  for await (const ids of idsOf) yield await recordsOf(db, seal, prefix, ids, snapshot, keep)
}

async function recordsOf(
  db: Database,
  seal: Seal,
  prefix: string,
  ids: readonly string[],
  snapshot: Snapshot,
  keep: (record: string) => boolean,
): Promise<string[]> {
  const texts = await db.getMany(ids.map((id) => secretContext(prefix, id)), snapshot)
  const found = texts.filter((text) => text !== undefined)
  return found.map((text) => secretToRecord(textToSecret(seal, prefix, text))).filter(keep)
}
