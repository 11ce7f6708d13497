/** Home with an account that has items of every kind, its backup, and later writes: for tests that damage it. */
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openArchive, type Archive } from '../../../src/store/backup/archive.js'
import { createArchive } from '../../../src/store/backup/create.js'
import { each, openDatabase } from '../../../src/store/engine/database.js'
import { dropCheckpoint, writeCheckpoint } from '../../../src/server/maintenance/checkpoints.js'
import type { HomePlaces } from '../../../src/server/launch/init.js'
import { eventPart, filePart, sendParts } from '../http/multipart.js'
import { request, type TestNode } from '../nodes/node.js'

type Json = Record<string, unknown>

/** Calls methods by the owner in one batch; throws unless all succeed. */
export async function callAs(node: TestNode, user: string, token: string, calls: readonly [method: string, params: Json][]): Promise<Json[]> {
  const { body } = await request(`${node.url}${user}/`, { token, body: calls.map(([method, params]) => ({ method, params })) })
  const results = body['results'] as Json[] | undefined
  const failed = results?.find((result) => 'error' in result)
  if (results === undefined || failed !== undefined) throw new Error(JSON.stringify(failed ?? body))
  return results
}

const idOf = (name: string, n: number): string => `c${name}${String(n).padStart(23, '0')}`

/** Creates events with a change each, some deleted; a stream, an access, a profile, points, a file: all with the name. */
export async function writeAllKinds(node: TestNode, user: string, token: string, name: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => idOf(name, n))
  await callAs(node, user, token, [
    ['streams.create', { id: `stream-${name}`, name: `Stream ${name}` }],
    ['streams.create', { id: `below-${name}`, name: `Below ${name}`, parentId: `stream-${name}` }],
    ['streams.update', { id: `below-${name}`, update: { name: `Changed ${name}` } }],
    ['accesses.create', { name: `access ${name}`, type: 'shared', permissions: [{ streamId: `stream-${name}`, level: 'read' }] }],
    ['profile.update', { id: 'private', update: { [name]: name } }],
    ['events.create', { id: idOf('s', name.charCodeAt(0)), streamIds: [`stream-${name}`], type: 'series:mass/kg', time: 1000 }],
  ])
  for (let at = 0; at < events.length; at += 20) {
    const some = events.slice(at, at + 20)
    const text = `${name} ${'text '.repeat(30)}`
    await callAs(node, user, token, some.map((id, n) => ['events.create', { id, streamIds: [`below-${name}`], type: 'note/txt', content: text, time: 1000 + at + n, ...(n % 3 === 0 ? { duration: n } : {}) }]))
  }
  await callAs(node, user, token, events.filter((_, n) => n % 4 === 0).map((id) => ['events.update', { id, update: { content: `changed ${id}` } }]))
  const gone = events.filter((_, n) => n % 10 === 9)
  await callAs(node, user, token, gone.flatMap((id) => [['events.delete', { id }], ['events.delete', { id }]] as [string, Json][]))
  const series = idOf('s', name.charCodeAt(0))
  const points = Array.from({ length: 50 }, (_, n) => [n, n / 2])
  const { status, body } = await request(`${node.url}${user}/events/${series}/series`, { token, body: { format: 'flatJSON', fields: ['deltaTime', 'value'], points } })
  if (status >= 300) throw new Error(JSON.stringify(body))
  const file = await sendParts({ node, username: user, owner: token }, '/events', [
    eventPart({ streamIds: [`stream-${name}`], type: 'file/attached' }),
    filePart(`${name}.bin`, Buffer.from(`bytes of ${name} `.repeat(1000))),
  ])
  if (file.status !== 201) throw new Error(JSON.stringify(file.body))
}

/** Backs up a running node into a new folder. */
export async function backUp(node: TestNode, path: string): Promise<void> {
  const checkpoint = await writeCheckpoint(node.node, process.pid)
  try {
    const key = Buffer.from(readFileSync(node.places.key, 'utf8').trim(), 'hex')
    await createArchive({ ...checkpoint, home: { key } }, { folder: path, now: () => Date.now() / 1000, product: '0' })
  } finally {
    await dropCheckpoint(node.places.store, checkpoint.id)
  }
}

export const openPlain = (path: string): Promise<Archive> => openArchive(path, () => Promise.reject(new Error('asked for a passphrase')))

/** Returns the entries of a backup, as text by key. */
export async function entriesOfBackup(archive: Archive): Promise<Map<string, string>> {
  const { entriesIn } = await import('../../../src/store/backup/entries.js')
  const entries = new Map<string, string>()
  for (const member of archive.members) {
    if (member.kind === 'entries') for (const [key, value] of entriesIn(await archive.whole(member))) entries.set(key, value.toString('latin1'))
  }
  return entries
}

/** Returns the entries of a closed store, as text by key, without derived ones and the chain, which a repair may rewrite. */
export async function entriesOf(store: string, scratch: string): Promise<Map<string, string>> {
  cpSync(join(store, 'db'), scratch, { recursive: true })
  const db = await openDatabase(scratch)
  const entries = new Map<string, string>()
  for await (const [key, bytes] of each(db.byteEntries({}))) {
    if (key.startsWith('!k/') || /^[0-9a-z]+\/I\//.test(key)) continue
    entries.set(key, Buffer.from(bytes).toString('latin1'))
  }
  await db.close()
  return entries
}

/** Returns the attached files of a home, and checks that their bytes match their names. */
export function filesOf({ files }: HomePlaces): string[] {
  const places: string[] = []
  for (const account of readdirSync(files).filter((name) => /^[0-9a-z]+$/.test(name))) {
    for (const first of readdirSync(join(files, account))) {
      for (const digest of readdirSync(join(files, account, first))) {
        const bytes = readFileSync(join(files, account, first, digest))
        if (createHash('sha256').update(bytes).digest('hex') !== digest) throw new Error(`${digest} holds other bytes`)
        places.push(`${account}/${digest}`)
      }
    }
  }
  return places.sort()
}

