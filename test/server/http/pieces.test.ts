/** Answers in pieces: long parts are not joined, and arrive whole. */
import { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { byteLength, Pieces } from '../../../src/server/http/pieces.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'

it('a text in pieces joins short parts, and keeps long ones apart', () => {
  const long = 'é'.repeat(10_000)
  const pieces = new Pieces()
  for (const part of ['', 'a', 'b', long, 'c', '', 'd', long]) pieces.add(part)
  expect(pieces.length).toBe(20_004)
  const taken = pieces.take()
  expect(taken).toEqual(['ab', long, 'cd', long])
  expect(byteLength(taken)).toBe(40_004)
  expect([pieces.length, pieces.take()]).toEqual([0, []])
})

/** Creates streams with names that are not ASCII; their list has 40,000 characters. */
async function nodeWithStreams(): Promise<{ node: TestNode; token: string }> {
  const node = await startTestNode()
  onTestFinished(() => node.stop())
  const token = await registerUser(node, 'alice')
  const body = Array.from({ length: 200 }, (_, n) => ({ method: 'streams.create', params: { id: `s${n}`, name: `${n} ${'é😀'.repeat(20)}` } }))
  expect((await request(`${node.url}alice/`, { method: 'POST', token, body })).status).toBe(200)
  const events = body.map(({ params: { id } }) => ({ method: 'events.create', params: { streamIds: [id], type: 'note/txt', content: 'ü😀'.repeat(30) } }))
  expect((await request(`${node.url}alice/`, { method: 'POST', token, body: events })).status).toBe(200)
  return { node, token }
}

describe('answers in pieces', () => {
  it('arrive whole, with the length of their bytes, each time', async () => {
    const { node, token } = await nodeWithStreams()
    const written: unknown[] = []
    const { write } = ServerResponse.prototype
    const spy = vi.spyOn(ServerResponse.prototype, 'write').mockImplementation(function (this: ServerResponse, ...rest: unknown[]) {
      written.push(rest[0])
      return Reflect.apply(write, this, rest) as boolean
    })
    onTestFinished(() => spy.mockRestore())
    // From the third time on, the list of events comes from memory, in one piece.
    for (let time = 0; time < 4; time++) {
      for (const list of ['streams', 'events'] as const) {
        const answer = await fetch(`${node.url}alice/${list}?limit=1000`, { headers: { authorization: token } })
        const text = await answer.text()
        expect(answer.status).toBe(200)
        // Lists of events are sent in chunks, without a length.
        if (list === 'streams') expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
        const parsed = JSON.parse(text) as Record<string, { name?: string; content?: unknown }[]>
        expect(parsed[list]?.filter(({ name, content }) => String(name ?? content).includes('😀'))).toHaveLength(200)
        expect(parsed).toHaveProperty('meta.apiVersion')
      }
    }
    expect(written.some((piece) => typeof piece === 'string' && piece.length > 8192)).toBe(true)
  })

  it('have no body for a request of the headers only', async () => {
    const { node, token } = await nodeWithStreams()
    const [whole, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(`${node.url}alice/streams`, { method, headers: { authorization: token } })))
    expect([head?.status, await head?.text()]).toEqual([whole?.status, ''])
    expect(head?.headers.get('content-length')).toBe(whole?.headers.get('content-length'))
    expect((await whole?.text())?.length).toBeGreaterThan(8192)
  })

  it('arrive whole when they are larger than what is buffered for a client', async () => {
    const node = await startTestNode()
    onTestFinished(() => node.stop())
    const token = await registerUser(node, 'alice')
    // Characters of two UTF-16 units meet the ends of slices, behind names of different lengths.
    const name = (n: number): string => `${'x'.repeat(n % 3)}${'😀'.repeat(100)}`
    for (let from = 0; from < 1600; from += 800) {
      const body = Array.from({ length: 800 }, (_, n) => ({ method: 'streams.create', params: { id: `s${from + n}`, name: `${from + n}${name(n)}` } }))
      expect((await request(`${node.url}alice/`, { method: 'POST', token, body })).status).toBe(200)
    }
    const answer = await fetch(`${node.url}alice/streams`, { headers: { authorization: token } })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(bytes.length).toBeGreaterThan(512 * 1024)
    expect(answer.headers.get('content-length')).toBe(String(bytes.length))
    const { streams } = JSON.parse(new TextDecoder('utf8', { fatal: true }).decode(bytes)) as { streams: { id: string; name: string }[] }
    const own = streams.filter(({ id }) => /^s\d+$/.test(id))
    expect(own).toHaveLength(1600)
    for (const one of own) expect(one.name).toBe(`${one.id.slice(1)}${name(Number(one.id.slice(1)) % 800)}`)
  })
})
