/** Uploads that no client library sends: refused or aborted, without remaining files. */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attached, eventPart, filePart, filesOnDisk, MULTIPART, multipartBody, sendParts } from '../../../support/http/multipart.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { rawRequest } from '../../../support/http/rawRequest.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'

let node: TestNode
let stage: Stage
const note = { streamIds: ['s'], type: 'note/txt', content: 'x' }
const whole = multipartBody([eventPart(note), filePart('a.txt', 'hello')])

beforeAll(async () => {
  node = await startTestNode({ 'uploads.maxSizeMb': 1 })
  stage = await newStage(node)
  await stage.arrange('streams.create', { id: 's', name: 's' })
})
afterAll(() => node.stop())

const head = (length: number | string, type: string = MULTIPART['content-type'], path = '/events'): string =>
  `POST /${stage.username}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${stage.owner}\r\nContent-Type: ${type}\r\n` +
  `${typeof length === 'number' ? `Content-Length: ${length}` : length}\r\nConnection: close\r\n\r\n`

/** Waits for pending writes of files; returns the files on disk. */
async function settledFiles(): Promise<string[]> {
  await node.node.store.blobs.settled()
  return filesOnDisk(node)
}

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 500; tries++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('timeout')
}

const text = whole.toString('latin1')
const broken: [string, Buffer, string?][] = [
  ['no boundary in the type', whole, 'multipart/form-data'],
  ['an empty boundary', whole, 'multipart/form-data; boundary='],
  ['a wrong boundary', whole, 'multipart/form-data; boundary=other'],
  ['an empty body', Buffer.alloc(0)],
  ['no parts', Buffer.from('--boundary-of-coffer-tests--\r\n')],
  ['a truncated body', whole.subarray(0, -10)],
  ['a body that ends in a header', whole.subarray(0, text.indexOf('filename') + 3)],
  ['a part without header end', Buffer.from('--boundary-of-coffer-tests\r\nContent-Disposition: form-data; name="a"\r\n')],
  ['an overlong header', Buffer.from(`--boundary-of-coffer-tests\r\nX: ${'x'.repeat(100_000)}\r\n\r\nx\r\n--boundary-of-coffer-tests--\r\n`)],
  ['very many headers', Buffer.from(`--boundary-of-coffer-tests\r\n${'X: y\r\n'.repeat(5000)}\r\nx\r\n--boundary-of-coffer-tests--\r\n`)],
  ['very many parts', multipartBody(Array.from({ length: 3000 }, (_, i) => filePart(String(i), 'x')))],
  ['a part of another disposition', multipartBody([eventPart(note), { data: 'x', headers: ['Content-Disposition: attachment; filename="a"'] }])],
  ['a nested multipart as the event', multipartBody([{ name: 'event', type: 'multipart/mixed; boundary=x', data: '--x--' }])],
  ['random bytes', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256))],
]

describe('a multipart body', () => {
  it.each(broken)('with %s is refused, and leaves no files', async (_, body, type) => {
    const before = await settledFiles()
    const answer = await rawRequest(node.port, Buffer.concat([Buffer.from(head(body.length, type)), body]))
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 400, body: { error: {}, meta: {} } })
    expect(await settledFiles()).toEqual(before)
  })

  it('in tiny chunks, with preamble and epilogue, is accepted', async () => {
    const body = Buffer.concat([Buffer.from('preamble\r\n'), whole, Buffer.from('epilogue')])
    const answer = await new Promise<string>((resolve, reject) => {
      let received = ''
      const socket = connect(node.port, '127.0.0.1', () => {
        socket.setNoDelay(true)
        const bytes = Buffer.concat([Buffer.from(head('Transfer-Encoding: chunked')), ...[...body].map((byte) => chunk(Buffer.from([byte]))), chunk(Buffer.alloc(0))])
        void (async () => {
          for (let at = 0; at < bytes.length; at += 97) {
            socket.write(bytes.subarray(at, at + 97))
            await new Promise((next) => setImmediate(next))
          }
        })()
      })
      socket.on('data', (data) => (received += data.toString()))
      socket.on('error', reject)
      socket.on('close', () => resolve(received))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
    expect(answer).toContain('"fileName":"a.txt"')
  })

  it.each([
    ['on /events', '/events'],
    ['with an unknown token', '/events'],
  ])('that continues long after its refusal, %s, is answered', async (how) => {
    const body = multipartBody([eventPart('no json'), filePart('a', 'x'.repeat(8_000_000))])
    const bytes = head(body.length).replace(stage.owner, how.includes('token') ? 'unknown' : stage.owner)
    const answer = await rawRequest(node.port, Buffer.concat([Buffer.from(bytes), body]))
    expect(answer.status).toBe(how.includes('token') ? 403 : 413)
    expect(answer.headers['connection']).toBe('close')
  })

  it('is not read before the caller is authenticated', async () => {
    const socket = await begin(head(10_000_000).replace(stage.owner, 'unknown'))
    socket.write(whole)
    const first = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
    expect(first).toMatch(/^HTTP\/1\.1 403 /)
    socket.destroy()
  })

  it('for an unknown or read-only event is refused before it is sent', async () => {
    const { id } = await attached(stage, [])
    const reader = await stage.app([{ streamId: 's', level: 'read' }])
    for (const [path, token, status] of [['/events/none', stage.owner, 404], [`/events/${id}`, reader, 403]] as const) {
      const socket = await begin(head(10_000_000, undefined, path).replace(stage.owner, token))
      const first = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
      expect(first).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      socket.destroy()
    }
  })

  it.each([0.3, 0.6, 0.95])('that is aborted at %f of its length leaves no files', async (share) => {
    const before = await settledFiles()
    const body = multipartBody([filePart('a', 'x'.repeat(500_000)), eventPart(note), filePart('b', 'y'.repeat(500_000))])
    const socket = await begin(head(body.length))
    socket.write(body.subarray(0, Math.floor(body.length * share)))
    // Waits until a part of it is on disk.
    await until(async () => (await filesOnDisk(node)).length > before.length)
    socket.destroy()
    await until(async () => (await filesOnDisk(node)).length === before.length)
    expect(await settledFiles()).toEqual(before)
  })

  it('that stalls does not block others', async () => {
    const socket = await begin(head(whole.length))
    socket.write(whole.subarray(0, -30))
    await until(async () => (await filesOnDisk(node)).some((file) => file.includes('.incoming')))
    expect((await sendParts(stage, '/events', [eventPart(note), filePart('a.txt', 'hello')])).status).toBe(201)
    socket.write(whole.subarray(-30))
    const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
    socket.destroy()
  })
})

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

function begin(bytes: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(node.port, '127.0.0.1', () => {
      socket.write(bytes)
      resolve(socket)
    })
    socket.on('error', reject)
  })
}
