/** Cross-checks attached files: records, references and bytes. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { damagedFolder, damagedIn } from '../blobs/damagedFiles.js'
import { each } from '../engine/database.js'
import { findEvent } from '../events/events.js'
import { isFileDigest, namesIn } from '../leveldb/filesOnDisk.js'
import { accountKeys, under } from '../engine/keys.js'
import type { Event } from '../model/event.js'
import { eventToRecord } from '../model/eventRecord.js'
import { algorithmIn, eventIntegrity } from '../model/integrity.js'
import { ATTACHED_FILES } from '../model/systemStreams.js'
import { eventAt, expectValue, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** Expects the digest of each attachment of an event, and a reference to its bytes. */
export function expectedAttachmentEntries({ db, findings }: CheckContext, account: string, event: Event): ExpectedEntry[] {
  const where = eventAt(account, event.id)
  const demands: ExpectedEntry[] = []
  for (const { id, size } of event.attachments ?? []) {
    findings.count('attachments')
    const digest = db.get(accountKeys.fileDigest(account, event.id, id))
    if (digest === undefined) findings.report(where, `lacks the digest of its file ${id}`)
    else {
      const key = accountKeys.fileReference(account, digest, event.id, id)
      demands.push(expectValue(key, String(size), where, `reference to its file ${id}`))
    }
  }
  return demands
}

/** Expects the digest for a reference: `<digest>/<event>/<file>`. */
export function expectedReferenceEntries({ db, findings }: CheckContext, { account, rest }: Entry): ExpectedEntry[] {
  findings.count('file references')
  const [digest = '', event = '', file = ''] = rest.split('/')
  const key = accountKeys.fileDigest(account, event, file)
  const { expectedValue, ...demand } = expectValue(key, digest, eventAt(account, event), `digest of the referenced file ${file}`)
  // If the event does not have the file, the reference must be removed instead.
  const isKnown = db.get(key) === undefined && findEvent(db, account, event)?.attachments?.some(({ id }) => id === file) === true
  return [isKnown && expectedValue !== undefined ? { ...demand, expectedValue } : demand]
}

