/** Folders that a stranger wrote, or that were damaged on the way: refused by line or as a whole, and nothing is half-made. */
import { appendFile, copyFile, cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginArchive, openArchive } from '../../../src/store/backup/archive.js'
import { each } from '../../../src/store/engine/database.js'
import { nodeKeys, under } from '../../../src/store/engine/keys.js'
import { createControl } from '../../../src/server/control/control.js'
import { methods } from '../../../src/server/api/methods.js'
import { operatorMethods } from '../../../src/server/control/operatorMethods.js'
import { importAccount } from '../../../src/server/accountTransfer/importAccount.js'
import type { Imported } from '../../../src/server/accountTransfer/importContext.js'
import { coffer } from '../../cli/support/testTerminal.js'
import { expectSound } from '../../support/store/check.js'
import { homes } from '../../support/nodes/home.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { seeded } from '../../store/leveldb/fixtures.js'
import { fillAll } from './world.js'

type Json = Record<string, unknown>

const { home, folder } = homes()
let node: TestNode
let s: Stage
let whole: string
let count = 0

beforeAll(async () => {
  node = await startTestNode({ 'versioning.forceKeepHistory': true }, { home: (await home()).home })
  s = await newStage(node)
  const draw = seeded(3)
  await fillAll(s, () => draw(1 << 30) / 2 ** 30)
  whole = join(await folder(), 'whole')
  const { code } = await coffer(['users', 'export', s.username, '--to', whole], { env: { COFFER_HOME: node.places.home } })
  expect(code).toBe(0)
})
afterAll(async () => {
  await node.stop()
  await expectSound(node.places)
})

/** Everything that is made here has names of its own: the account that was exported is still there. */
const wishes = (): { as: string; email: string } => {
  count += 1
  return { as: `hostile-${count}`, email: `hostile-${count}@example.org` }
}

/** Imports the account with other lines in its files, as an archive that is whole. */
async function withLines(change: (file: string, lines: string[]) => string[]): Promise<Imported> {
  const archive = await openArchive(whole, () => Promise.reject(new Error('sealed')))
  const target = join(await folder(), 'changed')
  const draft = await beginArchive({ folder: target })
  for (const member of archive.members) {
    if (member.kind !== 'lines') await draft.addStream(() => archive.read(member), member.digest, member.bytes, { kind: member.kind })
    else {
      const lines = (await archive.whole(member)).toString('utf8').split('\n').slice(0, -1)
      const text = change(member.file, lines).map((line) => `${line}\n`).join('')
      await draft.addNamed(member.file, once(Buffer.from(text)), { kind: 'lines' })
    }
  }
  const { kind, made, product, node: id, format, position, counts } = archive.manifest
  await draft.finish({ kind, made, product, node: id, format, position, counts })
  return importAccount(node.node, await openArchive(target, () => Promise.reject(new Error('sealed'))), wishes())
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}

const adding = (file: string, ...added: unknown[]) => (name: string, lines: string[]): string[] =>
  name === file ? [...lines, ...added.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))] : lines

