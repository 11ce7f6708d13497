/** Uploads with each method of unchanged releases of the published client `pryv`, and downloads with read tokens. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Attached } from '../../support/http/multipart.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { bodyOf, clientEventId, createAccount, logIn, releases, serviceOf, type Client } from '../../support/http/pryvClient.js'

interface Uploading {
  createEventWithFile(event: object, path: string): Promise<Made>
  createEventWithFileFromBuffer(event: object, bytes: Buffer | Blob, name: string): Promise<Made>
  createEventWithFormData(event: object, form: FormData): Promise<Made>
}

interface Made {
  event: { id: string; attachments: Attached[] }
}

const BYTES = Buffer.from([0, 1, 2, 255, 13, 10])

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

describe.each(releases)('$name', (release) => {
  const username = release.isEarlier ? 'earlier' : 'current'
  let client: Client & Uploading
  beforeAll(async () => {
    await createAccount(serviceOf(node), username)
    client = (await logIn(serviceOf(node, release), username)) as Client & Uploading
    await client.api([{ method: 'streams.create', params: { id: 'photos', name: 'Photos' } }])
  })

  const newEvent = (): { id: string; streamIds: string[]; type: string } => ({ id: clientEventId(), streamIds: ['photos'], type: 'picture/attached' })

  async function expectUploaded(made: Made, id: string, file: Partial<Attached>): Promise<void> {
    const [uploaded] = made.event.attachments
    expect(made.event.id).toBe(id)
    expect(uploaded).toMatchObject({ ...file, size: BYTES.length })
    const read = await fetch(`${node.url}${username}/events/${id}/${uploaded?.id}?readToken=${uploaded?.readToken}`)
    expect(Buffer.from(await read.arrayBuffer()).equals(BYTES)).toBe(true)
  }

  const uploads: [source: string, upload: (event: object, path: string) => Promise<Made>][] = [
    ['from a file', (event, path) => client.createEventWithFile(event, path)],
    ['from memory', (event) => client.createEventWithFileFromBuffer(event, BYTES, 'photo.png')],
  ]
  it.each(uploads)('uploads %s', async (_, upload) => {
    const event = newEvent()
    const path = join(node.places.home, 'photo.png')
    writeFileSync(path, BYTES)
    await expectUploaded(await upload(event, path), event.id, { fileName: 'photo.png', type: 'image/png' })
  })

  // 2.x supports this in browsers only: its superagent does not accept the FormData of Node.
  it.runIf(!release.isEarlier)('uploads the file of a form, with or without a name', async () => {
    const named = newEvent()
    const form = new FormData()
    form.append('file0', new Blob([BYTES], { type: 'image/png' }), 'photo.png')
    await expectUploaded(await client.createEventWithFormData(named, form), named.id, { fileName: 'photo.png', type: 'image/png' })
    const unnamed = newEvent()
    const bare = new FormData()
    bare.append('webmasterfile', new Blob([BYTES], { type: 'text/txt' }))
    await expectUploaded(await client.createEventWithFormData(unnamed, bare), unnamed.id, { fileName: 'blob', type: 'text/txt' })
  })

  it('receives the failure of an upload to an unknown stream', async () => {
    const refused = client.createEventWithFileFromBuffer({ streamIds: ['nowhere'], type: 'picture/attached' }, BYTES, 'photo.png')
    expect(await bodyOf(refused as unknown as Promise<Record<string, unknown>>)).toMatchObject({ error: { id: 'unknown-referenced-resource' } })
  })
})