/** Expects the reference for the digest of a file: `<event>/<file>`. */
export function expectedDigestEntries({ db, findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  const { account, rest } = entry
  const [event = '', file = ''] = rest.split('/')
  const found = findEvent(db, account, event)
  if (found?.attachments?.some(({ id }) => id === file) !== true) {
    findings.report(eventAt(account, event), `has the digest of a file ${file} that is not attached to it`)
  }
  const key = accountKeys.fileReference(account, textOf(entry), event, file)
  const wrong = (text: string | undefined): string | undefined =>
    text === undefined ? `lacks the reference to its file ${file}` : undefined
  return [{ key, where: eventAt(account, event), wrong }]
}

/**
 * Verifies the sum in an account's counter and, given the folder of all files, the bytes of each referenced file. Files
 * without reference are counted: the next sweep removes them.
 */
export async function checkFiles(
  context: CheckContext,
  account: string,
  folder: string | undefined,
  isWanted?: StillReferred,
): Promise<void> {
  const { db, findings } = context
  const prefix = accountKeys.fileReferences(account)
  const referred = new Set<string>()
  let sum = 0
  for await (const [key, size] of each(db.entries(under(prefix)))) {
    const [digest = '', event = ''] = key.slice(prefix.length).split('/')
    sum += Number(size)
    if (folder === undefined || referred.has(digest)) continue
    referred.add(digest)
    await checkFile(context, account, { digest, event, size: Number(size), folder }, isWanted)
  }
  const counter = counterOf(db, account)
  if (counter !== undefined && counter.content !== sum) {
    const repair = { put: accountKeys.event(account, counter.time, ATTACHED_FILES), value: recordCounting(counter, sum) }
    findings.report(`account ${account}`, `counts ${String(counter.content)} bytes of files, but has ${sum}`, { repair })
  }
  if (folder === undefined) return
  for (const first of await namesIn(join(folder, account))) {
    for (const name of await namesIn(join(folder, account, first))) {
      if (!referred.has(name)) findings.count('files without reference')
    }
  }
}

/** Returns the event that counts the bytes of files; undefined when missing or unreadable. */
function counterOf(db: CheckContext['db'], account: string): Event | undefined {
  try {
    return findEvent(db, account, ATTACHED_FILES)
  } catch {
    return undefined
  }
}

/** Returns the record of the counter event with another sum. */
function recordCounting({ integrity, ...counter }: Event, sum: number): string {
  const counting: Event = { ...counter, content: sum }
  const algorithm = algorithmIn('EVENT', integrity)
  if (algorithm !== undefined) counting.integrity = eventIntegrity(counting, algorithm)
  return eventToRecord(counting)
}

/** Verifies the files of these accounts that a reader recorded as damaged. */
export async function checkKnownDamage(
  context: CheckContext,
  folder: string,
  accounts: readonly string[],
  isWanted?: StillReferred,
): Promise<void> {
  for (const { account, digest } of await damagedIn(damagedFolder(folder))) {
    if (!accounts.includes(account)) continue
    const range = `${accountKeys.fileReferencesTo(account, digest)}/`
    const source = context.db.entries(under(range), { limit: 1 })
    const [reference] = await source.next(1).finally(() => source.close())
    if (reference === undefined) continue
    const [event = ''] = reference[0].slice(range.length).split('/')
    await checkFile(context, account, { digest, event, size: Number(reference[1]), folder }, isWanted)
  }
}

/** Verifies the bytes of one file. */
export async function checkFile(
  { db, findings }: CheckContext,
  account: string,
  { digest, event, size, folder }: { digest: string; event: string; size: number; folder: string },
  isWanted?: StillReferred,
): Promise<void> {
  const wrong = await problemOf(join(folder, account, digest.slice(0, 2), digest), digest, size)
  findings.count('files')
  if (wrong === undefined) return
  if (wrong === MISSING && (await isOnItsWay(db, account, digest))) findings.count('files on their way')
  // On a snapshot, the event may have been deleted since.
  else if (isWanted === undefined || (await isWanted(account, digest))) {
    findings.report(`${eventAt(account, event)}, file ${digest}`, wrong, { file: { account, digest, event, size } })
  }
}

/** Checks that a file is recorded as missing and a paired node may have it. */
async function isOnItsWay(db: CheckContext['db'], account: string, digest: string): Promise<boolean> {
  if (db.get(accountKeys.wantedFile(account, digest)) === undefined) return false
  const source = db.keys({ gt: accountKeys.peer(account, 0), lt: under(accountKeys.peers(account)).lt }, { limit: 1 })
  return (await source.next(1).finally(() => source.close())).length > 0
}

/** Checks whether an event refers to a file now, when the check runs on a snapshot. */
export type StillReferred = (account: string, digest: string) => Promise<boolean>

/** Checks an entry of missing bytes: `<digest>` → size. Entries without reference are removed later. */
export function checkWantedFile({ findings }: CheckContext, entry: Entry): void {
  findings.count('wanted files')
  const { account, rest: digest } = entry
  if (isFileDigest(digest) && /^\d+$/.test(textOf(entry))) return
  findings.report(`account ${account}, wanted file ${digest}`, 'cannot be read')
}

const MISSING = 'is missing'

async function problemOf(path: string, digest: string, size: number): Promise<string | undefined> {
  const hash = createHash('sha256')
  let length = 0
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) {
      const bytes = chunk as Buffer
      length += bytes.length
      hash.update(bytes)
    }
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isGone ? MISSING : `cannot be read: ${String(error)}`
  }
  if (length !== size) return `has ${length} bytes instead of ${size}`
  return hash.digest('hex') === digest ? undefined : 'differs from the attached bytes'
}
