import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createEventIds } from '../../../../../src/cli/commands/events/import/eventId.js'
import { openLines } from '../../../../../src/cli/commands/events/import/format.js'
import type { FormatOptions } from '../../../../../src/cli/commands/events/import/format.js'
import type { ImportLine } from '../../../../../src/cli/commands/events/import/line.js'
import { createDigestCounter } from '../../../../../src/cli/commands/events/import/seen.js'
import { all, pieces } from '../../../support/pieces.js'

describe('ids', () => {
  const fields = { streamIds: ['weight'], type: 'mass/kg', time: 1700000000, content: 62.5 }

  // Ids must never change: a file imported again must match its events.
  it.each([
    ['an event', createEventIds().derived(fields), 'ct3e2v44bdr3msi4376o2gjom'],
    ['an object as content', createEventIds().derived({ ...fields, content: { b: 1, a: [null, 'x'] } }), 'cwt5f0hnkpn79cvw3q5odrxwb'],
    ['no content', createEventIds().derived({ ...fields, content: undefined }), 'ca8ixi6stuvogdt67dqceygwt'],
    ['a name', createEventIds().given('17', ['weight']), 'cgj4eqm0q4lqy2i69vtimbysb'],
  ])('are stable for %s', (_, id, expected) => expect(id).toBe(expected))

  it('are the SHA-256 of the event, encoded with 36 characters', () => {
    const digest = createHash('sha256').update('["event",["weight"],"mass/kg",1700000000,62.5]').digest()
    const expected = [...digest.subarray(0, 24)].map((byte) => 'abcdefghijklmnopqrstuvwxyz0123456789'[byte % 36]).join('')
    expect(createEventIds().derived(fields)).toBe(`c${expected}`)
  })

  it('distinguish equal rows by a counter, reproducibly', () => {
    const ids = createEventIds()
    const three = [ids.derived(fields), ids.derived(fields), ids.derived(fields)]
    expect(new Set(three).size).toBe(3)
    const again = createEventIds()
    expect([again.derived(fields), again.derived({ ...fields, time: 1 }), again.derived(fields), again.derived(fields)]).toEqual([
      three[0],
      createEventIds().derived({ ...fields, time: 1 }),
      three[1],
      three[2],
    ])
  })

  it.each([
    ['stream', { streamIds: ['other'] }],
    ['type', { type: 'mass/g' }],
    ['time', { time: 1700000000.001 }],
    ['content', { content: '62.5' }],
  ])('differ with the %s', (_, change) => {
    expect(createEventIds().derived({ ...fields, ...change })).not.toBe(createEventIds().derived(fields))
  })

  it('do not depend on the order of keys', () => {
    const one = createEventIds().derived({ ...fields, content: { a: 1, b: 2 } })
    expect(createEventIds().derived({ ...fields, content: { b: 2, a: 1 } })).toBe(one)
  })

  it.each(['cabcdefghijklmnopqrstuvwx', 'c-bcdefghijklmnopqrstuvw-', 'a12345678901234567890123', ':store:Item-1'])(
    'that the API accepts are kept: %s',
    (id) => expect(createEventIds().given(id, ['s'])).toBe(id),
  )

  it.each(['17', 'C12345678901234567890123', 'a/b', '2f1e-44', ':store:', ':_emails:x', 'a1234567890123456789012 '])(
    'that the API rejects are replaced, by stream: %s',
    (id) => {
      expect(createEventIds().given(id, ['s'])).toMatch(/^c[a-z0-9]{24}$/)
      expect(createEventIds().given(id, ['t'])).not.toBe(createEventIds().given(id, ['s']))
    },
  )

  it('are counted like in a map', () => {
    const digest = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 40 })).map(([first, second]) => {
      const bytes = Buffer.alloc(32)
      bytes.writeUInt32LE(first * 0x40000001, 0)
      bytes.writeUInt32LE(second, 4)
      return bytes
    })
    fc.assert(
      fc.property(fc.array(digest, { maxLength: 300, size: 'max' }), (digests) => {
        const seen = createDigestCounter(2)
        const naive = new Map<string, number>()
        for (const each of digests) {
          const key = each.toString('hex')
          expect(seen.count(each)).toBe(naive.get(key) ?? 0)
          naive.set(key, (naive.get(key) ?? 0) + 1)
        }
      }),
    )
  })
})

