import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  accessIntegrity,
  accessRecordKey,
  eventIntegrity,
  eventRecordKey,
  stableText,
  type IntegrityAlgorithm,
} from '../../../src/store/model/integrity.js'

const event = {
  id: 'ckd0br26d00075wpvugeqxkvd',
  streamIds: ['heart'],
  type: 'note/txt',
  content: 'hello',
  time: 1595000000.123,
  tags: [],
  created: 1595000001,
  createdBy: 'a1',
  modified: 1595000001,
  modifiedBy: 'a1',
}
const attachment = { id: 'f1', fileName: 'a b.txt', type: 'text/plain', size: 3, integrity: 'sha256-abc=' }
const eventText =
  '{"attachments":[{"fileName":"a b.txt","id":"f1","integrity":"sha256-abc=","size":3,"type":"text/plain"}],' +
  '"content":"hello","created":1595000001,"createdBy":"a1","id":"ckd0br26d00075wpvugeqxkvd","modified":1595000001,' +
  '"modifiedBy":"a1","streamIds":["heart"],"time":1595000000.123,"type":"note/txt"}'
const eventHash = 'EVENT:0:sha256-Fqz5+z7KjRtFbQU3mStkj5JMLjDOAIJNdLqFVUTypXM='

const access = {
  id: 'a1',
  token: 't',
  name: 'n',
  type: 'shared' as const,
  permissions: [{ level: 'read' as const, streamId: 'heart' }],
  created: 1,
  createdBy: 'p',
  modified: 1,
  modifiedBy: 'p',
}
const accessHash = 'ACCESS:0:sha256-YQuKRlrn+xjWjRRLqKosD7zITUMUEnK3MLEznFhet90='

describe('eventIntegrity', () => {
  it('agrees with the published vector', () => {
    expect(eventIntegrity({ ...event, attachments: [attachment] }, 'sha256')).toBe(eventHash)
  })

  it('ignores members that are not part of the stored event', () => {
    const result = {
      ...event,
      streamId: 'heart',
      tags: ['a'],
      headId: 'x',
      integrity: eventHash,
      duration: 0,
      trashed: false,
      deleted: null,
      description: undefined,
      attachments: [{ ...attachment, readToken: 'x' }],
    }
    // @ts-expect-error: a result has members and values that a stored event never has
    expect(eventIntegrity(result, 'sha256')).toBe(eventHash)
  })

  it('reads a single streamId as the list, and refuses one that contradicts it', () => {
    const { streamIds: _, ...rest } = event
    const single = { ...rest, streamId: 'heart', deleted: 0 }
    expect(eventIntegrity(single, 'sha256')).toBe(eventIntegrity({ ...event, deleted: 0 }, 'sha256'))
    expect(() => eventIntegrity({ ...event, streamId: 'other' } as typeof event, 'sha256')).toThrow('damaged')
  })

  it.each([
    ['a period', { duration: 3 }],
    ['the trash', { trashed: true as const }],
    ['client data', { clientData: { a: {} } }],
    ['readToken outside of attachments', { content: { readToken: 'x' } }],
    ['integrity inside the content', { content: { integrity: 'x' } }],
    ['a null inside a list', { content: [null] }],
  ])('covers %s', (_, change) => {
    expect(eventIntegrity({ ...event, ...change }, 'sha256')).not.toBe(eventIntegrity(event, 'sha256'))
  })

  it.each<[IntegrityAlgorithm, number]>([
    ['sha256', 44],
    ['sha512', 88],
    ['sha1', 28],
    ['md5', 24],
  ])('supports %s', (algorithm, length) => {
    const digest = createHash(algorithm).update(eventText).digest('base64')
    expect(digest).toHaveLength(length)
    expect(eventIntegrity({ ...event, attachments: [attachment] }, algorithm)).toBe(`EVENT:0:${algorithm}-${digest}`)
  })

  it('hashes UTF-8', () => {
    const digest = createHash('md5').update(Buffer.from('{"deleted":1,"id":"é😀"}', 'utf8')).digest('base64')
    expect(eventIntegrity({ id: 'é😀', deleted: 1 }, 'md5')).toBe(`EVENT:0:md5-${digest}`)
  })
})

describe('accessIntegrity', () => {
  it('agrees with the published vector', () => {
    expect(accessIntegrity(access, 'sha256')).toBe(accessHash)
    const usage = { lastUsed: 5, calls: { 'events:get': 1 } }
    const added = { ...usage, integrity: 'x', apiEndpoint: 'https://t@x/', deleted: null }
    expect(accessIntegrity({ ...access, ...added }, 'sha256')).toBe(accessHash)
  })

  it('covers the token, the alias and the expiry', () => {
    for (const change of [{ token: 'u' }, { alias: 'r-abcdefgh' }, { expires: 3 }]) {
      expect(accessIntegrity({ ...access, ...change }, 'sha256')).not.toBe(accessHash)
    }
  })
})

describe('record keys', () => {
  it('name the item and the time', () => {
    expect(eventRecordKey(event)).toBe('EVENT:0:ckd0br26d00075wpvugeqxkvd:1595000001')
    expect(eventRecordKey({ id: 'e1', deleted: 12.5 })).toBe('EVENT:0:e1:12.5')
    expect(accessRecordKey(access)).toBe('ACCESS:0:a1:1')
  })
})

describe('stableText', () => {
  it.each<[unknown, string]>([
    [{ b: 1, a: { d: [], c: {} } }, '{"a":{"c":{},"d":[]},"b":1}'],
    [{ a10: 1, a1: 2, a: 3, Z: 4, é: 5 }, '{"Z":4,"a":3,"a1":2,"a10":1,"é":5}'],
    [{ '\u{1f600}': 1, '\uff01': 2 }, '{"\u{1f600}":1,"\uff01":2}'],
    [{ 10: 1, 9: 2 }, '{"10":1,"9":2}'],
    [{ a: null, b: undefined, c: [null, undefined, { d: null }], e: '' }, '{"c":[null,null,{}],"e":""}'],
    [[1e21, -0, 0.1, 1e-7, 123456789012345680000, -1.5], '[1e+21,0,0.1,1e-7,123456789012345680000,-1.5]'],
    ['/é日😀', '"/é日😀"'],
    ['"\\\b\t\n\f\r', '"\\"\\\\\\b\\t\\n\\f\\r"'],
    [
      '\u0000\u001f\u007f\u009f\u00ad\u0600\u0604\u070f\u17b4\u17b5',
      '"\\u0000\\u001f\\u007f\\u009f\\u00ad\\u0600\\u0604\\u070f\\u17b4\\u17b5"',
    ],
    [
      '\u200c\u200f\u2028\u202f\u2060\u206f\ufeff\ufff0\uffff',
      '"\\u200c\\u200f\\u2028\\u202f\\u2060\\u206f\\ufeff\\ufff0\\uffff"',
    ],
    ['\u00a0\u00ae\u0605\u200b\u2010\u2030\u2070\uffef', '"\u00a0\u00ae\u0605\u200b\u2010\u2030\u2070\uffef"'],
    [{ 'a\nb': true, c: false }, '{"a\\nb":true,"c":false}'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    [null, 'null'],
  ])('writes %j', (value, text) => {
    expect(stableText(value)).toBe(text)
  })

  it('is the text of the vector', () => {
    const { tags: _, ...rest } = event
    expect(stableText({ ...rest, attachments: [attachment] })).toBe(eventText)
  })
})
