/** Files over remote control: uploads, downloads, exports and imports; refused and interrupted transfers leave no files. */
import { request as httpRequest } from 'node:http'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { FRAME, fileFrames, frameOf, readFrames, messageFrame, type Frame } from '../../../src/server/base/frames.js'
import { FRAMES_TYPE } from '../../../src/server/base/framesType.js'
import { attached, download, filePart, filesOnDisk, sha256 } from '../../support/http/multipart.js'
import { request, type Answer } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { withNode } from '../../support/nodes/started.js'

type Json = Record<string, unknown>
const KEY = 'an operator key of more than sixteen'
const MB = 1024 * 1024
const node = withNode({ 'remoteControl.active': true, 'auth.adminAccessKey': KEY, 'uploads.maxSizeMb': 1, 'uploads.maxFiles': 3 })
const closed = withNode({ 'auth.adminAccessKey': KEY })

let s: Stage
let reader: string
beforeAll(async () => {
  s = await newStage(node())
  await s.arrange('streams.create', { id: 's', name: 's' })
  const { access } = await s.arrange('accesses.create', { name: 'reader', permissions: [{ streamId: 's', level: 'read' }] })
  reader = String((access as Json)['id'])
})

const event = { streamIds: ['s'], type: 'note/txt', content: 'x' }
const paramsFrame = (params: Json = event, as: Json = { user: s.username }): Buffer => messageFrame(FRAME.asked, { ...as, params })
const done = messageFrame(FRAME.done, {})

async function fileOf(bytes: string | Buffer, announcement: unknown = { fileName: 'a.txt', type: 'text/plain' }): Promise<Buffer> {
  const frames = []
  for await (const frame of fileFrames(announcement, (async function* () { yield await Promise.resolve(Buffer.from(bytes)) })())) frames.push(frame)
  return Buffer.concat(frames)
}

async function send(method: string, body: Buffer, { key = KEY, url = node().url }: { key?: string; url?: string } = {}): Promise<Answer> {
  const response = await fetch(`${url}system/admin/control/${method}`, { method: 'POST', headers: { authorization: key, 'content-type': FRAMES_TYPE }, body })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json }
}

const fetchBytes = (method: string, body: Json, key = KEY): Promise<Response> =>
  fetch(`${node().url}system/admin/control/${method}`, { method: 'POST', headers: { authorization: key, accept: 'application/octet-stream', 'content-type': 'application/json' }, body: JSON.stringify(body) })

const failureOf = ({ status, body }: Answer): unknown[] => [status, (body['error'] as Json | undefined)?.['id']]

/** Returns all files on disk after pending removals. */
async function onDisk(): Promise<string[]> {
  await node().node.store.blobs.settled()
  const incoming = join(node().places.files, '.incoming')
  return [...(await filesOnDisk(node())), ...(existsSync(incoming) ? readdirSync(incoming) : [])]
}

/** Sends the beginning of a body, and closes the connection once the node processes it. */
async function sendInPart(method: string, body: Buffer, isReceiving: () => Promise<boolean>): Promise<void> {
  const upload = httpRequest(`${node().url}system/admin/control/${method}`, { method: 'POST', headers: { authorization: KEY, 'content-type': FRAMES_TYPE } })
  upload.on('error', () => {})
  const closed = new Promise((resolve) => upload.once('close', resolve))
  upload.write(body)
  await until(isReceiving)
  upload.destroy()
  await closed
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('The condition was not met in time.')
}

const isIncoming = async (): Promise<boolean> => (await filesOnDisk(node())).some((path) => path.includes('.incoming'))

