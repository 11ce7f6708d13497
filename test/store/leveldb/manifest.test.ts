import { describe, expect, it } from 'vitest'
import { manifestName, readManifest } from '../../../src/store/leveldb/manifest.js'
import { writeLog } from './fixtures.js'

const key = [3, 97, 98, 99]
const start = [1, 2, 120, 121, 2, 7, 3, 20, 4, 130, 1]

/** Encodes a MANIFEST of edits, each a list of bytes. */
function manifest(...edits: number[][]): Buffer {
  return writeLog(edits.map((edit) => Uint8Array.from(edit))).bytes
}

function tables(...edits: number[][]): [number, number][] {
  const { live, damage } = readManifest('MANIFEST-000001', manifest(...edits))
  expect(damage).toEqual([])
  return [...(live?.tables ?? [])]
}

const add = (level: number, number: number, size: number): number[] => [7, level, number, size, ...key, ...key]
const remove = (level: number, number: number): number[] => [6, level, number]

describe('CURRENT', () => {
  it.each([
    ['MANIFEST-000012\n', 'MANIFEST-000012'],
    ['MANIFEST-1234567\n', 'MANIFEST-1234567'],
    ['MANIFEST-000012', undefined],
    ['MANIFEST-000012\n\n', undefined],
    ['MANIFEST-00001x\n', undefined],
    ['MANIFEST-12\n', undefined],
    ['../MANIFEST-000012\n', undefined],
    ['\n', undefined],
    ['', undefined],
    ['\0'.repeat(16), undefined],
  ])('%j names %s', (content, name) => {
    expect(manifestName(Buffer.from(content))).toBe(name)
  })
})

describe('MANIFEST', () => {
  it('states the first number of the live logs', () => {
    const read = readManifest('m', manifest(start, [2, 9, 9, 8], [5, 1, ...key]))
    expect(read).toEqual({
      live: { logNumber: 9, previousLogNumber: 8, tables: new Map() },
      damage: [],
      unfinishedTail: false,
    })
  })

  it('lists tables that were added and not removed', () => {
    expect(tables(start, add(0, 5, 100), [...remove(0, 5), ...add(1, 6, 90)], add(0, 8, 70))).toEqual([
      [6, 90],
      [8, 70],
    ])
  })

  it('keeps a table that only changes its level', () => {
    expect(tables(start, add(0, 5, 100), [...remove(0, 5), ...add(1, 5, 100)])).toEqual([[5, 100]])
    expect(tables(start, add(1, 5, 100), remove(0, 5))).toEqual([[5, 100]])
  })

  it.each([
    ['an unknown field', [8, 1]],
    ['a field without its value', [2]],
    ['a number without end', [2, ...Array.from({ length: 11 }, () => 255)]],
    ['a key that is cut short', [7, 0, 5, 100, 9, 1]],
  ])('is damaged by %s', (_, edit) => {
    const read = readManifest('m', manifest(start, edit))
    expect(read.live).toBeUndefined()
    expect(read.damage[0]).toMatchObject({ file: 'm', what: expect.stringContaining('has an invalid edit') as string })
  })

  it('is damaged when it does not state which files are live', () => {
    for (const part of [[], [[2, 7, 3, 20]], [[2, 7, 4, 1]], [[3, 20, 4, 1]]]) {
      const read = readManifest('m', manifest(...part))
      expect(read.live).toBeUndefined()
      expect(read.damage).toEqual([{ file: 'm', what: 'ends before it lists the live files' }])
    }
  })

  it('has an unfinished tail, and no damage, when its last edit is incomplete', () => {
    const bytes = manifest(start, add(0, 5, 100))
    const read = readManifest('m', bytes.subarray(0, bytes.length - 1))
    expect(read.unfinishedTail).toBe(true)
    expect(read.damage).toEqual([])
    expect(read.live?.tables.size).toBe(0)
  })
})
