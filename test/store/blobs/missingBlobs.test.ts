/** Files received after their events: listed as missing, received in parts across restarts, stored when complete. */
import { createHash } from 'node:crypto'
import { readFile, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Account } from '../../../src/store/engine/account.js'
import { openBlobs, type Blobs } from '../../../src/store/blobs/blobs.js'
import { checkStore } from '../../../src/store/check/index.js'
import { addEvent, removeEvent } from '../../../src/store/events/events.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { Event } from '../../../src/store/model/event.js'
import { createTree } from '../../../src/store/model/tree.js'
import { blobsArrived, isBlobMissing, recordMissingBlob, missingBlobs } from '../../../src/store/blobs/missingBlobs.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { standaloneAccount, type StandaloneAccount } from '../series/support.js'

const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 251))
const DIGEST = createHash('sha256').update(BYTES).digest('hex')
const HOUR = 3600
const recorder = createRecorder({ actor: '00'.repeat(16) })

let standalone: StandaloneAccount
let account: Account
let blobs: Blobs
let folder: string

const opened = (): Promise<Blobs> => openBlobs({ folder, db: standalone.opened.db, isSound: () => true })

beforeEach(async () => {
  standalone = await standaloneAccount()
  folder = join(dirname(standalone.opened.folder), 'files')
  blobs = await opened()
  account = new Account({
    prefix: '1',
    db: standalone.opened.db,
    committer: standalone.opened.committer,
    tree: createTree([]),
    sequence: 0,
    freed: (digests) => void blobs.removeUnreferenced('1', digests),
  })
})
afterEach(async () => {
  await blobs.settled()
  await standalone.close()
})

const eventOf = (id: string): Event => ({
  id,
  streamIds: ['a'],
  type: 'file/attached',
  time: 1,
  tags: [],
  attachments: [{ id: 'f', fileName: 'a', type: 'b', size: BYTES.length }],
  created: 1,
  createdBy: 'p',
  modified: 1,
  modifiedBy: 'p',
})

const listed = async (): Promise<unknown[]> => (await missingBlobs(account, blobs, '', 100)).files

/** Writes an event as a peer sends it. */
const receiveEvent = (id: string): Promise<void> =>
  account.write((t) => {
    recordMissingBlob(t, blobs, DIGEST, BYTES.length)
    addEvent(t, recorder, eventOf(id), new Map([['f', DIGEST]]))
  })
const remove = (id: string): Promise<unknown> =>
  account.write((t) => removeEvent(t, recorder, eventOf(id), 2, 'keep-nothing', (kept) => kept))
const part = (from: number, to: number): Uint8Array => BYTES.subarray(from, to)

async function fileProblems(): Promise<string[]> {
  const { problems } = await checkStore(standalone.opened.db, { head: standalone.opened.committer.head, files: folder })
  return problems.filter(({ where }) => where.includes('file')).map(({ what }) => what)
}

