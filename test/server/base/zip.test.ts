/** ZIP files: contents, cut files, failing contents, receivers that leave. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createZip, type ZipWriter } from '../../../src/server/base/zip.js'
import { unzip } from '../../support/http/unzip.js'

async function* chunks(...parts: (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    await Promise.resolve()
    if (part instanceof Error) throw part
    yield part
  }
}

async function zipOf(fill: (zip: ZipWriter) => Promise<void>): Promise<Buffer> {
  const sent: Uint8Array[] = []
  const zip = await createZip((chunk) => Promise.resolve(void sent.push(chunk)), 1_700_000_000)
  await fill(zip)
  await zip.end()
  return Buffer.concat(sent)
}

describe('a ZIP file', () => {
  it('contains the files that were added', async () => {
    const long = randomBytes(3_000_000)
    const zip = await zipOf(async (writer) => {
      await writer.add('a/text.txt', chunks(Buffer.from('Grüezi '), Buffer.from('mitenand')))
      await writer.add('a/empty', chunks())
      await writer.add('é/long', chunks(long.subarray(0, 1_000_000), long.subarray(1_000_000)))
    })
    const files = unzip(zip)
    expect([...files.keys()]).toEqual(['a/text.txt', 'a/empty', 'é/long'])
    expect(files.get('a/text.txt')?.toString()).toBe('Grüezi mitenand')
    expect(files.get('a/empty')?.length).toBe(0)
    expect(files.get('é/long')?.equals(long)).toBe(true)
  })

  it('cannot be opened when it was cut', async () => {
    const zip = await zipOf((writer) => writer.add('a', chunks(randomBytes(10_000))))
    for (const length of [zip.length - 1, zip.length - 60, 5000]) expect(() => unzip(zip.subarray(0, length))).toThrow()
  })

  it('leaves out a file whose content fails, at its start or later', async () => {
    const zip = await zipOf(async (writer) => {
      await writer.add('first', chunks(Buffer.from('1')))
      await expect(writer.add('absent', chunks(new Error('missing')))).rejects.toThrow('missing')
      await expect(writer.add('half', chunks(randomBytes(200_000), new Error('unreadable')))).rejects.toThrow('unreadable')
      await writer.add('last', chunks(Buffer.from('2')))
    })
    expect([...unzip(zip)].map(([name, file]) => `${name} ${file.toString()}`)).toEqual(['first 1', 'last 2'])
  })

  it('stops reading when its receiver fails', async () => {
    let closed = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          await Promise.resolve()
          yield randomBytes(65_536)
        }
      } finally {
        closed = true
      }
    }
    let room = 20
    const zip = await createZip(() => (room-- > 0 ? Promise.resolve() : Promise.reject(new Error('left'))), 0)
    await expect(zip.add('endless', endless())).rejects.toThrow('left')
    expect(closed).toBe(true)
  })
})
