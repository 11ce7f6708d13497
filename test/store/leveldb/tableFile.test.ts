import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { verifyTable } from '../../../src/store/leveldb/tableFile.js'
import { commitsFound, makeDatabase } from './databases.js'
import { folders, slowCrc32c, slowMask } from './fixtures.js'

const folder = folders()
let real: Buffer

beforeAll(async () => {
  const path = folder('table')
  await makeDatabase(path, 25, 4)
  // Opening the database turns its log into a table.
  await commitsFound(path)
  real = readFileSync(join(path, readdirSync(path).find((name) => name.endsWith('.ldb')) ?? ''))
})

function varint(n: number): number[] {
  return n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)]
}

interface Handle {
  offset: number
  size: number
}

/** Returns a builder of tables by parts, so that a test can write invalid ones. */
function builder(): { block(content: number[], type?: number): Handle; raw(bytes: number[]): void; bytes(): Buffer } {
  const out: number[] = []
  return {
    block(content, type = 0) {
      const offset = out.length
      const crc = Buffer.alloc(4)
      crc.writeUInt32LE(slowMask(slowCrc32c(Uint8Array.from([...content, type]))))
      out.push(...content, type, ...crc)
      return { offset, size: content.length }
    },
    raw: (bytes) => void out.push(...bytes),
    bytes: () => Buffer.from(out),
  }
}

/** Encodes a block with one entry for each handle. */
function entries(...handles: Handle[]): number[] {
  const bytes = handles.flatMap(({ offset, size }) => {
    const value = [...varint(offset), ...varint(size)]
    return [0, 2, value.length, 107, 107, ...value]
  })
  return [...bytes, 0, 0, 0, 0, 1, 0, 0, 0]
}

function footer(metaindex: Handle, index: Handle): number[] {
  const handles = [metaindex, index].flatMap(({ offset, size }) => [...varint(offset), ...varint(size)])
  const padding = Array.from({ length: 40 - handles.length }, () => 0)
  return [...handles, ...padding, 0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
}

interface Plan {
  between?: number[]
  beforeIndex?: number[]
  beforeFooter?: number[]
  listed?: number
  index?: number[]
  indexType?: number
}

/** Encodes a table of three data blocks, one filter, metaindex and index, with the deviations of the plan. */
function table(plan: Plan = {}): Buffer {
  const out = builder()
  const data = [out.block([1, 2, 3]), out.block([4]), out.block([5, 6])]
  out.raw(plan.between ?? [])
  const filter = out.block([9, 9])
  const metaindex = out.block(entries(filter))
  out.raw(plan.beforeIndex ?? [])
  const index = out.block(plan.index ?? entries(...data.slice(0, plan.listed ?? 3)), plan.indexType)
  out.raw(plan.beforeFooter ?? [])
  out.raw(footer(metaindex, index))
  return out.bytes()
}

function whats(bytes: Buffer): string[] {
  return verifyTable('t', bytes).map((damage) => damage.what)
}

describe('a table', () => {
  it('is sound as LevelDB writes it, and by the definition of the format', () => {
    expect(verifyTable('t', real)).toEqual([])
    expect(verifyTable('t', table())).toEqual([])
  })

  it('never hides a changed bit at any place', () => {
    for (const sound of [real, table()]) {
      for (let bit = 0; bit < sound.length * 8; bit++) {
        // The real table is longer: one bit of each byte is enough.
        if (sound === real && (bit * 3) % 8 !== (bit >>> 3) % 8) continue
        const bytes = Buffer.from(sound)
        bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
        expect(whats(bytes), `bit ${bit}`).not.toEqual([])
      }
    }
  })

  it('never hides that it was truncated or extended', () => {
    for (let size = 0; size < table().length; size++) expect(whats(table().subarray(0, size))).not.toEqual([])
    expect(whats(Buffer.concat([table(), Buffer.alloc(1)]))).not.toEqual([])
  })

  it('reports every damaged block by its offset', () => {
    const bytes = table()
    bytes[1] = 0
    bytes[14] = 0
    expect(verifyTable('t', bytes).map((damage) => damage.offset)).toEqual([0, 14])
  })

  it.each<[string, Plan, string]>([
    ['bytes between its blocks', { between: [0, 0] }, 'has bytes that belong to no block'],
    ['bytes before its index', { beforeIndex: [0] }, 'its footer is wrong'],
    ['bytes before its footer', { beforeFooter: [0] }, 'its footer is wrong'],
    ['a block that is missing in the index', { listed: 2 }, 'has bytes that belong to no block'],
    ['an index compressed in an unknown way', { indexType: 2 }, 'compressed in an unknown way'],
    ['an index that does not decompress', { indexType: 1 }, 'is not a valid table'],
    ['an index of too many restart points', { index: [255, 0, 0, 0] }, 'too many restart points'],
    ['an index without restart points', { index: [1] }, 'cut short'],
    ['an entry that is cut short', { index: [0, 9, 2, 107, 0, 0, 0, 0] }, 'cut short'],
  ])('is damaged by %s, with correct checksums', (_, plan, what) => {
    expect(whats(table(plan))).toEqual([expect.stringContaining(what)])
  })
})