describe('files sent with a call', () => {
  it('are attached unchanged, in order', async () => {
    const large = Buffer.alloc(MB - 7, 'large ')
    const { status, body } = await send('events.create', Buffer.concat([paramsFrame(), await fileOf('first', { fileName: 'ä "1".txt', type: 'text/plain' }), await fileOf(large, { fileName: 'b' }), done]))
    const { id, attachments } = body['event'] as { id: string; attachments: { id: string }[] }
    expect([status, attachments]).toMatchObject([200, [{ fileName: 'ä "1".txt', type: 'text/plain', size: 5 }, { fileName: 'b', type: 'application/octet-stream', size: large.length }]])
    expect((await download(s, `/events/${id}/${attachments[1]?.id}`)).bytes.equals(large)).toBe(true)
    const more = await send('events.addAttachment', Buffer.concat([paramsFrame({ id }), await fileOf('third'), done]))
    expect((more.body['event'] as Json)['attachments']).toHaveLength(3)
  })

  it.each<[string, () => Buffer | Promise<Buffer>, number, string]>([
    ['an invalid event', async () => Buffer.concat([paramsFrame({ ...event, streamIds: ['none'] }), await fileOf('x'), done]), 400, 'unknown-referenced-resource'],
    ['a wrong SHA-256', () => Buffer.concat([paramsFrame(), messageFrame(FRAME.file, { fileName: 'a' }), frameOf(FRAME.data, Buffer.from('x')), messageFrame(FRAME.end, { bytes: 1, sha256: sha256('y', 'hex') }), done]), 400, 'invalid-request-structure'],
    ['a wrong size', () => Buffer.concat([paramsFrame(), messageFrame(FRAME.file, { fileName: 'a' }), frameOf(FRAME.data, Buffer.from('x')), messageFrame(FRAME.end, { bytes: 2, sha256: sha256('x', 'hex') }), done]), 400, 'invalid-request-structure'],
    ['a damaged second file', async () => Buffer.concat([paramsFrame(), await fileOf('whole'), messageFrame(FRAME.file, { fileName: 'a' }), messageFrame(FRAME.end, { bytes: 1, sha256: '' }), done]), 400, 'invalid-request-structure'],
    ['a file that the sender could not read', () => Buffer.concat([paramsFrame(), messageFrame(FRAME.file, { fileName: 'a' }), frameOf(FRAME.data, Buffer.from('x')), messageFrame(FRAME.broken, {}), done]), 400, 'invalid-request-structure'],
    ['too large a file', async () => Buffer.concat([paramsFrame(), await fileOf('x'), await fileOf(Buffer.alloc(MB + 1)), done]), 413, 'payload-too-large'],
    ['too many files', async () => Buffer.concat([paramsFrame(), ...(await Promise.all(['1', '2', '3', '4'].map((text) => fileOf(text)))), done]), 400, 'invalid-request-structure'],
    ['an end before the last file', async () => Buffer.concat([paramsFrame(), await fileOf('x')]), 400, 'invalid-request-structure'],
    ['an end within a frame', async () => Buffer.concat([paramsFrame(), (await fileOf('x')).subarray(0, -3)]), 400, 'invalid-request-structure'],
    ['an empty body', () => Buffer.alloc(0), 400, 'invalid-request-structure'],
    ['files before the parameters', async () => Buffer.concat([await fileOf('x'), paramsFrame(), done]), 400, 'invalid-request-structure'],
    ['too long a frame', () => Buffer.concat([paramsFrame(), Buffer.from('f\xff\xff\xff\xff', 'latin1')]), 400, 'invalid-request-structure'],
    ['an unknown frame', async () => Buffer.concat([paramsFrame(), await fileOf('x'), frameOf('?', Buffer.alloc(0)), done]), 400, 'invalid-request-structure'],
    ['a file without a name', async () => Buffer.concat([paramsFrame(), await fileOf('x', { type: 'a/b' }), done]), 400, 'invalid-request-structure'],
    ['local paths', async () => Buffer.concat([paramsFrame({ ...event, files: [{ path: '/etc/hostname' }] }), await fileOf('x'), done]), 400, 'invalid-operation'],
  ])('are refused with %s, and leave no files', async (_, body, status, id) => {
    const before = await onDisk()
    const { events } = await s.arrange('events.get', { limit: 1000 })
    expect(failureOf(await send('events.create', await body()))).toEqual([status, id])
    expect(await onDisk()).toEqual(before)
    expect((await s.arrange('events.get', { limit: 1000 }))['events']).toHaveLength((events as Json[]).length)
  })

  it.each<[string, string, () => Json, Json, number, string]>([
    ['unknown accounts', 'events.create', () => ({ user: 'nobody' }), event, 404, 'unknown-user'],
    ['no account', 'events.create', () => ({}), event, 400, 'invalid-operation'],
    ['unknown events', 'events.addAttachment', () => ({ user: s.username }), { id: 'none' }, 404, 'unknown-resource'],
    ['methods without files', 'events.get', () => ({ user: s.username }), {}, 400, 'invalid-operation'],
    ['operator methods', 'users.list', () => ({}), {}, 404, 'invalid-method'],
    ['local methods', 'backup.checkpoint', () => ({}), {}, 403, 'forbidden'],
  ])('are refused for %s before the upload', async (_, method, as, params, status, id) => {
    // The body has no end, so an answer means that the call was refused before the files.
    expect(failureOf(await send(method, paramsFrame(params, as())))).toEqual([status, id])
  })

  it('are refused with a read-only access', async () => {
    const answer = await send('events.create', Buffer.concat([paramsFrame(event, { user: s.username, access: reader }), await fileOf('x'), done]))
    expect(failureOf(answer)).toEqual([403, 'forbidden'])
  })

  it('are refused without the operator key and without remote control', async () => {
    const body = Buffer.concat([paramsFrame(), await fileOf('x'), done])
    const before = await onDisk()
    for (const answer of [await send('events.create', body, { key: `${KEY}!` }), await send('events.create', body, { url: closed().url })]) {
      expect([...failureOf(answer), answer.headers.get('coffer-door')]).toEqual([404, 'unknown-resource', null])
    }
    expect(await onDisk()).toEqual(before)
  })

  it('are removed when the connection is closed during the upload', async () => {
    const before = await onDisk()
    const part = Buffer.concat([paramsFrame(), messageFrame(FRAME.file, { fileName: 'a' }), frameOf(FRAME.data, Buffer.alloc(200_000))])
    await sendInPart('events.create', part, isIncoming)
    await until(async () => !(await isIncoming()))
    expect(await onDisk()).toEqual(before)
  })
})

