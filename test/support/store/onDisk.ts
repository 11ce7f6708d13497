/** All readable data on the disk of a home, with LevelDB's compressed blocks decompressed. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLog } from '../../../src/store/leveldb/logFile.js'
import { readVarint, unsnap, type Cursor } from '../../../src/store/leveldb/encodings.js'

const FOOTER = 48
const TRAILER_KIND = 1

/** Returns the entries of a block of a table; keys are stored as differences from the key before. */
function entriesOf(bytes: Buffer, offset: number, size: number): { key: Buffer; value: Buffer }[] {
  const stored = bytes.subarray(offset, offset + size)
  const block = Buffer.from(bytes[offset + size] === TRAILER_KIND ? unsnap(stored) : stored)
  const end = block.length - 4 - 4 * block.readUInt32LE(block.length - 4)
  const cursor: Cursor = { bytes: block, at: 0 }
  const entries = []
  let key = Buffer.alloc(0)
  while (cursor.at < end) {
    const shared = readVarint(cursor)
    const fresh = readVarint(cursor)
    const length = readVarint(cursor)
    key = Buffer.concat([key.subarray(0, shared), block.subarray(cursor.at, cursor.at + fresh)])
    const value = block.subarray(cursor.at + fresh, cursor.at + fresh + length)
    cursor.at += fresh + length
    entries.push({ key, value })
  }
  return entries
}

/** Returns the keys and values of a table, with the separators of its index. */
function tableContent(bytes: Buffer): Buffer[] {
  const footer: Cursor = { bytes: bytes.subarray(bytes.length - FOOTER), at: 0 }
  readVarint(footer)
  readVarint(footer)
  const content: Buffer[] = []
  for (const { key, value } of entriesOf(bytes, readVarint(footer), readVarint(footer))) {
    content.push(key)
    const handle: Cursor = { bytes: value, at: 0 }
    for (const entry of entriesOf(bytes, readVarint(handle), readVarint(handle))) content.push(entry.key, entry.value)
  }
  return content
}

function contentOf(name: string, bytes: Buffer): Buffer[] {
  if (name.endsWith('.ldb')) return tableContent(bytes)
  if (!/\.log$|MANIFEST-/.test(name)) return [bytes]
  return [...readLog(bytes)].flatMap((part) => (part.kind === 'record' ? [Buffer.from(part.record)] : []))
}

/** Returns the texts that are on the disk below a folder: `<file>: <text>`. */
export async function textsOnDisk(folder: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const matches = texts.filter((text) => path.includes(text))
    if (entry.isFile()) {
      const content = contentOf(entry.name, await readFile(path))
      matches.push(...texts.filter((text) => content.some((bytes) => bytes.includes(text))))
    }
    found.push(...matches.map((text) => `${path.slice(folder.length)}: ${text}`))
  }
  return found
}
