/** Tests of sync of attached files by commands: `wait` returns when all are received, and reports missing ones. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { eventPart, filePart, filesOnDisk, MULTIPART, multipartBody } from '../support/http/multipart.js'
import { placesOf, request } from '../support/nodes/node.js'
import { makeAccount, pair, syncNode, USER, type SyncNode } from '../support/sync/nodeProcesses.js'
import build from './support/build.js'
import { afterTheFile, folder, json } from './support/coffer.js'

const EVENTS = 40
const FILES_EACH = 10

const cleanUp = afterTheFile()
beforeAll(build)

async function upload(url: string, token: string): Promise<void> {
  const files = Array.from({ length: FILES_EACH }, (_, n) => filePart(`f${n}`, randomBytes(10_000)))
  const body = multipartBody([eventPart({ streamIds: ['photos'], type: 'picture/attached' }), ...files])
  const { status } = await fetch(`${url}${USER}/events`, { method: 'POST', headers: { ...MULTIPART, authorization: token }, body })
  expect(status).toBe(201)
}

const files = ({ home }: SyncNode): Promise<string[]> => filesOnDisk({ places: placesOf(home) })

it('wait returns when all attached files are received, and reports files missing on both nodes', { timeout: 180_000 }, async () => {
  const base = folder(cleanUp)
  const [a, b] = [await syncNode(join(base, 'a'), cleanUp), await syncNode(join(base, 'b'), cleanUp)]
  const url = await a.start()
  await b.start()
  const token = await makeAccount(url)
  await request(`${url}${USER}/streams`, { token, body: { id: 'photos', name: 'photos' } })
  await pair(a, b)
  await b.stop()
  for (let n = 0; n < EVENTS; n++) await upload(url, token)
  await b.start()
  for (const node of [a, b]) {
    const waited = await node.run('wait', '--for', 'ready,synced', '--timeout', '60s')
    expect(waited.code, JSON.stringify(waited)).toBe(0)
    expect((await files(b)).length).toBe(EVENTS * FILES_EACH)
  }
  // Deletes a file before the other node receives it.
  await b.stop()
  const before = new Set(await files(a))
  await upload(url, token)
  const lost = (await files(a)).find((file) => !before.has(file)) ?? ''
  rmSync(lost)
  await b.start()
  // Waits until both nodes have received all other files.
  for (const node of [a, b]) {
    for (;;) {
      const { peers } = await node.ask('sync.peers', { username: USER })
      if ((peers as { state: string }[])[0]?.state === 'behind') break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  expect((await files(b)).length).toBe((EVENTS + 1) * FILES_EACH - 1)
  for (const node of [a, b]) {
    const waited = await node.run('wait', '--for', 'synced', '--timeout', '1s')
    expect(waited.code).toBe(3)
    expect(waited.err).toContain('An attached file is missing on both nodes.')
    const shown = await node.run('sync', 'status', '--json')
    expect(shown.code).toBe(3)
    expect(json(shown)['peers']).toMatchObject([{ state: 'behind', filesPending: 0, filesPendingCount: 0 }])
  }
  await Promise.all([a.stop(), b.stop()])
})
