/** Shared helpers: seeded numbers, temporary folders, and slow second implementations of LevelDB's log format and checksum. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Returns a seeded generator of whole numbers below `limit` (mulberry32). */
export function seeded(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}

/** Returns a factory of folders that are removed after the tests of the file. */
export function folders(): (name: string) => string {
  const created: string[] = []
  afterAll(() => {
    for (const folder of created) rmSync(folder, { recursive: true, force: true })
  })
  return (name) => {
    const folder = mkdtempSync(join(tmpdir(), `coffer-${name}-`))
    created.push(folder)
    return folder
  }
}

/** Computes CRC-32C, bit by bit. */
export function slowCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return ~crc >>> 0
}

/** Computes LevelDB's masking by arithmetic instead of bit operations. */
export function slowMask(crc: number): number {
  return (Math.floor(crc / 2 ** 15) + (crc % 2 ** 15) * 2 ** 17 + 0xa282ead8) % 2 ** 32
}

/** Encodes a log of the records, with the end offset of each. */
export function writeLog(records: Uint8Array[], blockSize = 32768): { bytes: Buffer; ends: number[] } {
  const chunks: Uint8Array[] = []
  const ends: number[] = []
  let at = 0
  const push = (chunk: Uint8Array): void => {
    chunks.push(chunk)
    at += chunk.length
  }
  for (const record of records) {
    let rest = record
    let hasBegun = false
    for (;;) {
      const room = blockSize - (at % blockSize)
      if (room < 7) {
        push(new Uint8Array(room))
        continue
      }
      const data = rest.subarray(0, Math.min(rest.length, room - 7))
      rest = rest.subarray(data.length)
      const last = rest.length === 0
      const type = hasBegun ? (last ? 4 : 3) : last ? 1 : 2
      const header = Buffer.alloc(7)
      header.writeUInt32LE(slowMask(slowCrc32c(Buffer.concat([Uint8Array.of(type), data]))), 0)
      header.writeUInt16LE(data.length, 4)
      header[6] = type
      push(header)
      push(data)
      hasBegun = true
      if (last) break
    }
    ends.push(at)
  }
  return { bytes: Buffer.concat(chunks), ends }
}
