import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectEncoding, encodingNamed, toUtf8, windows1252 } from '../../../src/cli/terminal/input/textEncoding.js'
import { openTextFile } from '../../../src/cli/terminal/input/textFile.js'
import { unreadable } from '../../../src/cli/terminal/input/textBlocks.js'
import { timeIn, zoneNamed } from '../../../src/cli/terminal/input/timeZone.js'
import { all, pieces } from '../support/pieces.js'

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const text = 'Datum;Größe\n24.12.2025;1,80\n'
const BOM = '\ufeff'

describe('a text file', () => {
  it.each([
    ['UTF-8', Buffer.from(text), 'utf-8', text],
    ['UTF-8 with a byte order mark', Buffer.from(BOM + text), 'utf-8', text],
    ['UTF-16 LE', Buffer.from(BOM + text, 'utf16le'), 'utf-16le', text],
    ['UTF-16 LE without a byte order mark', Buffer.from(text, 'utf16le'), 'utf-16le', text],
    ['UTF-16 BE', utf16be(BOM + text), 'utf-16be', text],
    ['UTF-16 BE without a byte order mark', utf16be(text), 'utf-16be', text],
    ['Windows-1252', Buffer.concat([latin1(text), Buffer.from([0x80, 0x0a])]), 'windows-1252', `${text}€\n`],
    ['ASCII', Buffer.from('a,b\n1,2\n'), 'ascii', 'a,b\n1,2\n'],
    ['CR as line ends', Buffer.from('a,b\r1,2\r'), 'ascii', 'a,b\n1,2\n'],
    ['CRLF', Buffer.from('a,b\r\n1,2\r\n'), 'ascii', 'a,b\r\n1,2\r\n'],
    ['no bytes', Buffer.alloc(0), 'ascii', ''],
  ])('in %s is read, however it is chunked', async (_, bytes, encoding, expected) => {
    for (const sizes of [[], [...bytes].map(() => 1), [3, 5, 2]]) {
      const file = await openTextFile('x', pieces(bytes, sizes))
      expect([file.encoding, file.head, file.isWhole, (await all(file.blocks)).join('')]).toEqual([encoding, expected, true, expected])
    }
  })

  const ascii = 'a,b\n'.repeat(100_000)
  it.each([
    ['UTF-8', Buffer.from(`${ascii}é\n`), 'utf-8'],
    ['Windows-1252', latin1(`${ascii}é\n`), 'windows-1252'],
    ['Windows-1252 at its end', latin1(`${ascii}é`), 'windows-1252'],
  ])('that begins in ASCII is %s where other bytes begin', async (_, bytes, expected) => {
    const decided: string[] = []
    const file = await openTextFile('x', pieces(bytes, [65_536, 300_000]), { onDecided: (encoding) => void decided.push(encoding) })
    expect([file.isWhole, file.head.endsWith('\n')]).toEqual([false, true])
    expect((await all(file.blocks)).join('').slice(ascii.length).trimEnd()).toBe('é')
    expect(decided).toEqual([expected])
  })

  it('counts all bytes once', async () => {
    let read = 0
    const file = await openTextFile('x', pieces(Buffer.from(ascii), [1000]), { onBytes: (count) => (read += count) })
    expect(read).toBe(0)
    await all(file.blocks)
    expect(read).toBe(ascii.length)
  })

  it('is read in the encoding that is given', async () => {
    const file = await openTextFile('x', pieces(Buffer.from([0x8a, 0x0a]), []), { encoding: encodingNamed('macintosh') })
    expect((await all(file.blocks)).join('')).toBe('ä\n')
  })

  it('has unreadable lines where UTF-16 is broken', async () => {
    const bytes = Buffer.concat([Buffer.from(`${BOM}ok\n`, 'utf16le'), Buffer.from([0x00, 0xd8]), Buffer.from('x\nend\n', 'utf16le')])
    const lines = (await all((await openTextFile('x', pieces(bytes, []))).blocks)).join('').split('\n')
    expect(lines.map((line) => unreadable(line) !== undefined)).toEqual([false, true, false, false])
  })

  it.each([
    ['Excel workbook', Buffer.from('PK\u0003\u0004\u0014\0\u0006\0[Content_Types].xml'), 'an Excel workbook (XLSX)', 'CSV UTF-8'],
    ['OpenDocument', Buffer.from('PK\u0003\u0004..mimetypeapplication/vnd.oasis.opendocument.spreadsheet'), 'an OpenDocument spreadsheet (ODS)', 'Text CSV'],
    ['Numbers', Buffer.from('PK\u0003\u0004..Index/Document.iwa'), 'a Numbers document', 'Export To'],
    ['old Excel workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 'an Excel workbook (XLS)', 'Save As'],
    ['ZIP archive', Buffer.from('PK\u0003\u0004..data.csv'), 'a ZIP archive', 'Unpack'],
    ['gzip file', Buffer.from([0x1f, 0x8b, 8, 0]), 'compressed', 'gunzip'],
    ['PDF', Buffer.from('%PDF-1.7'), 'a PDF', 'as CSV'],
    ['web page', Buffer.from('\n<html><table>'), 'a web page', 'save it as CSV'],
    ['picture', Buffer.from([0x89, 0x50, 1, 2, 3, 4, 5, 6]), 'not text', 'Export'],
  ])('is refused when it is a %s', async (_, bytes, name, advice) => {
    await expect(openTextFile('w.csv', pieces(bytes, []))).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining(`w.csv is ${name}`) as string,
      hint: expect.stringContaining(advice) as string,
    })
  })

  it('may contain a few NULs', async () => {
    const bytes = Buffer.from('a,b\n1,x\0y\n2,3\n')
    expect((await openTextFile('x', pieces(bytes, []))).head).toBe('a,b\n1,x\0y\n2,3\n')
  })
})