const event = (more: Json): Json => ({ id: 'caaaaaaaaaaaaaaaaaaaaaaaa', streamIds: ['body'], type: 'note/txt', time: 1, content: 'x', tags: [], created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x', ...more })
const stream = (id: string, more: Json): Json => ({ id, name: id, parentId: null, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x', ...more })
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
const access = (more: Json): Json => ({ access: { id: 'abc', type: 'app', name: 'abc', permissions: [], created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x', ...more }, token: 'the-token' })

const lines: [what: string, file: string, line: unknown, says: string][] = [
  ['is no JSON', 'events.ndjson', '{"id":', 'not valid JSON'],
  ['is no object', 'events.ndjson', '[1]', 'expected object'],
  ['is nested too deeply', 'events.ndjson', event({ content: deep(200) }), 'levels deep'],
  ['holds a number beyond all', 'events.ndjson', JSON.stringify(event({ time: 1 })).replace('"time":1', '"time":1e999'), ''],
  ['has an id of something else', 'events.ndjson', event({ id: '../../etc' }), 'Invalid event id'],
  ['is in no stream', 'events.ndjson', event({ streamIds: [] }), 'An event needs at least one stream'],
  ['is in a stream that is not there', 'events.ndjson', event({ streamIds: ['nowhere'] }), 'streams that are not there'],
  ['is in a stream of the account', 'events.ndjson', event({ streamIds: [':system:email'] }), 'not replicated'],
  ['has a type that is none', 'events.ndjson', event({ type: 'a"b/c' }), 'no event type'],
  ['has a content that its type refuses', 'events.ndjson', event({ type: 'mass/kg', content: 'heavy' }), ''],
  ['has a time that is none', 'events.ndjson', event({ time: 'now' }), 'time'],
  ['has a negative duration', 'events.ndjson', event({ duration: -1 }), 'duration'],
  ['has a wrong integrity', 'events.ndjson', event({ integrity: 'EVENT:0:sha256-AAAA' }), 'Integrity mismatch'],
  ['has members that events have not', 'events.ndjson', event({ evil: true }), ''],
  ['names a file that is not there', 'events.ndjson', event({ attachments: [{ id: 'f', fileName: 'f', type: 'text/plain', size: 1, sha256: 'a'.repeat(64) }] }), 'is not in the archive'],
  ['has a file with a media type that is a header', 'events.ndjson', event({ attachments: [{ id: 'f', fileName: 'f', type: 'text/html\r\nX: y', size: 1 }] }), 'media type'],
  ['is an account field that the node has not', 'events.ndjson', event({ id: ':system:wealth', streamIds: [':system:wealth'] }), 'Unknown account field'],
  ['lies below itself', 'streams.ndjson', stream('self', { parentId: 'self' }), 'part of a cycle'],
  ['has the name of its neighbour', 'streams.ndjson', stream('other', { name: 'Diary' }), 'already has this name'],
  ['is a stream of every account', 'streams.ndjson', stream(':_cmc:inbox', {}), 'Invalid stream id'],
  ['is a stream twice', 'streams.ndjson', stream('body', { name: 'twice' }), 'Duplicate stream id'],
  ['has an id that URLs cannot hold', 'streams.ndjson', stream('..', { name: 'dots' }), 'dot segment'],
  ['has an id of the node', 'streams.ndjson', stream(':_emails:x', { name: 'emails' }), 'reserved'],
  ['has an id of the node', 'events.ndjson', event({ id: ':_emails:x' }), 'reserved'],
  ['has an id longer than any', 'streams.ndjson', stream('x'.repeat(1025), { name: 'long' }), 'id'],
  ['has a token longer than any', 'accesses.ndjson', { ...access({}), token: 'x'.repeat(1025) }, 'with its token'],
  ['deletes what is no event', 'deletions.ndjson', { event: { id: 'x', deleted: 1 } }, 'Invalid event id'],
  ['is a deletion without a time', 'deletions.ndjson', { event: { id: 'caaaaaaaaaaaaaaaaaaaaaaaa' } }, 'no time'],
  ['is a version of an event that is not there', 'history.ndjson', { event: 'caaaaaaaaaaaaaaaaaaaaaaab', version: { id: 'caaaaaaaaaaaaaaaaaaaaaaab' } }, 'does not exist'],
  ['is a version of another event', 'history.ndjson', { event: 'caaaaaaaaaaaaaaaaaaaaaaab', version: event({}) }, 'another event'],
  ['has points of no series', 'series.ndjson', { event: 'caaaaaaaaaaaaaaaaaaaaaaab', fields: ['deltaTime', 'value'], points: [[0, 1]] }, 'No event holds'],
  ['sets a key of the password', 'profiles.ndjson', { id: 'private', keys: { passwordThrottle: 1 }, modified: 1 }, 'cannot be set'],
  ['is a profile set of no name', 'profiles.ndjson', { id: 'no/where', keys: {}, modified: 1 }, 'Invalid profile id'],
  ['has a token that every object has', 'accesses.ndjson', { ...access({}), token: 'constructor' }, 'token'],
  ['is an access for everything in disguise', 'accesses.ndjson', access({ type: 'personal' }), 'no permissions'],
  ['is an access of a delegate', 'accesses.ndjson', access({ clientData: { delegation: { kind: 'notify', relId: 'r' } } }), 'delegation'],
  ['has a permission that is none', 'accesses.ndjson', access({ permissions: [{ streamId: 'body', level: 'all' }] }), 'permissions'],
  ['has versions that it never had', 'accesses.ndjson', { ...access({}), versions: [access({})['access']] }, 'earlier versions'],
  ['is a webhook of nobody', 'webhooks.ndjson', { webhook: { id: 'w', accessId: 'nobody', url: 'http://127.0.0.1/', state: 'active', maxRetries: 1, minIntervalMs: 1, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' } }, 'does not exist'],
  ['is a webhook to no text', 'webhooks.ndjson', { webhook: { id: 'w', accessId: 'abc', url: 5, state: 'active', maxRetries: 1, minIntervalMs: 1, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' } }, 'url'],
  ['is a webhook to no web address', 'webhooks.ndjson', { webhook: { id: 'w', accessId: 'abc', url: 'ftp://x', state: 'active', maxRetries: 1, minIntervalMs: 1, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' } }, 'url'],
  ['is a slice of nothing', 'slices.ndjson', { id: 'x', name: '', url: 'http://x', accessToken: 'y' }, 'name'],
  ['is a slice of no web address', 'slices.ndjson', { id: 'x', name: 'X', url: 'nourl', accessToken: 'y' }, 'url'],
]

/** The id of an event with earlier versions in the archive, and the first of them. */
function firstVersion(own: readonly string[]): { id: string; version: Json } {
  const { event: id, version } = JSON.parse(own[0] ?? '') as { event: string; version: Json }
  return { id, version }
}

describe('a version', () => {
  it.each<[string, (id: string, version: Json) => unknown, string]>([
    ['that is not whole', (id) => ({ event: id, version: { id, modified: 1, modifiedBy: 'x' } }), 'expected array'],
    ['of a type that is none', (id, version) => ({ event: id, version: { ...version, type: 'a"b/c' } }), 'no event type'],
    ['that was deleted', (id, version) => ({ event: id, version: { ...version, deleted: 1 } }), 'deleted'],
    ['with a wrong integrity', (id, version) => ({ event: id, version: { ...version, integrity: 'EVENT:0:sha256-AAAA' } }), 'Integrity mismatch'],
    ['nested too deeply', (id, version) => ({ event: id, version: { ...version, content: deep(200) } }), 'levels deep'],
    ['with a mark that is none', (id, version) => ({ event: id, version, stamped: 'yes' }), 'stamped'],
    ['that does not come with the others', (id, version) => ({ event: id, version: { ...version, modified: 2 } }), 'not contiguous'],
  ])('%s is refused, and the others are taken', async (_, bad, says) => {
    let versions = 0
    const done = await withLines((file, own) => {
      if (file !== 'history.ndjson') return own
      versions = own.length
      const { id, version } = firstVersion(own)
      return [...own, JSON.stringify(bad(id, version))]
    })
    expect(done.refusals).toMatchObject([{ file: 'history.ndjson', line: versions + 1 }])
    expect(done.refusals[0]?.message).toContain(says)
    expect(done.restored['eventVersions']).toBe(versions)
  })
})

describe('a line', () => {
  it('that cannot be taken is refused by its number, and the rest goes on', async () => {
    const done = await withLines((file, own) => {
      const added = lines.filter((each) => each[1] === file).map(([, , line]) => (typeof line === 'string' ? line : JSON.stringify(line)))
      return [...own, ...added]
    })
    const told = [...done.refusals]
    for (const [what, file, , says] of lines) {
      const at = told.findIndex((refusal) => refusal.file === file && refusal.message.includes(says))
      expect(at, `${file}: ${what}: ${says}\n${JSON.stringify(told)}`).toBeGreaterThanOrEqual(0)
      told.splice(at, 1)
    }
    expect(told).toEqual([])
    expect(done.refused).toBe(lines.length)
    // The event whose file is not there is taken without it: one more than was asked for.
    expect(done.differences).toEqual(['events'])
    expect(done.refusals.every(({ line }) => line >= 1)).toBe(true)
  })

  it('is refused before anybody else has the account, when it is who the account belongs to', async () => {
    const before = await marks()
    const account = (change: (owner: Json) => void) => (file: string, own: string[]): string[] => {
      if (file !== 'account.ndjson') return own
      const line = JSON.parse(own[0] ?? '') as { account: Json }
      change(line.account)
      return [JSON.stringify(line)]
    }
    const wrong: [says: string, change: (owner: Json) => void][] = [
      ['passwordHash', (owner) => (owner['passwordHash'] = '$argon2id$v=19$m=9999999,t=9,p=9$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo')],
      ['passwordHash', (owner) => (owner['passwordHash'] = 'plain')],
      ['account.id', (owner) => (owner['id'] = '../x')],
      ['account', (owner) => (owner['admin'] = true)],
      ['account.unique', (owner) => (owner['unique'] = { email: 5 })],
    ]
    for (const [says, change] of wrong) await expect(withLines(account(change))).rejects.toThrow(says)
    await expect(withLines((file, own) => (file === 'account.ndjson' ? ['nonsense'] : own))).rejects.toThrow('account.ndjson')
    expect(await marks()).toEqual(before)
  })

  it('may be of an access that has some of its earlier versions on other nodes alone', async () => {
    const at = (serial: number): unknown => access({ serial })['access']
    const done = await withLines(adding('accesses.ndjson', { ...access({ serial: 5 }), versions: [at(1), at(3)] }))
    expect(done.refusals).toEqual([])
    const twice = await withLines(adding('accesses.ndjson', { ...access({ serial: 5 }), versions: [at(3), at(3)] }))
    expect(twice.refusals).toMatchObject([{ file: 'accesses.ndjson', message: 'The earlier versions are not in order.' }])
  })

  it('may be longer than memory is given to lines', async () => {
    const done = await withLines(adding('events.ndjson', `"${'x'.repeat(65 * 1024 * 1024)}"`, event({ id: 'caaaaaaaaaaaaaaaaaaaaaaac' })))
    expect(done.refusals).toMatchObject([{ file: 'events.ndjson', message: 'The line is longer than 64 MB.' }])
  })
})

/** Accounts on their way in, and being erased. */
async function marks(): Promise<string[]> {
  const found: string[] = []
  for await (const key of each(node.node.store.db.keys(under(nodeKeys.arrivings)))) found.push(key)
  for await (const key of each(node.node.store.db.keys(under(nodeKeys.erasings)))) found.push(key)
  return found
}

describe('an import under way', () => {
  it('ends when it is told to, and when its node stops, and nothing is left', async () => {
    const places = await home()
    for (const how of ['cancel', 'stop'] as const) {
      const other = await startTestNode({}, { home: places.home })
      const door = createControl(other.node, methods, operatorMethods)
      const { id } = await door.call('users.import', { folder: whole }, {})
      if (how === 'cancel') {
        await door.call('users.importCancel', { id }, {})
        await expect(door.call('users.importState', { id, waitMs: 1000 }, {})).rejects.toThrow('cancelled')
      }
      await other.stop()
      const { out } = await coffer('users list --json', { env: { COFFER_HOME: places.home } })
      expect(JSON.parse(out)).toEqual({ users: [] })
      await expectSound(places)
    }
  })
})

describe('a folder', () => {
  const damages: [what: string, damage: (path: string) => Promise<unknown>][] = [
    ['lacks a file', (path) => rm(join(path, 'events.ndjson'))],
    ['has a file that ends early', async (path) => truncate(join(path, 'events.ndjson'), (await readFile(join(path, 'events.ndjson'))).length - 10)],
    ['has a file that goes on', (path) => appendFile(join(path, 'streams.ndjson'), `${JSON.stringify(stream('more', {}))}\n`)],
    ['has another byte in a file', (path) => flip(join(path, 'history.ndjson'))],
    ['has another byte in what is attached', async (path) => flip(await attached(path))],
    ['has another file in place of one', (path) => copyFile(join(path, 'streams.ndjson'), join(path, 'profiles.ndjson'))],
    ['has another index', (path) => flip(join(path, 'index'))],
    ['has other counts', async (path) => writeFile(join(path, 'manifest.json'), (await readFile(join(path, 'manifest.json'), 'utf8')).replace(/"events": \d+/, '"events": 1'))],
  ]

  it.each(damages)('that %s is refused as a whole, and nothing is left', async (_, damage) => {
    const path = join(await folder(), 'damaged')
    await cp(whole, path, { recursive: true })
    await damage(path)
    const { as, email } = wishes()
    const { code } = await coffer(['users', 'import', path, '--as', as, '--email', email], { env: { COFFER_HOME: node.places.home } })
    expect(code).toBe(13)
    expect(await node.node.accounts.find(as)).toBeUndefined()
    expect(await marks()).toEqual([])
  })

  it('is not taken when its names are in use, or it is none', async () => {
    const run = (...line: string[]): Promise<{ code: number }> => coffer(['users', 'import', ...line], { env: { COFFER_HOME: node.places.home } })
    expect(await run(whole)).toMatchObject({ code: 6 })
    expect(await run(whole, '--as', 'other-name')).toMatchObject({ code: 6 })
    expect(await run(whole, '--as', 'x')).toMatchObject({ code: 1 })
    expect(await run(await folder())).toMatchObject({ code: 5 })
    expect(await run()).toMatchObject({ code: 2 })
  })
})

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}

async function attached(path: string): Promise<string> {
  const [first = ''] = await readdir(join(path, 'members'))
  const [name = ''] = await readdir(join(path, 'members', first))
  return join(path, 'members', first, name)
}