const noOptions: FormatOptions = {
  format: undefined,
  stream: [],
  type: undefined,
  timeColumn: undefined,
  clockColumn: undefined,
  valueColumn: undefined,
  contentColumn: undefined,
  streamColumn: undefined,
  typeColumn: undefined,
  idColumn: undefined,
  skipEmpty: false,
}

/** Opens a file from its bytes; `notes` receives the lines for people. */
async function linesOf(file: string, content: string | Buffer, options: Partial<FormatOptions> = {}, notes: string[] = []): Promise<ImportLine[]> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const { lines } = await openLines(file, pieces(bytes, []), { ...noOptions, ...options }, { ids: createEventIds(), note: (text) => void notes.push(text) })
  return (await all(lines)).flat()
}

const messageOf = (line: ImportLine | undefined): string => (line !== undefined && 'error' in line ? line.error.message : '')
const eventOf = (line: ImportLine | undefined): unknown => (line !== undefined && 'event' in line ? line.event : line)

describe('the format', () => {
  const csv = { timeColumn: 't', valueColumn: 'v', stream: ['s'], type: 'mass/kg' }
  it.each([
    ['x.csv', { ...csv, contentColumn: 'v' }, /exclude each other/],
    ['x.csv', { ...csv, stream: [] }, /--stream <id> or --stream-column/],
    ['x.csv', { ...csv, type: undefined }, /--type <class\/format> or --type-column/],
    ['x.csv', { ...csv, delimiter: ',,' }, /--delimiter <sign>/],
    ['x.csv', { ...csv, delimiter: '"' }, /--delimiter <sign>/],
    ['x.csv', { ...csv, timezone: 'Mars' }, /--timezone takes/],
    ['x.csv', { ...csv, encoding: 'klingon' }, /--encoding takes/],
    ['x.csv', { ...csv, dateFormat: 'dd' }, /--date-format takes/],
    ['x.csv', { ...csv, dateFormat: 'iso', timeUnit: 'ms' as const }, /exclude each other/],
    ['x.ndjson', { timeColumn: 't' }, /--time-column is for CSV/],
    ['x.ndjson', { skipEmpty: true }, /--skip-empty is for CSV/],
    ['x.ndjson', { decimal: 'comma' as const }, /--decimal is for CSV/],
  ])('of %s with %j is an error', async (file, options: Partial<FormatOptions>, message) => {
    await expect(linesOf(file, 't,v\n1,2\n', options)).rejects.toThrow(message)
  })

  it.each([
    ['x.CSV', 't,v\n1,2\n', {}],
    ['x.tsv', 't\tv\n1\t2\n', {}],
    ['-', 't,v\n1,2\n', {}],
    ['x.txt', 't;v\n1;2\n', { delimiter: ';' }],
    ['x.csv', 't\tv\n1\t2\n', { delimiter: 'tab' }],
    ['x.csv', 't|v\n1|2\n', {}],
  ])('of %s is derived from the name, the text and the options', async (file, text, options) => {
    expect(eventOf((await linesOf(file, text, { ...csv, ...options }))[0])).toMatchObject({ time: 1, content: 2 })
  })

  it('is derived from the first character when the name tells nothing', async () => {
    expect(eventOf((await linesOf('x.json', ' {"streamId":"s","type":"mass/kg","time":1,"content":2}\n'))[0])).toMatchObject({ time: 1, content: 2 })
    await expect(linesOf('x.json', '[{"streamId":"s"}]')).rejects.toThrow('x.json is a JSON array')
  })

  it('needs no options for a file of coffer events export', async () => {
    const text = 'time,streams,type,content,id\n1700000000,a;b,note/txt,"""=1""",c12345678901234567890abcd\n'
    expect((await linesOf('x.csv', text)).map(eventOf)).toEqual([
      { id: 'c12345678901234567890abcd', streamIds: ['a', 'b'], type: 'note/txt', time: 1700000000, content: '=1' },
    ])
  })
})

