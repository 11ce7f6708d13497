/**
 * Exports an account to an archive, from one database snapshot. Data bound to the node are left out: delegations with their
 * accesses, shared secrets, pairings, audit records.
 */
import { createReadStream } from 'node:fs'
import { SourceChanged, type ArchiveDraft } from '../../store/backup/archive.js'
import type { Manifest } from '../../store/backup/manifest.js'
import { digest } from '../../store/engine/commit.js'
import { each, openSnapshot } from '../../store/engine/database.js'
import { accountKeys, nodeKeys, orderedToNumber, ORDERED_LENGTH, under } from '../../store/engine/keys.js'
import { Failure } from '../../store/model/failure.js'
import { accountOfUsername } from '../../store/accounts/users.js'
import { accountLines } from './exportUser.js'
import { accessLines, profileLines, sliceLines, webhookLines } from './exportAccesses.js'
import { deletionLines, eventLines, historyLines, streamLines } from './exportEvents.js'
import { seriesLines } from './exportSeries.js'
import { FILE, LINES, noCounts, type LineFile, type Noun } from './format.js'
import type { ExportSource, AccountDraft, Export, ReadAccount } from './exportContext.js'

export interface ExportOptions {
  withFiles: boolean
  /** Called with the kind and number of items written so far. */
  progress?(noun: Noun, count: number): void
}

export interface Exported<M = Manifest> {
  manifest: M
  /** Items that could not be exported, with the reason. */
  problems: string[]
}

/** Size of the chunks in which lines are passed on. */
const PIECE_BYTES = 64 * 1024

/** Finds the account of a username. @throws Failure `unknown-user` */
export function accountNamed({ db }: ExportSource, username: string): ReadAccount {
  const prefix = accountOfUsername(db, username)
  if (prefix === undefined) throw new Failure('unknown-user', `Unknown user "${username}".`)
  return { db, prefix }
}

/**
 * Exports an account to a draft and finishes it; drops it on failure.
 * @throws errors of the disk
 */
export async function exportAccount<M>(
  source: ExportSource,
  account: ReadAccount,
  draft: AccountDraft<M>,
  options: ExportOptions,
): Promise<Exported<M>> {
  try {
    return await writeArchive(source, account, draft, options)
  } catch (error) {
    await draft.drop()
    throw error
  }
}

async function writeArchive<M>(source: ExportSource, account: ReadAccount, draft: AccountDraft<M>, options: ExportOptions): Promise<Exported<M>> {
  const { db, format } = source
  const { db: reader, snapshot, close } = openSnapshot(db)
  try {
    const counts: Record<string, number> = noCounts()
    const count = (noun: Noun, by = 1): void => {
      const now = (counts[noun] ?? 0) + by
      counts[noun] = now
      if (now % 100 === 0) options.progress?.(noun, now)
    }
    const from: Export = { source, account, snapshot, count, reader }
    const makers: Record<LineFile, (from: Export) => AsyncIterable<string>> = {
      'account.ndjson': accountLines,
      'streams.ndjson': streamLines,
      'profiles.ndjson': profileLines,
      'accesses.ndjson': accessLines,
      'webhooks.ndjson': webhookLines,
      'slices.ndjson': sliceLines,
      'deletions.ndjson': deletionLines,
      'events.ndjson': eventLines,
      'history.ndjson': historyLines,
      'series.ndjson': seriesLines,
    }
    for (const [file, lines] of Object.entries(makers)) await draft.addNamed(file, inPieces(lines(from)), { kind: LINES })
    const problems = options.withFiles ? await addFiles(from, draft, counts, options) : []
    const facts = { kind: 'account' as const, made: source.now(), product: source.product, node: format.node, format: format.format }
    const manifest = await draft.finish({ ...facts, position: await positionOf(from), counts: { users: 1, ...counts } })
    return { manifest, problems }
  } finally {
    await close()
  }
}

async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let buffered: string[] = []
  let length = 0
  for await (const line of lines) {
    buffered.push(line, '\n')
    length += line.length + 1
    if (length < PIECE_BYTES) continue
    yield Buffer.from(buffered.join(''))
    buffered = []
    length = 0
  }
  if (length > 0) yield Buffer.from(buffered.join(''))
}

/** Adds the account's files, each once; returns problems for those not yet on this node. */
async function addFiles(
  { source: { db, pathOf }, account: { prefix }, snapshot }: Export,
  draft: Pick<ArchiveDraft, 'addStream'>,
  counts: Record<string, number>,
  { progress }: ExportOptions,
): Promise<string[]> {
  const all = accountKeys.fileReferences(prefix)
  const problems: string[] = []
  let former = ''
  let files = 0
  for await (const [key, size] of each(db.entries(under(all), {}, snapshot))) {
    const [sha256 = '', event = ''] = key.slice(all.length).split('/')
    if (sha256 === former) continue
    former = sha256
    try {
      const bytes = (): AsyncIterable<Uint8Array> => createReadStream(pathOf(prefix, sha256)) as AsyncIterable<Buffer>
      await draft.addStream(bytes, sha256, Number(size), { kind: FILE })
      files += 1
      progress?.('files', files)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
      const isOfFile = error instanceof SourceChanged || code === 'ENOENT' || code === 'EIO' || code === 'EBADMSG'
      if (!isOfFile) throw error
      const why = code === 'ENOENT' ? 'is missing' : code === undefined ? 'has changed' : `cannot be read (${code})`
      problems.push(`event ${event}: its attached file ${sha256} ${why}`)
    }
  }
  counts['files'] = files
  return problems
}

/** Returns the position in the commit chain. */
async function positionOf({ source: { db }, snapshot }: Export): Promise<Manifest['position']> {
  const links = db.byteEntries(under(nodeKeys.commits), { reverse: true, limit: 1 }, snapshot)
  const [link] = await links.next(1)
  await links.close()
  if (link === undefined) return { commit: 0, hash: '' }
  const [key, bytes] = link
  return { commit: orderedToNumber(key, key.length - ORDERED_LENGTH), hash: Buffer.from(digest(bytes)).toString('hex') }
}
