/** Reads ZIP files by their directory, with ZIP64. */
import { inflateRawSync } from 'node:zlib'
import { crc32 } from '../../../src/server/base/zip.js'

const END = 0x06054b50
const END_64 = 0x06064b50
const ENTRY = 0x02014b50
const FILE = 0x04034b50

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
    const nameLength = zip.readUInt16LE(at + 28)
    const extra = at + 46 + nameLength
    const name = zip.toString('utf8', at + 46, extra)
    const [bytes, stored, start] = [4, 12, 20].map((offset) => Number(zip.readBigUInt64LE(extra + offset))) as [number, number, number]
    if (zip.readUInt32LE(start) !== FILE) throw new Error(`${name} has no header`)
    const content = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
    const file = inflateRawSync(zip.subarray(content, content + stored))
    if (file.length !== bytes || crc32(file) !== zip.readUInt32LE(at + 16)) throw new Error(`${name} is damaged`)
    files.set(name, file)
    at = extra + zip.readUInt16LE(at + 30)
  }
  return files
}
