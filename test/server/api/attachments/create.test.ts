/**
 * Creation of events with files, and addition of files to events (docs/interface/events.md#creation, docs/interface/attachments.md#upload).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { integrityOf } from '../../../support/oracles/integrity.js'
import {
  attached,
  attachedBytes,
  attachmentsIn,
  download,
  eventPart,
  filePart,
  filesOnDisk,
  multipartBody,
  sendParts,
  sha256,
  type Part,
} from '../../../support/http/multipart.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

type Json = Record<string, unknown>

const note = { streamIds: ['s'], type: 'note/txt', content: 'x' }
const MB = 1024 * 1024

let node: TestNode
let stage: Stage

async function stageOn(one: TestNode): Promise<Stage> {
  const stage = await newStage(one)
  for (const id of ['s', 'other']) await stage.arrange('streams.create', { id, name: id })
  return stage
}

beforeAll(async () => {
  node = await startTestNode({ 'uploads.maxSizeMb': 1, 'uploads.maxFiles': 3 })
  stage = await stageOn(node)
})
afterAll(() => node.stop())

describe('events.create with files', () => {
  it('stores name, type, size and integrity of files in order, and announces one change', async () => {
    await watch(stage)
    const binary = Buffer.from([0, 255, 13, 10, 45, 45, 128])
    const { status, body } = await sendParts(stage, '/events', [
      eventPart({ ...note, duration: null, description: 'd', clientData: { a: 1 } }),
      filePart('a.txt', 'hello'),
      filePart('b.bin', binary, 'application/octet-stream'),
    ])
    expect(status).toBe(201)
    const event = body['event'] as Json
    expect(attachmentsIn(body)).toMatchObject([
      { fileName: 'a.txt', type: 'text/plain', size: 5, integrity: `sha256-${sha256('hello')}` },
      { fileName: 'b.bin', type: 'application/octet-stream', size: 7, integrity: `sha256-${sha256(binary)}` },
    ])
    expect(event).toMatchObject({ ...note, duration: null, description: 'd', clientData: { a: 1 } })
    expect(event['integrity']).toBe(integrityOf(event))
    expect(announced(stage)).toEqual([`event create ${String(event['id'])}`])
    const { event: again } = await stage.arrange('events.getOne', { id: event['id'] })
    expect(again).toEqual(event)
    for (const [i, bytes] of [Buffer.from('hello'), binary].entries()) {
      const file = await download(stage, `/events/${String(event['id'])}/${attachmentsIn(body)[i]?.id ?? ''}`)
      expect(file.bytes.equals(bytes)).toBe(true)
    }
  })

  it('accepts the parts in any order, with any names', async () => {
    const { status, body } = await sendParts(stage, '/events', [
      { ...filePart('x.txt', '1'), name: 'a.b$c:d/e' },
      { ...eventPart(note), name: 'whatever' },
      { ...filePart('y.txt', '2'), name: 'a.b$c:d/e' },
    ])
    expect({ status, names: attachmentsIn(body).map(({ fileName }) => fileName) }).toEqual({
      status: 201,
      names: ['x.txt', 'y.txt'],
    })
  })

  it.each([
    ['many.dots.in.it.tar.gz', 'many.dots.in.it.tar.gz'],
    ['été 日本 😀.txt', 'été 日本 😀.txt'],
    ['', 'part'],
    ['../../etc/passwd', 'passwd'],
    ['a}]{,.txt', 'a}]{,.txt'],
  ])('stores the file name %j', async (sent, stored) => {
    const { body } = await sendParts(stage, '/events', [eventPart(note), { ...filePart(sent, '1'), name: 'part' }])
    expect(attachmentsIn(body)[0]).toMatchObject({ fileName: stored })
  })

  it('accepts an empty file, and a file without a type', async () => {
    const files: Part[] = [filePart('empty', ''), { name: 'f', fileName: 'plain', data: 'x' }]
    const { files: [empty, plain], id } = await attached(stage, files)
    expect([empty?.size, plain?.type]).toEqual([0, 'text/plain'])
    expect((await download(stage, `/events/${id}/${empty?.id ?? ''}`)).bytes).toHaveLength(0)
  })

  it('creates an event without files from a single part', async () => {
    const { status, body } = await sendParts(stage, '/events', [eventPart(note)])
    expect(status).toBe(201)
    expect(body['event']).not.toHaveProperty('attachments')
  })

  it('ignores the content of a series event, and accepts a trashed event', async () => {
    const file = filePart('a', '1')
    const series = await sendParts(stage, '/events', [eventPart({ ...note, type: 'series:mass/kg' }), file])
    expect(series.body['event']).toMatchObject({ content: { elementType: 'mass/kg' }, attachments: [{ fileName: 'a' }] })
    const trashed = await sendParts(stage, '/events', [eventPart({ ...note, trashed: true }), file])
    expect(trashed.body['event']).toMatchObject({ trashed: true, attachments: [{ fileName: 'a' }] })
  })

  const big = 'x'.repeat(MB + 1)
  const file = filePart('a.txt', 'hello')
  const refusals: [string, Part[], [number, string], Json?][] = [
    ['a part that is not JSON', [eventPart('not json'), file], [400, 'invalid-request-structure']],
    ['two parts that are not files', [eventPart(note), eventPart(note), file], [400, 'invalid-request-structure']],
    ['a second event part, before its size is checked', [eventPart(note), eventPart(big), file], [400, 'invalid-request-structure']],
    ['a body without event part', [file], [400, 'invalid-request-structure']],
    ['an array as the event', [eventPart([note]), file], [400, 'invalid-parameters-format']],
    ['an event without type', [eventPart({ streamIds: ['s'] }), file], [400, 'invalid-parameters-format']],
    ['an unknown stream', [eventPart({ ...note, streamIds: ['nope'] }), file], [400, 'unknown-referenced-resource']],
    ['an event that is too large', [file, eventPart(big)], [413, 'payload-too-large'], { limitMb: 1 }],
    ['a file that is too large', [eventPart(note), file, filePart('b', big)], [413, 'payload-too-large'], { limitMb: 1 }],
    ['too many files', [eventPart(note), file, file, file, file], [400, 'invalid-request-structure']],
    ['a part without disposition', [eventPart(note), { data: 'x', headers: ['X: y'] }], [400, 'invalid-request-structure']],
    ['an event that is not UTF-8', [{ name: 'event', data: Buffer.from([0x22, 0xff, 0x22]) }], [400, 'invalid-request-structure']],
  ]
  it.each(refusals)('refuses %s, and stores nothing', async (_, parts, [status, id], data) => {
    const before = await filesOnDisk(node)
    const sum = await attachedBytes(stage)
    const { status: answered, body } = await sendParts(stage, '/events', parts)
    expect({ answered, error: body['error'] }).toMatchObject({ answered: status, error: { id, ...(data === undefined ? {} : { data }) } })
    expect(await filesOnDisk(node)).toEqual(before)
    expect(await attachedBytes(stage)).toEqual(sum)
  })

  it('accepts a file of exactly the maximum size', async () => {
    const { files } = await attached(stage, [filePart('full', big.slice(1))])
    expect(files[0]?.size).toBe(MB)
  })

  it('authenticates the caller before it writes any bytes to disk', async () => {
    for (const [token, status] of [[null, 401], ['unknown', 403]] as const) {
      const answer = await sendParts(stage, '/events', [eventPart(note), filePart('a', 'b')], { token })
      expect([answer.status, answer.body['error']]).toMatchObject([status, { id: 'invalid-access-token' }])
    }
    const reader = await stage.app([{ streamId: 's', level: 'read' }])
    const before = await filesOnDisk(node)
    const answer = await sendParts(stage, '/events', [eventPart(note), filePart('a', 'other')], { token: reader })
    expect([answer.status, answer.body['error']]).toMatchObject([403, { id: 'forbidden' }])
    expect(await filesOnDisk(node)).toEqual(before)
  })

  it('accepts an access with create-only', async () => {
    const token = await stage.app([{ streamId: 's', level: 'create-only' }])
    const answer = await sendParts(stage, '/events', [eventPart(note), filePart('a', 'b')], { token })
    expect(answer.status).toBe(201)
  })

  it('ignores the special form fields _auth and _json', async () => {
    const parts = [eventPart(note), filePart('a', 'b')].map((part) => ({ ...part, name: '_json' }))
    expect((await sendParts(stage, '/events', parts)).status).toBe(201)
    const auth: Part = { name: '_auth', data: JSON.stringify(stage.owner) }
    expect((await sendParts(stage, '/events', [auth], { token: null })).status).toBe(401)
  })

  it('multipart bodies are refused by other methods', async () => {
    const { status, body } = await sendParts(stage, '/streams', [eventPart({ id: 'm', name: 'm' })])
    expect([status, body['error']]).toMatchObject([415, { id: 'unsupported-content-type' }])
  })

  it('ignores file descriptors in JSON', async () => {
    const files = [{ path: '/etc/passwd', fileName: 'a', size: 1, type: 'a/b' }]
    const { status, body } = await request(`${node.url}${stage.username}/events`, { token: stage.owner, body: { ...note, files } })
    expect(status).toBe(201)
    expect(body['event']).not.toHaveProperty('attachments')
    const inItem = await sendParts(stage, '/events', [eventPart({ ...note, files })])
    expect(inItem.body['event']).not.toHaveProperty('attachments')
  })

  it('accepts concurrent multipart bodies', async () => {
    const body = multipartBody([eventPart(note), filePart('a', 'b')])
    expect(body.length).toBeGreaterThan(100)
    const answers = await Promise.all([1, 2, 3].map(() => sendParts(stage, '/events', [eventPart(note), filePart('a', 'b')])))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  })
})

describe('events.addAttachment', () => {
  it('appends files, preserves order and ids of existing ones, and announces one change', async () => {
    const { id, files } = await attached(stage, [filePart('1', 'one'), filePart('2', 'two')])
    await watch(stage)
    const { status, body } = await sendParts(stage, `/events/${id}`, [filePart('3', 'three'), filePart('2', 'two')])
    expect(status).toBe(200)
    expect(attachmentsIn(body).slice(0, 2)).toEqual(files)
    expect(attachmentsIn(body).map(({ fileName }) => fileName)).toEqual(['1', '2', '3', '2'])
    expect(new Set(attachmentsIn(body).map((file) => file.id)).size).toBe(4)
    expect(announced(stage)).toEqual([`event update ${id}`])
    const event = body['event'] as Json
    expect(Number(event['modified'])).toBeGreaterThan(Number(event['created']))
    expect(event['integrity']).toBe(integrityOf(event))
    expect((await stage.arrange('events.getOne', { id }))['event']).toEqual(event)
  })

  it('ignores one JSON part, at any position', async () => {
    const { id } = await attached(stage, [])
    for (const parts of [[eventPart({ content: 'y', type: 'a/b' }), filePart('a', '1')], [filePart('b', '2'), eventPart([])]]) {
      const { status, body } = await sendParts(stage, `/events/${id}`, parts)
      expect(status).toBe(200)
      expect(body['event']).toMatchObject(note)
    }
  })

  it('changes only the modification fields without files', async () => {
    const { id, files } = await attached(stage, [filePart('1', 'one')])
    const { event: before } = await stage.arrange('events.getOne', { id })
    const { status, body } = await sendParts(stage, `/events/${id}`, [eventPart({})])
    expect(status).toBe(200)
    const { modified, integrity: _, ...rest } = body['event'] as Json
    expect(before).toMatchObject(rest)
    expect(Number(modified)).toBeGreaterThan(Number((before as Json)['modified']))
    expect(attachmentsIn(body)).toEqual(files)
  })

  it.each([
    ['a part that is not JSON', [eventPart('no'), filePart('a', '1')], 400, 'invalid-request-structure'],
    ['two parts that are not files', [eventPart({}), eventPart({}), filePart('a', '1')], 400, 'invalid-request-structure'],
    ['a file that is too large', [filePart('a', 'x'.repeat(MB + 1))], 413, 'payload-too-large'],
    ['too many files', ['a', 'b', 'c', 'd'].map((name) => filePart(name, '1')), 400, 'invalid-request-structure'],
  ])('refuses %s', async (_, parts, status, id) => {
    const { id: event, files } = await attached(stage, [filePart('1', 'one')])
    const before = await filesOnDisk(node)
    const answer = await sendParts(stage, `/events/${event}`, parts)
    expect([answer.status, answer.body['error']]).toMatchObject([status, { id }])
    expect(await filesOnDisk(node)).toEqual(before)
    expect(attachmentsIn(await stage.arrange('events.getOne', { id: event }))).toEqual(files)
  })

  it.each([
    ['create-only', 403],
    ['read', 403],
    ['contribute', 200],
  ] as const)('called by an access with %s answers %i', async (level, status) => {
    const { id } = await attached(stage, [])
    const token = await stage.app([{ streamId: 's', level }])
    expect((await sendParts(stage, `/events/${id}`, [filePart('a', 'b')], { token })).status).toBe(status)
  })

  it('requires contribute on only one of several streams', async () => {
    const { id } = await attached(stage, [], { ...note, streamIds: ['s', 'other'] })
    const token = await stage.app([{ streamId: 'other', level: 'contribute' }])
    const { status, body } = await sendParts(stage, `/events/${id}`, [filePart('a', 'b')], { token })
    expect([status, attachmentsIn(body).length]).toEqual([200, 1])
  })

  it('refuses an unknown event and an account field', async () => {
    const unknown = await sendParts(stage, '/events/cunknown00000000000000000', [filePart('a', 'b')])
    expect([unknown.status, unknown.body['error']]).toMatchObject([404, { id: 'unknown-resource' }])
    const field = await sendParts(stage, '/events/:_system:language', [filePart('a', 'b')])
    expect([field.status, field.body['error']]).toMatchObject([400, { id: 'invalid-operation' }])
  })
})

const withEvent = async (s: Stage): Promise<unknown> => {
  await s.arrange('streams.create', { id: 's', name: 's' })
  return { id: ((await s.arrange('events.create', note))['event'] as Json)['id'] }
}

// A form and a JSON body contain no files, so the update is empty.
describeMethod('events.addAttachment', [
  { it: 'accepts a body without files as an empty update', given: withEvent, gives: 200, result: { event: note } },
  { it: 'refuses an unknown event', send: { id: 'cunknown00000000000000000' }, gives: [404, 'unknown-resource'] },
])

describe('events.addAttachment in a batch', () => {
  it('is refused, like events.getAttachment', async () => {
    const { body } = await request(`${node.url}${stage.username}`, {
      token: stage.owner,
      body: ['events.addAttachment', 'events.getAttachment'].map((method) => ({ method, params: { id: 'x', fileId: 'y' } })),
    })
    expect(body['results']).toMatchObject([{ error: { id: 'invalid-method' } }, { error: { id: 'invalid-method' } }])
  })
})

describe('versions of an event', () => {
  it('preserve the metadata of a deleted file, but not its bytes', async () => {
    const versioned = await startTestNode({ 'versioning.forceKeepHistory': true, 'versioning.deletionMode': 'keep-everything' })
    try {
      const s = await stageOn(versioned)
      const { id, files } = await attached(s, [filePart('a', 'one')])
      await s.arrange('events.deleteAttachment', { id, fileId: files[0]?.id })
      const { history } = await s.arrange('events.getOne', { id, includeHistory: true })
      expect(history).toMatchObject([{ attachments: files }])
      expect((await download(s, `/events/${id}/${files[0]?.id ?? ''}`)).status).toBe(404)
      expect(await filesOnDisk(versioned)).toEqual([])
    } finally {
      await versioned.stop()
    }
  })
})
