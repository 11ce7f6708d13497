import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLog } from '../../../src/store/leveldb/logFile.js'
import { seeded, slowCrc32c, slowMask, writeLog } from './fixtures.js'

interface Read {
  /** Text, which compares fast. */
  records: string[]
  damage: { offset: number; what: string }[]
  unfinished: number | undefined
}

function text(record: Uint8Array): string {
  return Buffer.from(record).toString('latin1')
}

function read(bytes: Buffer): Read {
  const result: Read = { records: [], damage: [], unfinished: undefined }
  for (const part of readLog(bytes)) {
    expect(result.unfinished, 'nothing follows an unfinished tail').toBeUndefined()
    if (part.kind === 'record') result.records.push(text(part.record))
    else if (part.kind === 'damage') result.damage.push({ offset: part.offset, what: part.what })
    else result.unfinished = part.offset
  }
  return result
}

/** Records of seeded bytes. */
function recordsOf(lengths: number[], seed = 1): Buffer[] {
  const next = seeded(seed)
  return lengths.map((length) => Buffer.from(Array.from({ length }, () => next(256))))
}

/** Lengths of records that end at, before and after the ends of blocks, and span several. */
const lengths = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.nat(600) },
    { weight: 2, arbitrary: fc.integer({ min: 32740, max: 32790 }) },
    { weight: 1, arbitrary: fc.integer({ min: 60000, max: 80000 }) },
  ),
  { minLength: 1, maxLength: 6 },
)

function flipped(bytes: Buffer, at: number, mask: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ mask
  return copy
}

function fragment(type: number, data: Buffer): Buffer {
  const header = Buffer.alloc(7)
  header.writeUInt32LE(slowMask(slowCrc32c(Buffer.concat([Uint8Array.of(type), data]))), 0)
  header.writeUInt16LE(data.length, 4)
  header[6] = type
  return Buffer.concat([header, data])
}