describe('CSV', () => {
  const options = { timeColumn: 't', valueColumn: 'v', stream: ['s'], type: 'mass/kg' }
  const contentOf = async (row: string, more: Partial<FormatOptions> = {}): Promise<ImportLine | undefined> =>
    (await linesOf('x.csv', `t,v\n${row}\n`, { ...options, ...more }))[0]

  it('is parsed to events', async () => {
    const [line] = await linesOf('x.csv', '\ufeffv, t ,x\r\n62.5,1700000000.5,\r\n', options)
    expect(line).toEqual({
      line: 2,
      isWhole: false,
      size: expect.any(Number) as number,
      event: { id: expect.any(String) as string, streamIds: ['s'], type: 'mass/kg', time: 1700000000.5, content: 62.5 },
    })
  })

  it.each([
    ['seconds', '1700000000.25', {}, 1700000000.25],
    ['milliseconds', '1700000000250', { timeUnit: 'ms' as const }, 1700000000.25],
    ['seconds before 1970', '-1.5', {}, -1.5],
    ['ISO 8601 in UTC', '2023-11-14T22:13:20.25Z', { timeUnit: 'ms' as const }, 1700000000.25],
    ['ISO 8601 with an offset', '2023-11-14 23:13:20+01:00', {}, 1700000000],
    ['ISO 8601 in local time', '2023-11-14T22:13:20', {}, new Date(2023, 10, 14, 22, 13, 20).getTime() / 1000],
    ['days', '2023-11-14', {}, new Date(2023, 10, 14).getTime() / 1000],
  ])('accepts times in %s', async (_, word, more, time) => {
    expect(eventOf(await contentOf(`${word},1`, more))).toMatchObject({ time })
  })

  it.each([
    ['a number', '62.5', 'mass/kg', 62.5],
    ['a number of an unknown type', '1e3', 'my/type', 1000],
    ['a signed number', ' +.5 ', 'mass/kg', 0.5],
    ['a text', '12', 'note/txt', '12'],
    ['a text with quotes', '"a, ""b"""', 'note/txt', 'a, "b"'],
    ['an object', '"{""latitude"":1,""longitude"":2}"', 'position/wgs84', { latitude: 1, longitude: 2 }],
  ])('accepts %s', async (_, word, type, content) => {
    expect(eventOf(await contentOf(`1,${word}`, { type }))).toMatchObject({ content })
  })

  it.each([
    ['text in place of a number', '1,abc', {}, '"abc" in column v is not a number.'],
    ['a decimal comma with a decimal point', '1,"2,5"', { decimal: 'point' as const }, '"2,5" in column v is not a number.'],
    ['a hexadecimal number', '1,0x10', {}, '"0x10" in column v is not a number.'],
    ['an infinite number', '1,1e999', {}, '"1e999" in column v is not a number.'],
    ['an empty value', '1,', {}, 'Column v is empty.'],
    ['an empty time', ',1', {}, '"" in column t is not a time.'],
    ['a nonexistent day', '2023-02-29,1', {}, '"2023-02-29" in column t is not a time.'],
    ['a cell too many', '1,2,3', {}, 'The line has 3 cells, and the header 2.'],
    ['a cell too few', '1', {}, 'The line has 1 cells, and the header 2.'],
    ['malformed quotes', '1,"2"3', {}, 'There is text after a closing quote.'],
    ['malformed JSON', '1,{', { valueColumn: undefined, contentColumn: 'v' }, '"{" in column v is not JSON.'],
  ])('refuses %s', async (_, row, more, message) => {
    expect(messageOf(await contentOf(row, more))).toBe(message)
  })

  it('refuses lines that are not UTF-8 in a file that is, and continues', async () => {
    const bytes = Buffer.concat([Buffer.from('t,v\n1,"é€"\n1,"'), Buffer.from([0xfc]), Buffer.from('"\n2,3\n')])
    const lines = await linesOf('x.csv', bytes, { ...options, type: 'note/txt' })
    expect([eventOf(lines[0]), messageOf(lines[1]), eventOf(lines[2])]).toEqual([
      expect.objectContaining({ content: 'é€' }),
      'The line is not text in the encoding of the file.',
      expect.objectContaining({ time: 2 }),
    ])
  })

  it('accepts JSON contents, also empty ones', async () => {
    const json = { valueColumn: undefined, contentColumn: 'v', type: 'my/type' }
    expect(eventOf(await contentOf('1,"[1,""a""]"', json))).toMatchObject({ content: [1, 'a'] })
    expect(eventOf(await contentOf('1,', json))).not.toHaveProperty('content')
  })

  it('reads streams, types and ids from columns', async () => {
    const text = 't,v,s,k,i\n1,2,a;b;a,mass/g,c12345678901234567890abcd\n1,2,,,\n1,2,x,,7\n'
    const lines = await linesOf('x.csv', text, { ...options, streamColumn: 's', typeColumn: 'k', idColumn: 'i' })
    expect(lines.map(eventOf)).toMatchObject([
      { id: 'c12345678901234567890abcd', streamIds: ['a', 'b'], type: 'mass/g' },
      { streamIds: ['s'], type: 'mass/kg' },
      { id: createEventIds().given('7', ['x']), streamIds: ['x'], type: 'mass/kg' },
    ])
  })

  it('skips rows without a value with --skip-empty', async () => {
    expect(await contentOf('1,', { skipEmpty: true })).toEqual({ line: 2, skipped: true })
  })

  it.each([
    ['an empty file', '', /The file is empty/],
    ['a missing column', 't,x\n', /There is no column v/],
    ['an unknown format of times', 't,v\nsoon,1\nlater,2\n', /The times in column t are in an unknown format: "soon", "later"/],
    ['a duplicate column', 't,v,v\n', /Column v/],
    ['a malformed header', '"t,v\n', /The header on line 1 cannot be read/],
  ])('refuses %s before any line', async (_, text, message) => {
    await expect(linesOf('x.csv', text, options)).rejects.toThrow(message)
  })
})

