/** The bytes of attached files on disk, by account. */
import { existsSync } from 'node:fs'
import { readFile, utimes } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { moveReferences } from '../../../src/store/blobs/fileReferences.js'
import type { Attachment } from '../../../src/store/model/event.js'
import { repositories } from '../repository.js'

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}
const file: Attachment = { id: 'f1', fileName: 'f1', type: 'text/plain', size: 1, integrity: 'x' }

describe('bytes of attached files', () => {
  const all = repositories()

  /** Stores bytes for an account. */
  async function store({ prefix }: Account, text: string): Promise<string> {
    const { blobs } = all.store
    const received = await blobs.receive(chunks(...text), 1, 'sha256')
    await blobs.keep(prefix, received)
    return received.digest
  }
  const refer = (account: Account, digest: string): Promise<unknown> =>
    account.write((t) => moveReferences(t, 'e1', undefined, [file], new Map([['f1', digest]])))

  it('are stored at their path as received, for one account alone', async () => {
    const [account, other] = [await all.account(), await all.account()]
    const { blobs } = all.store
    const digest = await store(account, 'hello')
    const path = blobs.pathOf(account.prefix, digest)
    expect(await readFile(path, 'utf8')).toBe('hello')
    expect(blobs.fileAt(path)).toEqual({ account: account.prefix, digest })
    expect([blobs.isPresent(account.prefix, digest), blobs.isPresent(other.prefix, digest)]).toEqual([true, false])
    expect(blobs.isPresent(account.prefix, 'ab'.repeat(32))).toBe(false)
    await blobs.release(account.prefix, digest)
    expect([existsSync(path), blobs.isPresent(account.prefix, digest)]).toEqual([false, false])
  })

  it('stay while an event refers to them or an operation holds them', async () => {
    const account = await all.account()
    const { blobs } = all.store
    const digest = await store(account, 'referred')
    const path = blobs.pathOf(account.prefix, digest)
    await refer(account, digest)
    await blobs.release(account.prefix, digest)
    expect(existsSync(path)).toBe(true)
    blobs.hold(account.prefix, digest)
    await account.write((t) => moveReferences(t, 'e1', [file], undefined))
    await blobs.removeUnreferenced(account.prefix, [digest])
    expect(existsSync(path)).toBe(true)
    await blobs.release(account.prefix, digest)
    expect(existsSync(path)).toBe(false)
  })

  it('beyond the size limit are refused and leave no file', async () => {
    const { blobs } = all.store
    const scratch = await blobs.scratch()
    await expect(blobs.receive(chunks('x'.repeat(1024 * 1024), 'y'), 1, 'sha256')).rejects.toMatchObject({ id: 'payload-too-large' })
    const received = await blobs.receive(chunks('dropped'), 1, 'sha512')
    expect([received.size, received.integrity.length]).toEqual([7, 88])
    await blobs.drop(received)
    expect([existsSync(received.path), existsSync(scratch)]).toEqual([false, false])
  })

  it('without references are swept once they are old; those of an erased account are removed at once', async () => {
    const [account, other] = [await all.account(), await all.account()]
    const { blobs } = all.store
    const [young, old, referred] = [await store(account, 'young'), await store(account, 'old'), await store(account, 'referred')]
    await refer(account, referred)
    const kept = await store(other, 'old')
    await refer(other, kept)
    // Simulates files without a holder, as a crash leaves them.
    await blobs.withFilesOf(account.prefix, async () => {
      for (const digest of [young, old, referred]) await blobs.release(account.prefix, digest)
      for (const digest of [young, old, referred]) expect(existsSync(blobs.pathOf(account.prefix, digest))).toBe(true)
      for (const digest of [young, old]) blobs.hold(account.prefix, digest)
    })
    await blobs.release(other.prefix, kept)
    await blobs.settled()
    for (const digest of [old, referred]) await utimes(blobs.pathOf(account.prefix, digest), 100, 100)
    await blobs.sweep(1000, 500)
    const present = (): boolean[] => [young, old, referred].map((digest) => existsSync(blobs.pathOf(account.prefix, digest)))
    expect(present()).toEqual([true, true, true])
    await blobs.release(account.prefix, old)
    expect(present()).toEqual([true, false, true])
    await blobs.eraseAccount(account.prefix)
    expect(present()).toEqual([false, false, false])
    expect(await readFile(blobs.pathOf(other.prefix, kept), 'utf8')).toBe('old')
  })
})