describe('downloads of files', () => {
  it('return the bytes and their SHA-256 to callers with permission', async () => {
    const { id, files } = await attached(s, [filePart('a.txt', 'bytes of a file')])
    const params = { id, fileId: files[0]?.id }
    const answer = await fetchBytes('events.getAttachment', { user: s.username, params })
    expect([answer.status, answer.headers.get('coffer-door'), await answer.text()]).toEqual([200, 'control', 'bytes of a file'])
    expect(answer.headers.get('repr-digest')).toBe(`sha-256=:${sha256('bytes of a file')}:`)
    const { access } = await s.arrange('accesses.create', { name: 'blind', permissions: [{ streamId: 'none', level: 'read', defaultName: 'None' }] })
    const blind = await fetchBytes('events.getAttachment', { user: s.username, access: (access as Json)['id'], params })
    expect(blind.status).toBe(403)
    const wrong = await fetchBytes('events.getAttachment', { user: s.username, params }, `${KEY}!`)
    expect([wrong.status, await wrong.text()]).toEqual([404, expect.not.stringContaining('bytes of a file')])
  })

  it('are refused for unknown files and other methods', async () => {
    for (const [method, params, id] of [['events.getAttachment', { id: 'none', fileId: 'none' }, 'unknown-resource'], ['events.get', {}, 'invalid-operation']] as const) {
      const answer = await fetchBytes(method, { user: s.username, params })
      expect(((await answer.json()) as { error: Json }).error['id']).toBe(id)
    }
  })
})

describe('export of an account', () => {
  const framesIn = async (answer: Response): Promise<Frame[]> => {
    const frames = readFrames(answer.body as unknown as AsyncIterable<Uint8Array>)
    const all: Frame[] = []
    for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) all.push(frame)
    return all
  }

  it('returns an archive without local paths and keys, and is logged', async () => {
    const answer = await fetchBytes('users.export', { params: { username: s.username } })
    const frames = await framesIn(answer)
    expect(frames.at(-1)?.letter).toBe(FRAME.done)
    expect(frames.filter(({ letter }) => letter === FRAME.file).length).toBeGreaterThan(10)
    const text = Buffer.concat(frames.map(({ bytes }) => bytes)).toString('latin1')
    expect(text).toContain('bytes of a file')
    expect(text).not.toContain(node().places.home)
    expect(text).not.toContain(Buffer.from(node().node.nodeKey.reveal()).toString('hex'))
    expect(node().logged.join('\n')).toContain(`"username":"${s.username}"`)
    const without = await framesIn(await fetchBytes('users.export', { params: { username: s.username, withFiles: false } }))
    expect(without.filter(({ letter }) => letter === FRAME.file)).toHaveLength(10)
  })

  it('is refused for unknown accounts, without the operator key, and as JSON', async () => {
    expect(((await (await fetchBytes('users.export', { params: { username: 'nobody' } })).json()) as { error: Json }).error['id']).toBe('unknown-user')
    expect((await fetchBytes('users.export', { params: { username: s.username } }, 'no key')).status).toBe(404)
    expect(failureOf(await request(`${node().url}system/admin/control/users.export`, { token: KEY, body: { params: { username: s.username } } }))[1]).toBe('invalid-method')
  })

  it('delays the removal of its files until it ends', async () => {
    const { blobs } = node().node.store
    const { id, files } = await attached(s, [filePart('a.txt', 'to be deleted meanwhile')])
    const path = (await filesOnDisk(node())).find((each) => each.endsWith(sha256('to be deleted meanwhile', 'hex'))) ?? ''
    expect([files.length, existsSync(path)]).toEqual([1, true])
    const prefix = (await node().node.accounts.find(s.username))?.account.prefix ?? ''
    await blobs.withFilesOf(prefix, async () => {
      for (const _ of [1, 2]) await s.arrange('events.delete', { id })
      // Files are removed after the answer; `removeUnreferenced` resolves when this is done.
      await blobs.removeUnreferenced(prefix, [sha256('to be deleted meanwhile', 'hex')])
      expect(existsSync(path)).toBe(true)
    })
    await blobs.settled()
    expect(existsSync(path)).toBe(false)
  })
})

