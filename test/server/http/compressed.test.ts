/** Compressed request bodies, and the limit of their decompressed size. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { incomingBody } from '../../../src/server/http/body.js'
import { filesOnDisk, eventPart, filePart, MULTIPART, multipartBody } from '../../support/http/multipart.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'

const KB = 1024
const MB = 1024 * KB
const encodings = [['gzip', gzipSync], ['x-gzip', gzipSync], ['GZIP', gzipSync], ['deflate', deflateSync], ['br', brotliCompressSync]] as const

let node: TestNode
let s: Stage
beforeAll(async () => {
  node = await startTestNode({ 'uploads.maxSizeMb': 2, 'limits.json.maxSizeMb': 1, 'limits.json.maxSizeWithoutTokenKb': 64 })
  s = await newStage(node)
  await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
})
afterAll(() => node.stop())

interface Answer {
  status: number
  body: Record<string, unknown>
}

async function send(path: string, bytes: Uint8Array, encoding: string, more: Record<string, string> = {}, token: string | null = s.owner): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding, ...(token === null ? {} : { authorization: token }), ...more }
  const response = await fetch(`${node.url}${s.username}${path}`, { method: 'POST', headers, body: new Uint8Array(bytes) })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

const note = (content: string): object => ({ streamIds: ['diary'], type: 'note/txt', content })
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
/** Text that compresses to a third at best. */
const noise = (length: number): string => Array.from({ length: length / 24 }, () => node.node.newId()).join('')

describe('a compressed body', () => {
  it.each(encodings)('is decompressed: %s', async (encoding, compress) => {
    expect(await send('/events', compress(json(note('small'))), encoding)).toMatchObject({ status: 201, body: { event: { content: 'small' } } })
  })

  it.each(encodings)('may exceed the limit for callers without a token: %s', async (encoding, compress) => {
    const content = noise(300 * KB)
    expect(await send('/events', compress(json(note(content))), encoding)).toMatchObject({ status: 201, body: { event: { content } } })
  })

  it('may be a form', async () => {
    const form = new URLSearchParams({ _auth: s.owner, streamId: 'diary', type: 'note/txt', content: 'form' }).toString()
    const answer = await send('/events', gzipSync(form), 'gzip', { 'content-type': 'application/x-www-form-urlencoded' }, null)
    expect(answer).toMatchObject({ status: 201, body: { event: { content: 'form' } } })
  })

  it('may be multipart with files', async () => {
    const bytes = multipartBody([eventPart(note('with a file')), filePart('a.txt', noise(100 * KB))])
    const answer = await send('/events', gzipSync(bytes), 'gzip', MULTIPART)
    expect(answer).toMatchObject({ status: 201, body: { event: { content: 'with a file', attachments: [{ fileName: 'a.txt', size: 102400 - (102400 % 24) }] } } })
  })

  it.each(encodings)('is refused if its decompressed size exceeds the limit: %s', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(64 * MB, ' '))
    expect(bomb.length).toBeLessThan(MB)
    expect(await send('/events', bomb, encoding)).toMatchObject({ status: 413, body: { error: { id: 'payload-too-large', data: { limitMb: 1 } } } })
    const unknown = await send('/events', bomb, encoding, {}, 'no-such-token')
    expect(unknown).toMatchObject({ status: 403, body: { error: { id: 'invalid-access-token' } } })
    const form = await send('/events', bomb, encoding, { 'content-type': 'application/x-www-form-urlencoded' }, null)
    expect(form).toMatchObject({ status: 413, body: { error: { id: 'payload-too-large', data: { limitMb: 64 / 1024 } } } })
  })

  it('is refused if a file in it exceeds the limit, without remains on disk', async () => {
    const before = await filesOnDisk(node)
    const bytes = multipartBody([eventPart(note('bomb')), filePart('bomb.txt', Buffer.alloc(64 * MB, ' '))])
    expect(await send('/events', gzipSync(bytes), 'gzip', MULTIPART)).toMatchObject({ status: 413, body: { error: { id: 'payload-too-large' } } })
    expect(await filesOnDisk(node)).toEqual(before)
  })

  it.each([
    ['is not compressed', json(note('x'))],
    ['is truncated', gzipSync(json(note(noiseless(10_000)))).subarray(0, -12)],
    ['is damaged', damaged(gzipSync(json(note(noiseless(10_000)))))],
  ])('is refused if it %s', async (_, bytes) => {
    const refused = { status: 400, body: { error: { id: 'invalid-request-structure', message: expect.stringContaining('Content-Encoding') as string } } }
    expect(await send('/events', bytes, 'gzip')).toMatchObject(refused)
    expect(await send('/events', bytes, 'gzip', MULTIPART)).toMatchObject(refused)
  })

  it.each(['zstd', 'gzip, br', 'constructor', '__proto__'])('is refused with an unknown encoding: %s', async (encoding) => {
    const refused = { status: 415, body: { error: { id: 'unsupported-content-type', message: expect.stringContaining('Content-Encoding') as string } } }
    expect(await send('/events', json(note('x')), encoding)).toMatchObject(refused)
  })

  it('may have the encoding identity', async () => {
    expect((await send('/events', json(note('x')), 'identity')).status).toBe(201)
  })
})

function noiseless(length: number): string {
  return Array.from({ length }, (_, i) => String.fromCharCode(97 + ((i * i) % 26))).join('')
}

function damaged(bytes: Buffer): Buffer {
  bytes.fill(255, 20, 60)
  return bytes
}

it.each(encodings)('a body is decompressed up to the requested size plus one chunk: %s', async (encoding, compress) => {
  const bytes = compress(Buffer.alloc(64 * MB, 'x'))
  const chunks = Readable.from(Array.from({ length: Math.ceil(bytes.length / KB) }, (_, at) => bytes.subarray(at * KB, (at + 1) * KB)))
  const body = incomingBody(Object.assign(chunks, { headers: { 'content-encoding': encoding.toLowerCase() }, complete: true }) as unknown as IncomingMessage)
  for (const limit of [10 * KB, 100 * KB, MB]) {
    expect(await body.upTo(limit)).toBe(false)
    expect(body.bytes().length).toBeGreaterThan(limit)
    expect(body.bytes().length).toBeLessThanOrEqual(limit + 64 * KB)
  }
})

it('an upload of files that is not multipart is refused with a hint', async () => {
  const { event } = await s.arrange('events.create', note('x'))
  const path = `/events/${(event as { id: string }).id}`
  const refused = { status: 415, body: { error: { id: 'unsupported-content-type', message: expect.stringContaining('multipart/form-data') as string } } }
  expect(await send(path, json({ content: 'y' }), 'identity')).toMatchObject(refused)
  expect(await send(path, json([1]), 'identity')).toMatchObject(refused)
  expect(await send(path, json('text'), 'identity')).toMatchObject(refused)
  expect(await send(path, json({ content: 'y' }), 'identity', { 'content-type': 'text/plain' })).toMatchObject(refused)
  const form = await send(path, Buffer.from('content=y'), 'identity', { 'content-type': 'application/x-www-form-urlencoded' })
  expect(form).toMatchObject(refused)
  expect(await s.arrange('events.getOne', { id: (event as { id: string }).id })).toMatchObject({ event })
})
