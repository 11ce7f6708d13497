/** Previews of pictures (docs/interface/attachments.md#previews), created from pictures drawn by the same library. */
import { readdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attached, download, filePart, filesOnDisk } from '../../../support/http/multipart.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'

let node: TestNode
let stage: Stage
const PICTURE = { streamIds: ['s'], type: 'picture/attached' }

const draw = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 10, b: 10, alpha: 0.5 } } })

async function picture(data: Uint8Array, event: Record<string, unknown> = PICTURE): Promise<string> {
  return (await attached(stage, [filePart('p', data, 'image/png')], event)).id
}

const sizeOf = async (bytes: Buffer): Promise<unknown[]> => {
  const { format, isProgressive, width, height } = await sharp(bytes).metadata()
  return [format, isProgressive, width, height]
}

beforeAll(async () => {
  node = await startTestNode()
  stage = await newStage(node)
  await stage.arrange('streams.create', { id: 's', name: 's' })
})
afterAll(() => node.stop())

describe('a preview', () => {
  it.each([
    ['', 256, 128],
    ['?w=100', 256, 128],
    ['?width=300', 512, 256],
    ['?h=256', 512, 256],
    ['?height=700&width=700', 768, 384],
    ['?w=5000', 1024, 512],
    ['?w=1000&h=100', 512, 256],
  ])('of a picture of 2000 by 1000, requested with %j, has %i by %i', async (query, width, height) => {
    const id = await picture(await draw(2000, 1000).png().toBuffer())
    for (const path of [`/events/${id}.jpg${query}`, `/events/${id}.jpeg${query}`, `/events/${id}/preview${query}`]) {
      const { status, headers, bytes } = await download(stage, path)
      expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg'])
      expect(headers.has('content-disposition')).toBe(false)
      expect(await sizeOf(bytes)).toEqual(['jpeg', true, width, height])
    }
  })

  it('is not larger than the picture', async () => {
    const id = await picture(await draw(20, 10).gif().toBuffer())
    expect(await sizeOf((await download(stage, `/events/${id}.jpg`)).bytes)).toEqual(['jpeg', true, 20, 10])
  })

  it('is readable for accesses that may read the event, also with a token in the query', async () => {
    const id = await picture(await draw(20, 10).webp().toBuffer())
    const token = await stage.app([{ streamId: 's', level: 'read' }])
    expect((await download(stage, `/events/${id}.jpg?auth=${token}`, { token: null })).status).toBe(200)
    expect((await download(stage, `/events/${id}.jpg`, { token: null })).status).toBe(401)
    const stranger = await stage.app([{ streamId: 's', level: 'create-only' }])
    expect((await download(stage, `/events/${id}.jpg`, { token: stranger })).status).toBe(403)
    expect((await download(stage, '/events/cunknown00000000000000000.jpg')).status).toBe(404)
  })

  it('exists only for events of pictures with a valid image', async () => {
    const note = await picture(await draw(20, 10).png().toBuffer(), { ...PICTURE, type: 'note/txt', content: 'x' })
    const nothing = await download(stage, `/events/${note}.jpg`)
    expect([nothing.status, nothing.bytes.length]).toEqual([204, 0])
    const { id: empty } = await attached(stage, [], PICTURE)
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    const png = await draw(300, 300).png().toBuffer()
    const bomb = Buffer.from(png)
    // Sets the width in the header of the PNG.
    bomb.writeUInt32BE(100_000, 16)
    for (const data of ['no picture', svg, png.subarray(0, 60), bomb]) {
      const id = await picture(Buffer.from(data))
      const { status, bytes } = await download(stage, `/events/${id}.jpg`)
      expect([status, JSON.parse(bytes.toString())]).toMatchObject([422, { error: { id: 'corrupted-data' } }])
    }
    expect((await download(stage, `/events/${empty}.jpg`)).status).toBe(422)
    expect((await filesOnDisk(node)).filter((file) => /\.jpg\./.test(file))).toEqual([])
  })

  it.each(['?w=0', '?w=-3', '?w=x'])('refuses %s', async (query) => {
    const id = await picture(await draw(20, 10).png().toBuffer())
    expect((await download(stage, `/events/${id}.jpg${query}`)).status).toBe(400)
  })

  it('is cached until it is old, and deleted with the picture', async () => {
    const id = await picture(await draw(33, 11).png().toBuffer())
    const derived = join(node.places.files, '.derived')
    await rm(derived, { recursive: true, force: true })
    const first = await download(stage, `/events/${id}.jpg`)
    const cachedFiles = async (): Promise<string[]> => (await filesOnDisk(node)).filter((file) => file.startsWith(derived))
    const [cached = ''] = await cachedFiles()
    expect(await cachedFiles()).toHaveLength(1)
    await utimes(cached, 1000, 1000)
    await download(stage, `/events/${id}.jpg`)
    const { blobs } = node.node.store
    await blobs.prune(2000)
    expect(await cachedFiles()).toEqual([cached])
    await utimes(cached, 1000, 1000)
    await blobs.prune(2000)
    expect([await cachedFiles(), await readdir(derived)]).toEqual([[], []])
    expect((await download(stage, `/events/${id}.jpg`)).bytes.equals(first.bytes)).toBe(true)
    await stage.arrange('events.delete', { id })
    await stage.arrange('events.delete', { id })
    await blobs.settled()
    expect(await cachedFiles()).toEqual([])
  })
})
