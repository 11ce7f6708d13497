/** Reading of files for answers: ahead of the client, verified, and with damage recorded. */
import { open, type FileHandle } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileChunks } from '../../../src/server/http/fileChunks.js'
import { attached, filePart, filesOnDisk, sha256 } from '../../support/http/multipart.js'
import { newStage } from '../../support/http/methodTable.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'

const SIZE = 300_000
const CHUNK = 128 * 1024
const content = Buffer.alloc(SIZE, 'a file of three pieces')
const digest = sha256(content, 'hex')
const whole = { start: 0, end: SIZE }

let node: TestNode
let path: string
let handle: FileHandle
beforeAll(async () => {
  node = await startTestNode()
  const stage = await newStage(node)
  await stage.arrange('streams.create', { id: 's', name: 's' })
  await attached(stage, [filePart('a', content)])
  path = (await filesOnDisk(node)).find((file) => file.endsWith(digest)) ?? ''
  handle = await open(path)
})
afterAll(async () => {
  await handle.close()
  await node.stop()
})

/** Returns the file as a handle whose reads `read` replaces; `offsets` are those of its reads so far. */
function replaced(read: (at: number, go: () => Promise<unknown>) => Promise<unknown>): { file: FileHandle; offsets: number[] } {
  const offsets: number[] = []
  const file = {
    read(buffer: Buffer, from: number, length: number, at: number) {
      offsets.push(at)
      return read(at, () => handle.read(buffer, from, length, at))
    },
    stat: () => handle.stat(),
  }
  return { file: file as unknown as FileHandle, offsets }
}

const chunksOf = (file: FileHandle, part = whole): AsyncGenerator<Uint8Array> => fileChunks(node.node, file, part, { path, size: SIZE, type: 'text/plain', digest })

async function sizesOf(chunks: AsyncGenerator<Uint8Array>, sizes: number[]): Promise<void> {
  for await (const { length } of chunks) sizes.push(length)
}

describe('the chunks of a file', () => {
  it('are all of it, each read while the one before is used', async () => {
    const { file, offsets } = replaced((_, go) => go())
    const chunks = chunksOf(file)
    const first = await chunks.next()
    expect(first.value).toEqual(content.subarray(0, CHUNK))
    expect(offsets).toEqual([0, CHUNK])
    const sizes: number[] = []
    await sizesOf(chunks, sizes)
    expect(sizes).toEqual([CHUNK, SIZE - 2 * CHUNK])
  })

  it('are those of a range', async () => {
    const parts: Uint8Array[] = []
    for await (const bytes of chunksOf(handle, { start: 1000, end: 200_000 })) parts.push(bytes)
    expect(Buffer.concat(parts)).toEqual(content.subarray(1000, 200_000))
  })

  it('wait, when the client has disconnected, for the read in progress', async () => {
    let finish = (): void => undefined
    const { file } = replaced((at, go) => (at === 0 ? go() : new Promise((resolve) => (finish = () => resolve(go())))))
    const chunks = chunksOf(file)
    await chunks.next()
    let isOver = false
    const ended = chunks.return(undefined).then(() => (isOver = true))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isOver).toBe(false)
    finish()
    await ended
  })

  it('end with an error where the disk fails, and the file is recorded as damaged', async () => {
    const { file } = replaced((at, go) => (at === 0 ? go() : Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' }))))
    const sizes: number[] = []
    await expect(sizesOf(chunksOf(file), sizes)).rejects.toThrow('i/o error')
    expect(sizes).toEqual([CHUNK])
    expect(node.node.store.blobs.damaged()).toMatchObject([{ digest }])
  })
})