describe('a log', () => {
  it('returns the records written to it', () => {
    fc.assert(
      fc.property(lengths, fc.nat(), (sizes, seed) => {
        const records = recordsOf(sizes, seed)
        expect(read(writeLog(records).bytes)).toEqual({ records: records.map(text), damage: [], unfinished: undefined })
      }),
      { numRuns: 60 },
    )
  })

  it('cut at any place keeps the records before the cut, and is never reported as damaged', () => {
    const records = recordsOf([5, 0, 100, 32768 - 7 - 3 * 7 - 105 - 5, 20, 33000, 7])
    const { bytes, ends } = writeLog(records)
    // Every cut around the ends of records and blocks, one in 997 elsewhere.
    const near = (at: number): boolean => [...ends, 32768, 65536].some((end) => Math.abs(end - at) < 20)
    for (let cut = 0; cut <= bytes.length; cut++) {
      if (!near(cut) && cut % 997 !== 0) continue
      const whole = ends.filter((end) => end <= cut)
      const found = read(bytes.subarray(0, cut))
      expect(found.damage, `cut at ${cut}`).toEqual([])
      expect(found.records).toEqual(records.slice(0, whole.length).map(text))
      const end = whole.at(-1) ?? 0
      // A file that ends in the padding of a block ends cleanly.
      const padded = cut - end < 7 && 32768 - (end % 32768) < 7
      if (end === cut) expect(found.unfinished).toBeUndefined()
      else if (!padded) expect(found.unfinished, `cut at ${cut}`).toBeGreaterThanOrEqual(end)
    }
  })

  it('never hides a changed byte, in a complete log or before an unfinished tail', () => {
    const flip = fc.integer({ min: 1, max: 255 })
    fc.assert(
      fc.property(lengths, fc.nat(), fc.nat(), flip, fc.boolean(), (sizes, seed, place, mask, torn) => {
        const records = recordsOf([...sizes, 300], seed)
        const { bytes, ends } = writeLog(records)
        const whole = ends.at(-2) ?? 0
        const log = torn ? bytes.subarray(0, whole + 150) : bytes
        const at = place % (torn ? whole : bytes.length)
        expect(read(flipped(log, at, mask)).damage, `byte ${at}`).not.toEqual([])
      }),
      { numRuns: 120 },
    )
  })

  it('never hides a changed bit of a header', () => {
    const { bytes, ends } = writeLog(recordsOf([40, 300, 2, 0, 1000]))
    const starts = [0, ...ends.slice(0, -1)]
    for (const start of starts) {
      for (let bit = 0; bit < 7 * 8; bit++) {
        const at = start + (bit >>> 3)
        expect(read(flipped(bytes, at, 1 << (bit & 7))).damage, `bit ${bit} of the header at ${start}`).not.toEqual([])
      }
    }
  })

  it('never hides zeros, also at its end, unless they end the block of the last record', () => {
    const records = recordsOf(Array.from({ length: 200 }, (_, i) => 300 + i))
    const { bytes, ends } = writeLog(records)
    const zeroed = (from: number, to: number): Read =>
      read(Buffer.from(bytes).fill(0, from, Math.min(to, bytes.length)))
    for (let from = 0; from < bytes.length; from += 1024) {
      expect(zeroed(from, from + 4096).damage, `zeros at ${from}`).not.toEqual([])
    }
    for (const [at, end] of ends.slice(0, -1).entries()) {
      const isTorn = end % 4096 > 0 && Math.ceil(end / 4096) * 4096 >= bytes.length
      const { damage, unfinished, records: remaining } = zeroed(end, bytes.length)
      if (isTorn) expect([damage, unfinished, remaining]).toEqual([[], end, records.slice(0, at + 1).map(text)])
      else expect(damage, `zeros from ${end}`).not.toEqual([])
    }
    // Simulates a power cut after which the length of the file is on disk, but not its last data.
    const rest = 4096 - (bytes.length % 4096)
    for (const zeros of [7, 100, rest].filter((count) => count <= rest)) {
      expect(read(Buffer.concat([bytes, Buffer.alloc(zeros)]))).toMatchObject({ damage: [], unfinished: bytes.length })
    }
    expect(read(Buffer.concat([bytes, Buffer.alloc(rest + 1)])).damage).toEqual([
      { offset: bytes.length, what: 'holds zeros from here to its end' },
    ])
  })

  it('never hides another page written over one of its own', () => {
    const { bytes } = writeLog(recordsOf(Array.from({ length: 160 }, (_, i) => 300 + i), 7))
    for (let seed = 0; seed < 300; seed++) {
      const next = seeded(seed)
      const page = Buffer.from(Array.from({ length: 4096 }, () => next(256)))
      const from = 4096 * next(Math.floor(bytes.length / 4096))
      const copy = Buffer.from(bytes)
      copy.set(page, from)
      expect(read(copy).damage, `seed ${seed}`).not.toEqual([])
    }
  })

  it('never hides an invalid header that resembles a record being written, when complete records follow', () => {
    const { bytes, ends } = writeLog(recordsOf([100, 200, 300]))
    const rubbish = Buffer.from([1, 2, 3, 4, 0, 16, 1])
    const at = ends[0] ?? 0
    bytes.set(rubbish, at)
    expect(read(bytes).damage).toEqual([{ offset: at, what: 'has a record with a wrong length' }])
    // Without a complete record after it, the same header is an unfinished write.
    expect(read(Buffer.concat([writeLog(recordsOf([100])).bytes, rubbish, Buffer.alloc(300, 7)])).damage).toEqual([])
  })

  it('never hides a changed byte in the padding of a block', () => {
    const { bytes } = writeLog(recordsOf([32768 - 7 - 3, 10]))
    expect(read(bytes).damage).toEqual([])
    for (const at of [32765, 32766, 32767]) {
      expect(read(flipped(bytes, at, 4)).damage).toEqual([
        { offset: 32765, what: 'has bytes in the padding of a block' },
      ])
    }
  })

  it('continues after damage at the next block', () => {
    const records = recordsOf([20000, 20000, 20000, 20000, 100])
    const { bytes } = writeLog(records)
    const found = read(flipped(bytes, 100, 1))
    // The first block is dropped: record 0, and with it the beginning of record 1.
    expect(found).toEqual({
      records: records.slice(2).map(text),
      damage: [{ offset: 0, what: 'has a record with a wrong checksum' }],
      unfinished: undefined,
    })
  })

  it.each([
    ['continues without a beginning', [fragment(4, Buffer.from('end'))], 'continues a record that has no beginning'],
    [
      'begins before the former record has ended',
      [fragment(2, Buffer.alloc(32761, 1)), fragment(1, Buffer.from('new'))],
      'begins a record before the one before it has ended',
    ],
    [
      'breaks off before the block ends',
      [fragment(2, Buffer.from('short')), fragment(4, Buffer.from('end'))],
      'has a record that breaks off inside its block',
    ],
    [
      'is longer than its block',
      [fragment(1, Buffer.alloc(32768 - 7 - 100, 1)), fragment(1, Buffer.alloc(200, 1))],
      'has a record that is longer than its block',
    ],
    ['is of no known type', [fragment(5, Buffer.from('what'))], 'has a record of an unknown type'],
  ])('reports a record that %s, despite its correct checksum', (_, chunks, what) => {
    expect(read(Buffer.concat(chunks)).damage[0]?.what).toBe(what)
  })

  it('contains no records when empty', () => {
    expect(read(Buffer.alloc(0))).toEqual({ records: [], damage: [], unfinished: undefined })
  })
})