describe('import of an archive', () => {
  const announcement = (bytes = 10_000): Buffer => messageFrame(FRAME.asked, { params: { bytes } })
  const manifest = { kind: 'account', made: 1, product: 'x', node: '', format: 0, position: { commit: 0, hash: '' }, counts: {} }
  const finished = messageFrame(FRAME.done, { facts: manifest })
  const lines = (file: string, text: string): Promise<Buffer> => fileOf(text, { kind: 'lines', file })
  const digest = sha256('x', 'hex')

  it.each<[string, () => Buffer | Promise<Buffer>, number, string]>([
    ['a path as its name', async () => Buffer.concat([announcement(), await lines('../../../evil', 'x'), finished]), 400, 'invalid-request-structure'],
    ['a path as its digest', async () => Buffer.concat([announcement(), await fileOf('x', { kind: 'file', digest: `../${digest.slice(3)}`, bytes: 1 }), finished]), 400, 'invalid-request-structure'],
    ['bytes that do not match their digest', async () => Buffer.concat([announcement(), await fileOf('y', { kind: 'file', digest, bytes: 1 }), finished]), 400, 'invalid-request-structure'],
    ['a duplicate name', async () => Buffer.concat([announcement(), await lines('streams.ndjson', 'x'), await lines('streams.ndjson', 'x'), finished]), 400, 'invalid-request-structure'],
    ['more bytes than announced', async () => Buffer.concat([announcement(5), await lines('events.ndjson', '123456'), finished]), 400, 'invalid-request-structure'],
    ['too large an attached file', async () => Buffer.concat([announcement(2 * MB), await fileOf(Buffer.alloc(MB + 1), { kind: 'file', digest, bytes: MB + 1 }), finished]), 413, 'payload-too-large'],
    ['too little disk space', () => announcement(2 ** 50), 507, 'storage-full'],
    ['a local folder', () => messageFrame(FRAME.asked, { params: { bytes: 1, folder: '/tmp' } }), 400, 'invalid-parameters-format'],
    ['an invalid manifest', async () => Buffer.concat([announcement(), await lines('streams.ndjson', ''), messageFrame(FRAME.done, { facts: { kind: 'house' } })]), 400, 'invalid-request-structure'],
    ['no end', async () => Buffer.concat([announcement(), await lines('streams.ndjson', '')]), 400, 'invalid-request-structure'],
  ])('is refused with %s, and leaves no files', async (_, body, status, id) => {
    const before = await onDisk()
    expect(failureOf(await send('users.import', await body()))).toEqual([status, id])
    expect(await onDisk()).toEqual(before)
  })

  it('leaves no files when the connection is closed during the upload', async () => {
    const before = await onDisk()
    const part = Buffer.concat([announcement(1_000_000), messageFrame(FRAME.file, { kind: 'lines', file: 'events.ndjson' }), frameOf(FRAME.data, Buffer.alloc(200_000, ' '))])
    await sendInPart('users.import', part, isIncoming)
    await until(async () => (await onDisk()).length === before.length)
  })

  it('reports an archive without an account, without local paths, and removes it', async () => {
    const before = await onDisk()
    const { status, body } = await send('users.import', Buffer.concat([announcement(), await lines('streams.ndjson', ''), finished]))
    expect(status).toBe(200)
    const state = await request(`${node().url}system/admin/control/users.importState`, { token: KEY, body: { params: { id: body['id'], waitMs: 10_000 } } })
    expect(failureOf(state)[1]).toBe('corrupted-data')
    expect(JSON.stringify(state.body)).not.toContain(node().places.home)
    await until(async () => (await onDisk()).length === before.length)
  })
})
