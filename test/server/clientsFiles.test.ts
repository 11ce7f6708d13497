/** The published client `pryv`, unchanged: files go up with either of its methods and come back by their read token. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Attached } from '../support/multipart.js'
import { startTestNode, type TestNode } from '../support/node.js'
import { clientEventId, createAccount, logIn, serviceOf, type Client } from '../support/pryvClient.js'

interface Uploading {
  createEventWithFile(event: object, path: string): Promise<Made>
  createEventWithFileFromBuffer(event: object, bytes: Buffer, name: string): Promise<Made>
}

interface Made {
  event: { id: string; attachments: Attached[] }
}

let node: TestNode
let client: Client & Uploading
const BYTES = Buffer.from([0, 1, 2, 255, 13, 10])

beforeAll(async () => {
  node = await startTestNode()
  const service = serviceOf(node)
  await createAccount(service, 'writer')
  client = (await logIn(service, 'writer')) as Client & Uploading
  await client.api([{ method: 'streams.create', params: { id: 'photos', name: 'Photos' } }])
})
afterAll(() => node.stop())

it.each(['from a file', 'from memory'])('uploads %s', async (how) => {
  const event = { id: clientEventId(), streamIds: ['photos'], type: 'picture/attached' }
  const path = join(node.places.home, 'photo.png')
  writeFileSync(path, BYTES)
  const made =
    how === 'from a file'
      ? await client.createEventWithFile(event, path)
      : await client.createEventWithFileFromBuffer(event, BYTES, 'photo.png')
  const [file] = made.event.attachments
  expect(made.event.id).toBe(event.id)
  expect(file).toMatchObject({ fileName: 'photo.png', type: 'image/png', size: BYTES.length })
  const read = await fetch(`${node.url}writer/events/${event.id}/${file?.id}?readToken=${file?.readToken}`)
  expect(Buffer.from(await read.arrayBuffer()).equals(BYTES)).toBe(true)
})
