/** Reads ZIP files by their directory, with ZIP64 (APPNOTE 6.3). */
import { inflateRawSync } from 'node:zlib'
import { crc32 } from '@node-rs/crc32'

const END = 0x06054b50
const END_64 = 0x06064b50
const ENTRY = 0x02014b50
const FILE = 0x04034b50
const STORED = 0
const ZIP64 = 1
const MAX_32 = 0xffffffff

/** Returns the files of a ZIP file by name. @throws Error for anything incomplete or damaged */
export function unzip(zip: Buffer): Map<string, Buffer> {
  const last = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (last < 0 || zip.length !== last + 22 || zip.readUInt32LE(last) !== END) throw new Error('the ZIP file has no directory')
  const record = Number(zip.readBigUInt64LE(last - 20 + 8))
  if (zip.readUInt32LE(record) !== END_64) throw new Error('the directory has no ZIP64 record')
  const count = Number(zip.readBigUInt64LE(record + 32))
  let at = Number(zip.readBigUInt64LE(record + 48))
  const files = new Map<string, Buffer>()
  for (let entry = 0; entry < count; entry++) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new Error('the directory is damaged')
    const extra = at + 46 + zip.readUInt16LE(at + 28)
    const end = extra + zip.readUInt16LE(at + 30)
    const name = zip.toString('utf8', at + 46, extra)
    const { bytes, stored, start } = sizesOf(zip, at, extra, end)
    if (zip.readUInt32LE(start) !== FILE) throw new Error(`${name} has no header`)
    const content = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
    const part = zip.subarray(content, content + stored)
    const file = zip.readUInt16LE(at + 10) === STORED ? part : inflateRawSync(part)
    if (file.length !== bytes || crc32(file) !== zip.readUInt32LE(at + 16)) throw new Error(`${name} is damaged`)
    files.set(name, file)
    at = end + zip.readUInt16LE(at + 32)
  }
  return files
}

/** Returns the sizes of an entry and the position of its header; those of 64 bits are in an extra field. */
function sizesOf(zip: Buffer, at: number, extra: number, end: number): { bytes: number; stored: number; start: number } {
  let field = extra
  while (field < end && zip.readUInt16LE(field) !== ZIP64) field += 4 + zip.readUInt16LE(field + 2)
  let next = field + 4
  const [bytes = 0, stored = 0, start = 0] = [24, 20, 42].map((offset) => {
    const short = zip.readUInt32LE(at + offset)
    if (short !== MAX_32) return short
    if (next + 8 > end) throw new Error('the ZIP64 field is missing')
    next += 8
    return Number(zip.readBigUInt64LE(next - 8))
  })
  return { bytes, stored, start }
}