describe('encodings', () => {
  it('are converted to UTF-8 like by a decoder of all bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n') }), fc.array(fc.integer({ min: 1, max: 5 })), async (given, sizes) => {
        for (const [name, bytes] of [['utf-8', Buffer.from(given)], ['utf-16le', Buffer.from(given, 'utf16le')], ['utf-16be', utf16be(given)], ['ascii', Buffer.from(given)]] as const) {
          const found = Buffer.concat(await all(toUtf8(pieces(bytes, sizes), name)))
          expect(found.toString('utf8')).toBe(given)
        }
      }),
    )
  })

  it('of Windows-1252 include the characters that Latin-1 lacks', () => {
    expect(windows1252(Buffer.from([0x41, 0x80, 0x92, 0x96, 0x9f, 0xa0, 0xfc]))).toBe('A€’–Ÿ\u00a0ü')
  })

  it.each([
    ['a few damaged characters in UTF-8', Buffer.concat([Buffer.from('é€ü'), Buffer.from([0xfc, 0x61])]), 'utf-8'],
    ['an incomplete character at the end', Buffer.from('aé').subarray(0, 2), 'utf-8'],
    ['one umlaut', latin1('für'), 'windows-1252'],
  ])('are detected with %s', (_, bytes, expected) => expect(detectEncoding(bytes)).toBe(expected))

  it.each([['Latin-1', 'windows-1252'], ['iso-8859-1', 'windows-1252'], ['UTF-16', 'utf-16le'], ['utf8', 'utf-8'], ['iso-8859-15', 'iso-8859-15']])(
    'are named %s',
    (word, expected) => expect(encodingNamed(word)).toBe(expected),
  )
})

describe('a time zone', () => {
  const at = (zone: string, wall: string): string => new Date(zoneNamed(zone).toEpoch(Date.parse(`${wall}Z`))).toISOString()
  it.each([
    ['winter', 'Europe/Zurich', '2025-12-24T07:30:00', '2025-12-24T06:30:00.000Z'],
    ['summer', 'Europe/Zurich', '2025-07-24T07:30:00', '2025-07-24T05:30:00.000Z'],
    ['the hour before summer time', 'Europe/Zurich', '2025-03-30T01:59:59', '2025-03-30T00:59:59.000Z'],
    ['a skipped time, with the offset before', 'Europe/Zurich', '2025-03-30T02:30:00', '2025-03-30T01:30:00.000Z'],
    ['the hour after it', 'Europe/Zurich', '2025-03-30T03:00:00', '2025-03-30T01:00:00.000Z'],
    ['a time that occurs twice, the first one', 'Europe/Zurich', '2025-10-26T02:30:00', '2025-10-26T00:30:00.000Z'],
    ['the time after it', 'Europe/Zurich', '2025-10-26T03:00:00', '2025-10-26T02:00:00.000Z'],
    ['west', 'America/New_York', '2025-11-02T01:30:00', '2025-11-02T05:30:00.000Z'],
    ['far east', 'Pacific/Kiritimati', '2025-01-01T00:00:00', '2024-12-31T10:00:00.000Z'],
    ['half an hour', 'Asia/Kolkata', '2025-01-01T00:00:00', '2024-12-31T18:30:00.000Z'],
    ['UTC', 'UTC', '2025-01-01T00:00:00', '2025-01-01T00:00:00.000Z'],
  ])('converts wall times: %s', (_, zone, wall, expected) => expect(at(zone, wall)).toBe(expected))

  it('agrees with Date in the zone of this machine', () => {
    const zone = zoneNamed(Intl.DateTimeFormat().resolvedOptions().timeZone)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        const wall = new Date(seconds * 1000)
        const [year, month, day, hour, minute] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate(), wall.getUTCHours(), wall.getUTCMinutes()]
        expect(zone.toEpoch(Date.UTC(year, month, day, hour, minute))).toBe(new Date(year, month, day, hour, minute).getTime())
      }),
    )
  })

  it('formats times with its offset', () => {
    expect(timeIn(zoneNamed('Europe/Zurich'), 1766557800)).toBe('2025-12-24 07:30:00 +01:00')
    expect(timeIn(zoneNamed('America/St_Johns'), 0.5)).toBe('1969-12-31 20:30:00.500 -03:30')
  })
})
