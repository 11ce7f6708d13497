import { readFileSync, readdirSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FilesDamaged } from '../../../src/store/leveldb/damage.js'
import { createHighWater, openHighWater } from '../../../src/store/leveldb/highWater.js'
import { folders, seeded, slowCrc32c } from './fixtures.js'

const folder = folders()
const hash = (n: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => (n * 31 + i) & 255)

async function fresh(): Promise<string> {
  const path = join(folder('head'), 'HEAD')
  await createHighWater(path)
  return path
}

/** Returns the sequence of the mark that a new reader finds. */
async function readSequence(path: string): Promise<number | undefined> {
  const head = openHighWater(path)
  const mark = head.read()
  await head.close()
  if (mark !== undefined) expect(mark.hash).toEqual(hash(mark.sequence))
  return mark?.sequence
}

async function damageOf(path: string): Promise<string | undefined> {
  try {
    await readSequence(path)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(FilesDamaged)
    const [damage] = error instanceof FilesDamaged ? error.damage : []
    expect(damage?.file).toBe('HEAD')
    return damage?.what
  }
}

describe('the high-water mark', () => {
  it('contains no commit when created, and leaves no draft', async () => {
    const path = await fresh()
    expect(readFileSync(path)).toHaveLength(128)
    expect(await readSequence(path)).toBeUndefined()
    expect(readdirSync(join(path, '..'))).toEqual(['HEAD'])
  })

  it('is created at a mark in place of a damaged one', async () => {
    const path = await fresh()
    writeFileSync(path, 'damaged')
    await createHighWater(path, { sequence: 12, hash: hash(12) })
    expect(await readSequence(path)).toBe(12)
  })

  it('is the last written one for every reader', async () => {
    const path = await fresh()
    const steps = fc.array(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(steps, async (distances) => {
        await createHighWater(path)
        const head = openHighWater(path)
        let sequence = 0
        for (const distance of distances) {
          head.write(sequence, hash(sequence))
          expect(head.read()).toEqual({ sequence, hash: hash(sequence) })
          // Another reader sees it without a sync: killing the process loses nothing.
          expect(await readSequence(path)).toBe(sequence)
          sequence += distance
        }
        await head.sync()
        await head.close()
      }),
      { numRuns: 20 },
    )
  })

  it('continues where it was after it was closed', async () => {
    const path = await fresh()
    for (let n = 0; n < 6; n++) {
      const head = openHighWater(path)
      head.write(n, hash(n))
      await head.close()
      expect(await readSequence(path)).toBe(n)
    }
  })

  it('refuses to go back or to change the hash of a commit', async () => {
    const head = openHighWater(await fresh())
    head.write(5, hash(5))
    head.write(5, hash(5))
    expect(() => head.write(4, hash(4))).toThrow(RangeError)
    expect(() => head.write(5, hash(6))).toThrow(RangeError)
    expect(() => head.write(6, hash(6).subarray(1))).toThrow(RangeError)
    expect(() => head.write(-1, hash(6))).toThrow(RangeError)
    expect(() => head.write(6.5, hash(6))).toThrow(RangeError)
    expect(head.read()?.sequence).toBe(5)
    await head.close()
    expect(() => head.write(6, hash(6))).toThrow('closed')
    await expect(head.sync()).rejects.toThrow('closed')
    await head.close()
  })

  it('copies the hash that it stores', async () => {
    const path = await fresh()
    const head = openHighWater(path)
    const mine = hash(1)
    head.write(1, mine)
    mine.fill(0)
    head.read()?.hash.fill(0)
    expect(head.read()?.hash).toEqual(hash(1))
    await head.close()
  })

  it('falls back to the previous mark after a torn write of a slot', async () => {
    const path = await fresh()
    const head = openHighWater(path)
    for (let n = 0; n < 5; n++) head.write(n, hash(n))
    const before = readFileSync(path)
    head.write(5, hash(5))
    await head.close()
    const after = readFileSync(path)
    const slot = before.subarray(0, 64).equals(after.subarray(0, 64)) ? 64 : 0
    for (let bytes = 0; bytes <= 64; bytes++) {
      const torn = Buffer.from(before)
      torn.set(after.subarray(slot, slot + bytes), slot)
      writeFileSync(path, torn)
      expect(await readSequence(path), `${bytes} bytes written`).toBe(torn.equals(after) ? 5 : 4)
    }
    const torn = Buffer.from(after).fill(0, slot, slot + 64)
    writeFileSync(path, torn)
    const again = openHighWater(path)
    again.write(6, hash(6))
    await again.close()
    expect(await readSequence(path), 'the next write goes to the torn slot').toBe(6)
  })

  it('never returns a wrong mark for a changed byte', async () => {
    const path = await fresh()
    const head = openHighWater(path)
    head.write(7, hash(7))
    head.write(8, hash(8))
    await head.close()
    const sound = readFileSync(path)
    const next = seeded(3)
    for (let at = 0; at < sound.length; at++) {
      const bytes = Buffer.from(sound)
      bytes[at] = (bytes[at] ?? 0) ^ (1 + next(255))
      writeFileSync(path, bytes)
      const slot = openHighWater(path)
      expect([7, 8], `byte ${at}`).toContain(slot.read()?.sequence)
      await slot.close()
    }
  })

  it('is reported as damaged when missing, cut, grown, emptied, zeroed, or of a later format', async () => {
    const path = await fresh()
    const sound = readFileSync(path)
    for (let size = 0; size < 128; size++) {
      writeFileSync(path, sound)
      truncateSync(path, size)
      expect(await damageOf(path)).toBe(`has ${size} bytes in place of 128`)
    }
    writeFileSync(path, Buffer.alloc(128))
    expect(await damageOf(path)).toBe('has no valid mark')
    const later = Buffer.from(sound)
    later.writeUInt32LE(2, 8)
    later.writeUInt32LE(slowCrc32c(later.subarray(0, 60)), 60)
    writeFileSync(path, later)
    expect(await damageOf(path)).toBe('has an unknown format')
    writeFileSync(path, Buffer.concat([sound, Buffer.alloc(1)]))
    expect(await damageOf(path)).toBe('has 129 bytes in place of 128')
    unlinkSync(path)
    expect(await damageOf(path)).toBe('is missing')
  })

  it('is not created by opening it', async () => {
    const path = await fresh()
    unlinkSync(path)
    expect(await damageOf(path)).toBe('is missing')
    expect(readdirSync(join(path, '..'))).toEqual([])
  })
})