describe('a missing file', () => {
  it('is received in parts, resumed after a crash and stored once complete', async () => {
    await receiveEvent('e1')
    expect(await listed()).toEqual([{ digest: DIGEST, size: BYTES.length }])
    expect(isBlobMissing(account.db, blobs, '1', DIGEST)).toBe(true)
    // No peer can send it.
    expect(await fileProblems()).toEqual(['is missing'])
    await account.write((t) => t.put(accountKeys.peer('1', 1), '{}'))
    expect(await fileProblems()).toEqual([])
    const first = await blobs.partial('1', DIGEST)
    await first.append(0, part(0, 30_000))
    await first.append(30_000, part(30_000, 30_001))
    await expect(first.append(30_000, part(30_000, 40_000))).rejects.toThrow('does not follow')
    // Simulates another process: this one closed nothing.
    blobs = await opened()
    const again = await blobs.partial('1', DIGEST)
    expect(again.size).toBe(30_001)
    const other = await blobs.partial('1', DIGEST)
    await other.append(30_001, part(30_001, 60_000))
    await again.append(60_000, part(60_000, 100_000))
    expect(blobs.isPresent('1', DIGEST)).toBe(false)
    expect(await again.finish(BYTES.length)).toBe(true)
    expect(await readFile(blobs.pathOf('1', DIGEST))).toEqual(BYTES)
    expect(isBlobMissing(account.db, blobs, '1', DIGEST)).toBe(false)
    await blobsArrived(account, blobs, [DIGEST])
    expect(await listed()).toEqual([])
    await rm(blobs.pathOf('1', DIGEST))
    expect(await fileProblems()).toEqual(['is missing'])
  })

  it('is dropped when its digest differs, and starts again', async () => {
    await receiveEvent('e1')
    const wrong = await blobs.partial('1', DIGEST)
    await wrong.append(0, part(1, 100_000))
    await wrong.append(99_999, part(0, 1))
    expect(await wrong.finish(BYTES.length)).toBe(false)
    await expect(wrong.append(0, part(0, 1))).rejects.toThrow(RangeError)
    expect(blobs.isPresent('1', DIGEST)).toBe(false)
    const short = await blobs.partial('1', DIGEST)
    expect(short.size).toBe(0)
    await short.append(0, part(0, 10))
    expect(await short.finish(BYTES.length)).toBe(false)
    await expect(async () => blobs.partial('1', '../x')).rejects.toThrow(RangeError)
  })

  it('is no longer requested once its last event is deleted; a partial file is swept when old', async () => {
    await receiveEvent('e1')
    await receiveEvent('e2')
    const started = await blobs.partial('1', DIGEST)
    await started.append(0, part(0, 10))
    await remove('e1')
    expect(await listed()).toHaveLength(1)
    await remove('e2')
    expect(await listed()).toEqual([])
    await started.append(10, part(10, 100_000))
    expect(await started.finish(BYTES.length)).toBe(true)
    // Nothing refers to it.
    expect(blobs.isPresent('1', DIGEST)).toBe(false)
    const partial = await blobs.partial('1', DIGEST)
    await partial.append(0, part(0, 10))
    await blobs.settled()
    const path = join(folder, '.partial', '1', DIGEST)
    const now = Date.now() / 1000
    await utimes(path, now - 2 * HOUR, now - 2 * HOUR)
    await blobs.sweep(now, 3 * HOUR)
    expect((await blobs.partial('1', DIGEST)).size).toBe(10)
    await blobs.settled()
    await blobs.sweep(now, HOUR)
    expect((await blobs.partial('1', DIGEST)).size).toBe(0)
    await (await blobs.partial('1', DIGEST)).append(0, part(0, 10))
    await receiveEvent('e3')
    await blobs.settled()
    await utimes(path, now - 2 * HOUR, now - 2 * HOUR)
    await blobs.sweep(now, HOUR)
    expect((await blobs.partial('1', DIGEST)).size).toBe(10)
    await blobs.eraseAccount('1')
    expect((await blobs.partial('1', DIGEST)).size).toBe(0)
  })

  it('is stored where an event refers to it just before its removal', async () => {
    await receiveEvent('e1')
    const file = await blobs.partial('1', DIGEST)
    await file.append(0, BYTES)
    await file.finish(BYTES.length)
    await blobsArrived(account, blobs, [DIGEST])
    await remove('e1')
    await blobs.settled()
    for (let i = 2; i < 10; i++) {
      // Unreferenced bytes are considered for removal while an event that needs them is being written.
      const upload = (async function* () {
        yield await Promise.resolve(BYTES)
      })()
      await blobs.keep('1', await blobs.receive(upload, 1, 'sha256'))
      const written = receiveEvent(`e${i}`)
      await blobs.release('1', DIGEST)
      await written
      await blobs.settled()
      expect(blobs.isPresent('1', DIGEST)).toBe(true)
      await remove(`e${i}`)
      await blobs.settled()
    }
    expect(await fileProblems()).toEqual([])
  })
})
