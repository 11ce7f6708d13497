/** Attachments corrupted on disk: detected on each read, listed as damaged, and valid again once restored. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBlobs } from '../../../../src/store/blobs/blobs.js'
import { checkStore } from '../../../../src/store/check/index.js'
import { attached, download, filePart, filesOnDisk, sha256 } from '../../../support/http/multipart.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'

let node: TestNode
let stage: Stage
beforeAll(async () => {
  node = await startTestNode()
  stage = await newStage(node)
  await stage.arrange('streams.create', { id: 's', name: 's' })
})
afterAll(() => node.stop())

/** Changes one byte of a file in its place. */
async function flip(digest: string, at: number): Promise<void> {
  const path = (await filesOnDisk(node)).find((file) => file.endsWith(digest)) ?? ''
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, at)
  byte[0] = (byte[0] ?? 0) ^ 1
  await file.write(byte, 0, 1, at)
  await file.close()
}

/** Counts the bytes that arrive of a file, and checks if it is complete. */
async function read(path: string, headers: Record<string, string> = {}): Promise<{ bytes: number; isWhole: boolean; status?: number }> {
  let bytes = 0
  try {
    const response = await fetch(`${node.url}${stage.username}${path}`, { headers: { authorization: stage.owner, ...headers } })
    for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length
    return { bytes, isWhole: true, status: response.status }
  } catch {
    return { bytes, isWhole: false }
  }
}

const sampled = async (): Promise<string[]> => {
  const { db, head, blobs } = node.node.store
  const { problems } = await checkStore(db, { head, files: blobs.folder, sample: { size: 0, random: () => 0 } })
  return problems.map(({ where, what }) => `${where} ${what}`)
}

describe('a flipped byte', () => {
  it.each([
    ['a small file', 1000, 999],
    ['a file of many pieces', 1_000_000, 0],
    ['the last piece', 1_000_000, 999_999],
  ])('of %s aborts the response before the last byte, and is reported by the log and by checks', async (what, size, at) => {
    const content = Buffer.alloc(size, what)
    const digest = sha256(content, 'hex')
    const { id, files } = await attached(stage, [filePart('a', content)])
    const path = `/events/${id}/${files[0]?.id}`
    expect(await read(path)).toMatchObject({ bytes: size, isWhole: true })
    expect(await sampled()).toEqual([])
    await flip(digest, at)
    const { bytes, isWhole } = await read(path)
    expect(isWhole).toBe(false)
    expect(bytes).toBeLessThan(size)
    const { blobs, db } = node.node.store
    const account = blobs.damaged()[0]?.account ?? ''
    expect(blobs.damaged()).toMatchObject([{ account, digest }])
    const lines = node.logged.filter((line) => line.includes('is damaged') && line.includes(digest))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(id)
    expect(await sampled()).toEqual([`account ${account}, event ${id}, file ${digest} differs from the attached bytes`])
    // Ranges are sent without a check of the whole file.
    expect(await read(path, { range: 'bytes=0-9' })).toEqual({ bytes: 10, isWhole: true, status: 206 })
    // The damage is also known after the blobs are opened again.
    const reopened = await openBlobs({ folder: blobs.folder, db, isSound: () => true })
    expect(reopened.damaged()).toMatchObject([{ account, digest }])
    expect(await read(path)).toMatchObject({ isWhole: false })
    expect(node.logged.filter((line) => line.includes('is damaged') && line.includes(digest))).toHaveLength(1)
    // Attaching the same bytes again repairs the file.
    await attached(stage, [filePart('b', content)])
    expect((await download(stage, path)).bytes.equals(content)).toBe(true)
    expect(blobs.damaged()).toEqual([])
    expect(await sampled()).toEqual([])
    expect((await openBlobs({ folder: join(blobs.folder), db, isSound: () => true })).damaged()).toEqual([])
  })
})
