/** Requests that are too large, too deep or too many: refused with a specific failure, or served; the node continues. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HomePlaces } from '../../src/server/launch/init.js'
import type { FailureId } from '../../src/store/model/failure.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { registerUser, request, startTestNode, type TestNode } from '../support/nodes/node.js'
import { expectFitting, expectServing } from './expect.js'
import { converse, requestOf, type RawAnswer } from './raw.js'

const { home } = homes()
let places: HomePlaces
let node: TestNode
let token: string

beforeAll(async () => {
  places = await home()
  node = await startTestNode({}, { home: places.home })
  token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 'a', name: 'A' } })
})

afterAll(async () => {
  await node.stop()
  await expectSound(places)
})

const MB = 1024 * 1024
const event = (content: string): string => `{"streamIds":["a"],"type":"test/free","content":${content}}`
const joined = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(',')
const list = (count: number, item: (i: number) => string): string => `[${joined(count, item)}]`
const members = (count: number): string => `{${joined(count, (i) => `"k${i}":${i}`)}}`

type Gives = 201 | 200 | FailureId
const bodies: [name: string, path: string, body: () => string, gives: Gives][] = [
  [
    '200,000 nested arrays',
    'events',
    () => event('['.repeat(200_000) + ']'.repeat(200_000)),
    'invalid-request-structure',
  ],
  [
    '200,000 nested objects',
    'events',
    () => event(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`),
    'invalid-request-structure',
  ],
  ['200,000 arrays that do not end', 'events', () => '['.repeat(200_000), 'invalid-request-structure'],
  ['5 million arrays that do not end', 'events', () => '['.repeat(5 * MB), 'invalid-request-structure'],
  ['nesting that only a text has', 'events', () => event(JSON.stringify('['.repeat(200_000))), 201],
  ['a number of a million digits', 'events', () => event('9'.repeat(MB)), 'invalid-request-structure'],
  ['a fraction of a million digits', 'events', () => event(`0.${'9'.repeat(MB)}`), 201],
  ['a million escapes', 'events', () => event(`"${'\\u0000'.repeat(MB)}"`), 201],
  ['a million backslashes', 'events', () => event(`"${'\\\\'.repeat(MB)}"`), 201],
  ['a text that never ends', 'events', () => `{"a":"${'\\"'.repeat(2 * MB)}`, 'invalid-request-structure'],
  ['a text of 9.9 MB', 'events', () => event(`"${'x'.repeat(9.9 * MB)}"`), 201],
  ['a text of 11 MB', 'events', () => event(`"${'x'.repeat(11 * MB)}"`), 'payload-too-large'],
  ['a key of 5 MB', 'events', () => event(`{"${'k'.repeat(5 * MB)}":1}`), 201],
  ['200,000 keys', 'events', () => event(members(200_000)), 201],
  ['200,000 unknown parameters', 'events', () => members(200_000), 'invalid-parameters-format'],
  ['20,000 unknown parameters', 'events', () => members(20_000), 'invalid-parameters-format'],
  [
    '20,000 wrong items',
    'events',
    () => `{"streamIds":${list(20_000, () => '1')},"type":"a/b"}`,
    'invalid-parameters-format',
  ],
  [
    '200,000 unknown streams',
    'events',
    () => `{"streamIds":${list(200_000, (i) => `"s${i}"`)},"type":"a/b"}`,
    'invalid-parameters-format',
  ],
  ['the same stream 10,000 times', 'events', () => `{"streamIds":${list(10_000, () => '"a"')},"type":"a/b"}`, 201],
  ['the same stream 10,001 times', 'events', () => `{"streamIds":${list(10_001, () => '"a"')},"type":"a/b"}`, 'invalid-parameters-format'],
  ['10,000 tags', 'events', () => `{"streamIds":["a"],"type":"a/b","tags":${list(10_000, (i) => `"t${i}"`)}}`, 201],
  ['50,000 tags', 'events', () => `{"streamIds":["a"],"type":"a/b","tags":${list(50_000, (i) => `"t${i}"`)}}`, 'invalid-parameters-format'],
  ['a stream name of 5 MB', 'streams', () => `{"id":"n","name":"${'n'.repeat(5 * MB)}"}`, 201],
  ['a stream id of 1 MB', 'streams', () => `{"id":"${'n'.repeat(MB)}","name":"n2"}`, 'invalid-parameters-format'],
  ['client data of 5,000 keys', 'streams', () => `{"id":"c","name":"c","clientData":${members(5000)}}`, 201],
  ['client data of 5,001 keys', 'streams', () => `{"id":"d","name":"d","clientData":${members(5001)}}`, 'invalid-parameters-format'],
  ['client data of 5,001 keys', 'events', () => `{"streamIds":["a"],"type":"a/b","clientData":${members(5001)}}`, 'invalid-parameters-format'],
  ['200,000 calls', '', () => list(200_000, () => '{"method":"streams.get","params":{}}'), 'invalid-parameters-format'],
  ['a method name of 5 MB', '', () => `[{"method":"${'m'.repeat(5 * MB)}","params":{}}]`, 200],
]

describe('a body', () => {
  it.each(bodies)('of %s', async (_, path, body, gives) => {
    const options = { token, body: body(), method: 'POST' }
    const { status, body: answered, headers } = await request(`${node.url}alice/${path}`, options)
    const id = expectFitting(path, status, JSON.stringify(answered), headers.get('api-version'))
    expect(id ?? status).toBe(gives)
    if (gives === 'payload-too-large') expect(answered['error']).toMatchObject({ data: { limitMb: 10 } })
    await expectServing(node, path)
  }, 60_000)

  const POST = ['POST /alice/events HTTP/1.1', 'Content-Type: application/json']
  const piece = Buffer.alloc(MB, 0x20)

  /** Returns the failure of the first response. */
  function failureIn([answer]: RawAnswer[]): string | undefined {
    return expectFitting(POST, answer?.status ?? 0, answer?.body ?? '', answer?.headers.get('api-version'))
  }

  it('of 60 MB in chunks is refused at the limit', async () => {
    const chunk = [`${MB.toString(16)}\r\n`, piece, '\r\n']
    const head = requestOf([...POST, `Authorization: ${token}`, 'Transfer-Encoding: chunked'])
    const chunks = Array.from({ length: 60 }, () => chunk).flat()
    const { answers } = await converse(node.port, [head, ...chunks, '0\r\n\r\n'])
    expect(failureIn(answers)).toBe('payload-too-large')
    await expectServing(node, '60 MB in chunks')
  })

  it('of 60 MB in chunks, without a token, is not read', async () => {
    const chunk = [`${MB.toString(16)}\r\n`, piece, '\r\n']
    const head = requestOf([...POST, 'Transfer-Encoding: chunked'])
    const { answers } = await converse(node.port, [head, ...Array.from({ length: 60 }, () => chunk).flat(), '0\r\n\r\n'])
    expect(failureIn(answers)).toBe('invalid-access-token')
    await expectServing(node, '60 MB in chunks, without a token')
  })

  it('of 60 MB with a length is refused at once', async () => {
    const head = requestOf([...POST, `Content-Length: ${60 * MB}`])
    const { answers } = await converse(node.port, [head, ...Array.from({ length: 60 }, () => piece)])
    expect(failureIn(answers)).toBe('payload-too-large')
    await expectServing(node, '60 MB')
  })

  it('of 100 MB in a form is refused', async () => {
    const type = 'Content-Type: application/x-www-form-urlencoded'
    const head = requestOf(['POST /alice/events HTTP/1.1', type, 'Transfer-Encoding: chunked'])
    const chunk = [`${MB.toString(16)}\r\n`, Buffer.alloc(MB, 0x61), '\r\n']
    const chunks = Array.from({ length: 100 }, () => chunk).flat()
    const { answers } = await converse(node.port, [head, ...chunks, '0\r\n\r\n'])
    expect(failureIn(answers)).toBe('payload-too-large')
    await expectServing(node, '100 MB form')
  })

  it('that grows beyond the limit during decompression is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MB))
    const head = requestOf([...POST, `Authorization: ${token}`, 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`])
    const { answers } = await converse(node.port, [head, bomb])
    expect([answers[0]?.status, failureIn(answers)]).toEqual([413, 'payload-too-large'])
    await expectServing(node, 'gzip')
  })
})

describe('an account', () => {
  it('may have streams 1,000 levels deep', async () => {
    const deep = Array.from({ length: 1000 }, (_, i) => ({
      method: 'streams.create',
      params: { id: `d${i}`, name: `d${i}`, ...(i === 0 ? {} : { parentId: `d${i - 1}` }) },
    }))
    for (let at = 0; at < deep.length; at += 500) {
      const { body } = await request(`${node.url}alice`, { token, body: deep.slice(at, at + 500) })
      expect(JSON.stringify(body)).not.toContain('"unexpected-error"')
    }
    for (const path of ['streams', 'streams?state=all', 'streams?id=d0', 'events?streams=d0', 'streams?id=d999']) {
      const { status, headers, body } = await request(`${node.url}alice/${path}`, { token })
      const text = status < 400 ? '' : JSON.stringify(body)
      expectFitting(path, status, text, headers.get('api-version'))
    }
    await expectServing(node, 'deep streams')
  })
})