describe('NDJSON', () => {
  it('is parsed to events without the fields that the node sets', async () => {
    const event = {
      id: 'cabcdefghijklmnopqrstuvwx',
      streamIds: ['a', 'b'],
      streamId: 'a',
      type: 'note/txt',
      time: 1.5,
      duration: null,
      content: 'x',
      tags: ['t'],
      description: 'd',
      clientData: { k: 1 },
      trashed: true,
      created: 1,
      createdBy: 'c',
      modified: 2,
      modifiedBy: 'm',
      integrity: 'i',
    }
    const { streamId: _, created: _c, createdBy: _cb, modified: _m, modifiedBy: _mb, integrity: _i, ...expected } = event
    const [line] = await linesOf('x.ndjson', `${JSON.stringify(event)}\n`)
    expect(line).toMatchObject({ line: 1, isWhole: true })
    expect(eventOf(line)).toEqual(expected)
  })

  it('uses streams and types of options for lines without them', async () => {
    const lines = await linesOf('x.jsonl', '{"time":1}\n\n{"streamId":"b","type":"mass/g"}\n', { stream: ['a'], type: 'mass/kg' })
    expect(lines.map((line) => line.line)).toEqual([1, 3])
    expect(lines.map(eventOf)).toMatchObject([
      { streamIds: ['a'], type: 'mass/kg' },
      { streamIds: ['b'], type: 'mass/g' },
    ])
  })

  it('omits the content of a series, which the node sets', async () => {
    const [line] = await linesOf('x.ndjson', '{"streamId":"s","type":"series:mass/kg","content":{"fields":[]}}')
    expect(eventOf(line)).not.toHaveProperty('content')
  })

  it.each([
    ['malformed JSON', '{"a":', /^The line is not JSON: /],
    ['a list', '[]', /^The line is not a JSON object\.$/],
    ['a text', '"x"', /^The line is not a JSON object\.$/],
    ['an infinite number', '{"streamId":"s","type":"a/b","content":1e999}', /a number that is too large/],
    ['deep nesting', `{"content":${'['.repeat(100)}${']'.repeat(100)}}`, /nested too deeply/],
    ['a missing stream', '{"type":"a/b"}', /^The event has no stream\.$/],
    ['stream ids that are not strings', '{"streamIds":[1],"type":"a/b"}', /^The event has no stream\.$/],
    ['two different first streams', '{"streamIds":["a"],"streamId":"b","type":"a/b"}', /not the first/],
    ['a missing type', '{"streamId":"s"}', /^The event has no type\.$/],
    ['attached files', '{"streamId":"s","type":"a/b","attachments":[{"id":"f"}]}', /has attachments/],
  ])('refuses %s and continues', async (_, text, message) => {
    const lines = await linesOf('x.ndjson', `${text}\n{"streamId":"s","type":"a/b"}\n`)
    expect(messageOf(lines[0])).toMatch(message)
    expect(eventOf(lines[1])).toMatchObject({ streamIds: ['s'] })
  })
})
