/**
 * What the tests of this folder share: seeded numbers, throw-away folders, and LevelDB's log format and checksum
 * written a second time, without speed in mind.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Whole numbers below `limit`, the same ones for the same seed (mulberry32). */
export function seeded(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}

/** Makes folders that vanish after the tests of the file. */
export function folders(): (name: string) => string {
  const made: string[] = []
  afterAll(() => {
    for (const folder of made) rmSync(folder, { recursive: true, force: true })
  })
  return (name) => {
    const folder = mkdtempSync(join(tmpdir(), `coffer-${name}-`))
    made.push(folder)
    return folder
  }
}

/** CRC-32C, bit by bit. */
export function slowCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return ~crc >>> 0
}

/** LevelDB's masking, in arithmetic rather than bits. */
export function slowMask(crc: number): number {
  return (Math.floor(crc / 2 ** 15) + (crc % 2 ** 15) * 2 ** 17 + 0xa282ead8) % 2 ** 32
}

/** A log holding the records, and where each ends. */
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
    let begun = false
    for (;;) {
      const room = blockSize - (at % blockSize)
      if (room < 7) {
        push(new Uint8Array(room))
        continue
      }
      const data = rest.subarray(0, Math.min(rest.length, room - 7))
      rest = rest.subarray(data.length)
      const last = rest.length === 0
      const type = begun ? (last ? 4 : 3) : last ? 1 : 2
      const header = Buffer.alloc(7)
      header.writeUInt32LE(slowMask(slowCrc32c(Buffer.concat([Uint8Array.of(type), data]))), 0)
      header.writeUInt16LE(data.length, 4)
      header[6] = type
      push(header)
      push(data)
      begun = true
      if (last) break
    }
    ends.push(at)
  }
  return { bytes: Buffer.concat(chunks), ends }
}
