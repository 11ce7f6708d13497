/** Files of members: reading returns the written bytes, and an altered file is refused. */
import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MemberDamaged, readMember, readWhole, writeMember } from '../../../src/store/backup/memberFile.js'
import { homes } from '../../support/nodes/home.js'

const { folder } = homes()
const KEY = createHash('sha256').update('a key').digest()
const FORMS = [
  ['in plain form', {}],
  ['packed', { packed: true }],
  ['sealed', { key: KEY }],
  ['packed and sealed', { packed: true, key: KEY }],
] as const

describe.each(FORMS)('a member %s', (_, form) => {
  const { key, packed } = { key: undefined, packed: undefined, ...form }

  it.each([0, 1, 1000, 262_144, 262_145, 700_000])('of %i bytes reads back as written', async (size) => {
    const path = join(await folder(), 'member')
    const content = randomBytes(size)
    const written = await writeMember(path, content, { key, packed })
    expect(written).toMatchObject({ bytes: size, digest: createHash('sha256').update(content).digest('hex') })
    expect(written.stored).toBe((await readFile(path)).length)
    expect(Buffer.compare(await readWhole(path, { ...written, packed }, key), content)).toBe(0)
  })

  it('is refused when a byte is altered, or when it is truncated or extended', async () => {
    const path = join(await folder(), 'member')
    const content = Buffer.from('what was kept, and no other thing. '.repeat(4))
    const written = await writeMember(path, content, { key, packed })
    const whole = await readFile(path)
    // Padding bits in the last byte of deflated data carry no information.
    const expectRefused = (reading: Promise<Buffer>, where: string): Promise<void> =>
      reading.then(
        (read_) => expect([where, packed, Buffer.compare(read_, content)]).toEqual([where, true, 0]),
        (error: unknown) => expect(error, where).toBeInstanceOf(MemberDamaged),
      )
    const read = (bytes: Uint8Array): Promise<Buffer> => writeFile(path, bytes).then(() => readWhole(path, { ...written, packed }, key))
    for (let at = 0; at < whole.length; at++) {
      const other = Buffer.from(whole)
      other[at] = (other[at] ?? 0) ^ 0x40
      await expectRefused(read(other), `byte ${at}`)
      await expectRefused(read(whole.subarray(0, at)), `first ${at} bytes`)
    }
    await expectRefused(read(Buffer.concat([whole, Buffer.from([0])])), 'a byte more')
    expect(Buffer.compare(await read(whole), content)).toBe(0)
  })
})

describe('a sealed member', () => {
  it('contains no plain text of its content, and opens with its key only', async () => {
    const path = join(await folder(), 'member')
    const written = await writeMember(path, Buffer.from('ana keeps a diary '.repeat(20)), { key: KEY })
    expect((await readFile(path)).includes('diary')).toBe(false)
    await expect(readWhole(path, written, randomBytes(32))).rejects.toThrow(MemberDamaged)
  })
})

describe('a member that is missing', () => {
  it('is reported as missing', async () => {
    const read = readMember(join(await folder(), 'none'), { bytes: 0, digest: '' }, undefined)[Symbol.asyncIterator]()
    await expect(read.next()).rejects.toThrow('is missing')
  })
})

describe('a packed member', () => {
  it('is not inflated beyond its stated size', async () => {
    const path = join(await folder(), 'member')
    const written = await writeMember(path, Buffer.alloc(50_000_000), { packed: true })
    expect(written.stored).toBeLessThan(300_000)
    await expect(readWhole(path, { ...written, bytes: 1000, packed: true }, undefined)).rejects.toThrow('cannot be decompressed')
  })
})
