/** Import of hostile and damaged archives: invalid lines are refused one by one, damaged archives as a whole, without remains. */
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
import { fillAll } from './sampleAccount.js'

type Json = Record<string, unknown>

const { home, folder } = homes()
let node: TestNode
let s: Stage
let whole: string
let accounts = 0

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

/** Returns unused names: the exported account still exists on the node. */
const unusedNames = (): { as: string; email: string } => {
  accounts += 1
  return { as: `hostile-${accounts}`, email: `hostile-${accounts}@example.org` }
}

/** Imports the account from a valid archive whose lines `change` edits. */
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
  return importAccount(node.node, await openArchive(target, () => Promise.reject(new Error('sealed'))), unusedNames())
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

const lines: [defect: string, file: string, line: unknown, message: string][] = [
  ['is not JSON', 'events.ndjson', '{"id":', 'not valid JSON'],
  ['is not an object', 'events.ndjson', '[1]', 'expected object'],
  ['is nested too deeply', 'events.ndjson', event({ content: deep(200) }), 'levels deep'],
  ['contains a number out of range', 'events.ndjson', JSON.stringify(event({ time: 1 })).replace('"time":1', '"time":1e999'), ''],
  ['has a path as its id', 'events.ndjson', event({ id: '../../etc' }), 'Invalid event id'],
  ['is in no stream', 'events.ndjson', event({ streamIds: [] }), 'An event needs at least one stream'],
  ['is in an unknown stream', 'events.ndjson', event({ streamIds: ['nowhere'] }), 'streams that do not exist'],
  ['is in an account stream', 'events.ndjson', event({ streamIds: [':system:email'] }), 'not replicated'],
  ['has an invalid type', 'events.ndjson', event({ type: 'a"b/c' }), 'no event type'],
  ['has content that does not match its type', 'events.ndjson', event({ type: 'mass/kg', content: 'heavy' }), ''],
  ['has an invalid time', 'events.ndjson', event({ time: 'now' }), 'time'],
  ['has a negative duration', 'events.ndjson', event({ duration: -1 }), 'duration'],
  ['has a wrong integrity', 'events.ndjson', event({ integrity: 'EVENT:0:sha256-AAAA' }), 'Integrity mismatch'],
  ['has an unknown property', 'events.ndjson', event({ evil: true }), ''],
  ['names a missing file', 'events.ndjson', event({ attachments: [{ id: 'f', fileName: 'f', type: 'text/plain', size: 1, sha256: 'a'.repeat(64) }] }), 'is not in the archive'],
  ['has a file whose media type contains a header', 'events.ndjson', event({ attachments: [{ id: 'f', fileName: 'f', type: 'text/html\r\nX: y', size: 1 }] }), 'media type'],
  ['is an unknown account field', 'events.ndjson', event({ id: ':system:wealth', streamIds: [':system:wealth'] }), 'Unknown account field'],
  ['is a stream below itself', 'streams.ndjson', stream('self', { parentId: 'self' }), 'part of a cycle'],
  ['has the name of a sibling', 'streams.ndjson', stream('other', { name: 'Diary' }), 'already has this name'],
  ['is a predefined stream', 'streams.ndjson', stream(':_cmc:inbox', {}), 'Invalid stream id'],
  ['repeats a stream id', 'streams.ndjson', stream('body', { name: 'twice' }), 'Duplicate stream id'],
  ['has a dot segment as its id', 'streams.ndjson', stream('..', { name: 'dots' }), 'dot segment'],
  ['has a reserved id', 'streams.ndjson', stream(':_emails:x', { name: 'emails' }), 'reserved'],
  ['has a reserved id', 'events.ndjson', event({ id: ':_emails:x' }), 'reserved'],
  ['has too long an id', 'streams.ndjson', stream('x'.repeat(1025), { name: 'long' }), 'id'],
  ['has too long a token', 'accesses.ndjson', { ...access({}), token: 'x'.repeat(1025) }, 'with its token'],
  ['is a deletion with an invalid event id', 'deletions.ndjson', { event: { id: 'x', deleted: 1 } }, 'Invalid event id'],
  ['is a deletion without a time', 'deletions.ndjson', { event: { id: 'caaaaaaaaaaaaaaaaaaaaaaaa' } }, 'no time'],
  ['is a version of an unknown event', 'history.ndjson', { event: 'caaaaaaaaaaaaaaaaaaaaaaab', version: { id: 'caaaaaaaaaaaaaaaaaaaaaaab' } }, 'does not exist'],
  ['is a version of another event', 'history.ndjson', { event: 'caaaaaaaaaaaaaaaaaaaaaaab', version: event({}) }, 'another event'],
  ['has points of an unknown event', 'series.ndjson', { event: 'caaaaaaaaaaaaaaaaaaaaaaab', fields: ['deltaTime', 'value'], points: [[0, 1]] }, 'No event has'],
  ['sets a reserved profile key', 'profiles.ndjson', { id: 'private', keys: { passwordThrottle: 1 }, modified: 1 }, 'cannot be set'],
  ['is a profile set with an invalid id', 'profiles.ndjson', { id: 'no/where', keys: {}, modified: 1 }, 'Invalid profile id'],
  ['has a token named like a property of every object', 'accesses.ndjson', { ...access({}), token: 'constructor' }, 'token'],
  ['is an app access with the type personal', 'accesses.ndjson', access({ type: 'personal' }), 'no permissions'],
  ['is a delegation access', 'accesses.ndjson', access({ clientData: { delegation: { kind: 'notify', relId: 'r' } } }), 'delegation'],
  ['has an invalid permission', 'accesses.ndjson', access({ permissions: [{ streamId: 'body', level: 'all' }] }), 'permissions'],
  ['has inconsistent earlier versions', 'accesses.ndjson', { ...access({}), versions: [access({})['access']] }, 'earlier versions'],
  ['is a webhook of an unknown access', 'webhooks.ndjson', { webhook: { id: 'w', accessId: 'nobody', url: 'http://127.0.0.1/', state: 'active', maxRetries: 1, minIntervalMs: 1, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' } }, 'does not exist'],
  ['is a webhook whose URL is a number', 'webhooks.ndjson', { webhook: { id: 'w', accessId: 'abc', url: 5, state: 'active', maxRetries: 1, minIntervalMs: 1, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' } }, 'url'],
  ['is a webhook whose URL is not HTTP', 'webhooks.ndjson', { webhook: { id: 'w', accessId: 'abc', url: 'ftp://x', state: 'active', maxRetries: 1, minIntervalMs: 1, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' } }, 'url'],
  ['is a slice without a name', 'slices.ndjson', { id: 'x', name: '', url: 'http://x', accessToken: 'y' }, 'name'],
  ['is a slice with an invalid URL', 'slices.ndjson', { id: 'x', name: 'X', url: 'nourl', accessToken: 'y' }, 'url'],
]

/** Returns the id of the first event with earlier versions in the archive, and its first version. */
function firstVersion(own: readonly string[]): { id: string; version: Json } {
  const { event: id, version } = JSON.parse(own[0] ?? '') as { event: string; version: Json }
  return { id, version }
}

describe('an event version', () => {
  it.each<[string, (id: string, version: Json) => unknown, string]>([
    ['that lacks properties', (id) => ({ event: id, version: { id, modified: 1, modifiedBy: 'x' } }), 'expected array'],
    ['with an invalid type', (id, version) => ({ event: id, version: { ...version, type: 'a"b/c' } }), 'no event type'],
    ['marked as deleted', (id, version) => ({ event: id, version: { ...version, deleted: 1 } }), 'deleted'],
    ['with a wrong integrity', (id, version) => ({ event: id, version: { ...version, integrity: 'EVENT:0:sha256-AAAA' } }), 'Integrity mismatch'],
    ['that is nested too deeply', (id, version) => ({ event: id, version: { ...version, content: deep(200) } }), 'levels deep'],
    ['with an invalid mark', (id, version) => ({ event: id, version, stamped: 'yes' }), 'stamped'],
    ['that is not contiguous with the others', (id, version) => ({ event: id, version: { ...version, modified: 2 } }), 'not contiguous'],
  ])('%s is refused, and the others are imported', async (_, bad, message) => {
    let versions = 0
    const done = await withLines((file, own) => {
      if (file !== 'history.ndjson') return own
      versions = own.length
      const { id, version } = firstVersion(own)
      return [...own, JSON.stringify(bad(id, version))]
    })
    expect(done.refusals).toMatchObject([{ file: 'history.ndjson', line: versions + 1 }])
    expect(done.refusals[0]?.message).toContain(message)
    expect(done.restored['eventVersions']).toBe(versions)
  })
})

describe('import of lines', () => {
  it('reports each invalid line by its number and imports the others', async () => {
    const done = await withLines((file, own) => {
      const added = lines.filter((each) => each[1] === file).map(([, , line]) => (typeof line === 'string' ? line : JSON.stringify(line)))
      return [...own, ...added]
    })
    const remaining = [...done.refusals]
    for (const [defect, file, , message] of lines) {
      const at = remaining.findIndex((refusal) => refusal.file === file && refusal.message.includes(message))
      expect(at, `${file}: ${defect}: ${message}\n${JSON.stringify(remaining)}`).toBeGreaterThanOrEqual(0)
      remaining.splice(at, 1)
    }
    expect(remaining).toEqual([])
    expect(done.refused).toBe(lines.length)
    // The event with a missing file is imported without it, so there is one event more than the manifest states.
    expect(done.differences).toEqual(['events'])
    expect(done.refusals.every(({ line }) => line >= 1)).toBe(true)
  })

  it('refuses the whole archive if the account line is invalid, and leaves no pending import', async () => {
    const before = await pendingKeys()
    const account = (change: (owner: Json) => void) => (file: string, own: string[]): string[] => {
      if (file !== 'account.ndjson') return own
      const line = JSON.parse(own[0] ?? '') as { account: Json }
      change(line.account)
      return [JSON.stringify(line)]
    }
    const wrong: [message: string, change: (owner: Json) => void][] = [
      ['passwordHash', (owner) => (owner['passwordHash'] = '$argon2id$v=19$m=9999999,t=9,p=9$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo')],
      ['passwordHash', (owner) => (owner['passwordHash'] = 'plain')],
      ['account.id', (owner) => (owner['id'] = '../x')],
      ['account', (owner) => (owner['admin'] = true)],
      ['account.unique', (owner) => (owner['unique'] = { email: 5 })],
    ]
    for (const [message, change] of wrong) await expect(withLines(account(change))).rejects.toThrow(message)
    await expect(withLines((file, own) => (file === 'account.ndjson' ? ['nonsense'] : own))).rejects.toThrow('account.ndjson')
    expect(await pendingKeys()).toEqual(before)
  })

  it('accepts an access some of whose earlier versions are on other nodes alone, but not versions out of order', async () => {
    const at = (serial: number): unknown => access({ serial })['access']
    const done = await withLines(adding('accesses.ndjson', { ...access({ serial: 5 }), versions: [at(1), at(3)] }))
    expect(done.refusals).toEqual([])
    const twice = await withLines(adding('accesses.ndjson', { ...access({ serial: 5 }), versions: [at(3), at(3)] }))
    expect(twice.refusals).toMatchObject([{ file: 'accesses.ndjson', message: 'The earlier versions are not in order.' }])
  })

  it('refuses lines over 64 MB', async () => {
    const done = await withLines(adding('events.ndjson', `"${'x'.repeat(65 * 1024 * 1024)}"`, event({ id: 'caaaaaaaaaaaaaaaaaaaaaaac' })))
    expect(done.refusals).toMatchObject([{ file: 'events.ndjson', message: 'The line is longer than 64 MB.' }])
  })
})

/** Returns the keys of pending imports and erasures of accounts. */
async function pendingKeys(): Promise<string[]> {
  const found: string[] = []
  for await (const key of each(node.node.store.db.keys(under(nodeKeys.arrivings)))) found.push(key)
  for await (const key of each(node.node.store.db.keys(under(nodeKeys.erasings)))) found.push(key)
  return found
}

describe('an import in progress', () => {
  it('ends without remains when it is cancelled and when its node stops', async () => {
    const places = await home()
    for (const how of ['cancel', 'stop'] as const) {
      const other = await startTestNode({}, { home: places.home })
      const control = createControl(other.node, methods, operatorMethods)
      const { id } = await control.call('users.import', { folder: whole }, {})
      if (how === 'cancel') {
        await control.call('users.importCancel', { id }, {})
        await expect(control.call('users.importState', { id, waitMs: 1000 }, {})).rejects.toThrow('cancelled')
      }
      await other.stop()
      const { out } = await coffer('users list --json', { env: { COFFER_HOME: places.home } })
      expect(JSON.parse(out)).toMatchObject({ users: [] })
      await expectSound(places)
    }
  })
})

describe('an archive', () => {
  const damages: [defect: string, damage: (path: string) => Promise<unknown>][] = [
    ['lacks a file', (path) => rm(join(path, 'events.ndjson'))],
    ['has a truncated file', async (path) => truncate(join(path, 'events.ndjson'), (await readFile(join(path, 'events.ndjson'))).length - 10)],
    ['has a file with an additional line', (path) => appendFile(join(path, 'streams.ndjson'), `${JSON.stringify(stream('more', {}))}\n`)],
    ['has a changed byte in a file', (path) => flip(join(path, 'history.ndjson'))],
    ['has a changed byte in an attached file', async (path) => flip(await attached(path))],
    ['has a file replaced by another', (path) => copyFile(join(path, 'streams.ndjson'), join(path, 'profiles.ndjson'))],
    ['has a changed index', (path) => flip(join(path, 'index'))],
    ['has changed counts', async (path) => writeFile(join(path, 'manifest.json'), (await readFile(join(path, 'manifest.json'), 'utf8')).replace(/"events": \d+/, '"events": 1'))],
  ]

  it.each(damages)('that %s is refused as a whole without remains', async (_, damage) => {
    const path = join(await folder(), 'damaged')
    await cp(whole, path, { recursive: true })
    await damage(path)
    const { as, email } = unusedNames()
    const { code } = await coffer(['users', 'import', path, '--as', as, '--email', email], { env: { COFFER_HOME: node.places.home } })
    expect(code).toBe(13)
    expect(await node.node.accounts.find(as)).toBeUndefined()
    expect(await pendingKeys()).toEqual([])
  })

  it('is refused if its username or e-mail address is in use or invalid, or if it is missing', async () => {
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
