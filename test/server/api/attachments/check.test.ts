/** Problems of attachments that the store check reports, and the place of read tokens in records. */
import { rm, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkStore } from '../../../../src/store/check/index.js'
import { accountKeys } from '../../../../src/store/engine/keys.js'
import { eventToRecord, recordToEvent, recordWithReadTokens } from '../../../../src/store/model/eventRecord.js'
import type { Event } from '../../../../src/store/model/event.js'
import { attached, filePart, sha256 } from '../../../support/http/multipart.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage } from '../../../support/http/methodTable.js'

interface AttachedFile {
  node: TestNode
  a: string
  event: string
  file: string
  digest: string
  path: string
}

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

async function attachFile(): Promise<AttachedFile> {
  const stage = await newStage(node)
  await stage.arrange('streams.create', { id: 's', name: 's' })
  const bytes = `bytes of ${stage.username}`
  const { id, files } = await attached(stage, [filePart('f', bytes)])
  const a = (await node.node.accounts.find(stage.username))?.account.prefix ?? ''
  const digest = sha256(bytes, 'hex')
  return { node, a, event: id, file: files[0]?.id ?? '', digest, path: node.node.store.blobs.pathOf(a, digest) }
}

async function problems(a: string): Promise<string[]> {
  const { store } = node.node
  await store.settled()
  const head = { sequence: store.commits, hash: Buffer.alloc(0) }
  const found = await checkStore(store.db, { head, seal: store.seal, files: node.places.files })
  return found.problems.filter(({ where }) => where.startsWith(`account ${a}`)).map(({ what }) => what)
}

const change = async (key: string, value: string | null): Promise<void> => {
  const batch = node.node.store.db.batch()
  if (value === null) batch.delete(key)
  else batch.put(key, value)
  await batch.write({ sync: true })
}

describe('a store check', () => {
  const damages: [string, (p: AttachedFile) => Promise<void>, RegExp][] = [
    ['missing bytes', ({ path }) => rm(path), /is missing/],
    ['replaced bytes', ({ path }) => writeFile(path, 'x'.repeat(19)), /differs from the attached bytes/],
    ['truncated bytes', ({ path }) => writeFile(path, ''), /has 0 bytes instead of 19/],
    ['a lost reference', ({ a, digest, event, file }) => change(accountKeys.fileReference(a, digest, event, file), null), /lacks its reference/],
    ['a lost digest', ({ a, event, file }) => change(accountKeys.fileDigest(a, event, file), null), /lacks the digest/],
    ['a stale reference', ({ a, digest, event }) => change(accountKeys.fileReference(a, digest, event, 'x'), '19'), /counts 19 bytes of files, but has 38/],
    ['a stale digest', ({ a, digest, event }) => change(accountKeys.fileDigest(a, event, 'x'), digest), /not attached to it/],
  ]
  it.each(damages)('reports %s', async (_, damage, message) => {
    const p = await attachFile()
    expect(await problems(p.a)).toEqual([])
    await damage(p)
    expect((await problems(p.a)).join('\n')).toMatch(message)
  })
})

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"}],{"id":"', ',"attachments":[{"id":"x"', '\\', '\\"', '}', ']'))

it('read tokens are added to attachments only', () => {
  const file = fc.record({ id: fc.stringMatching(/^[a-z0-9]{4}$/), fileName: text, type: text, size: fc.nat() })
  fc.assert(
    fc.property(
      fc.array(fc.oneof(file, file.map((one) => ({ ...one, integrity: 'sha256-x=' }))), { maxLength: 4 }),
      text,
      fc.constantFrom(undefined, null, 5, 0.25),
      (attachments, free, duration) => {
        const content = { [free]: free, attachments: [{ id: free, x: '{"id":"y"' }] }
        const event: Event = {
          ...{ id: 'e', streamIds: ['s'], type: 'a/b', time: 1, content, tags: [free], description: free, clientData: content },
          ...(attachments.length === 0 ? {} : { attachments }),
          ...(duration === undefined ? {} : { duration }),
          ...{ created: 1, createdBy: 'c', modified: 2, modifiedBy: 'm', integrity: 'EVENT:0:sha256-x=' },
        }
        const record = eventToRecord(event)
        expect(recordToEvent(record)).toEqual(event)
        const withTokens = recordToEvent(recordWithReadTokens(record, (id) => `token-of-${id}`))
        const tokens = attachments.map((one) => ({ ...one, readToken: `token-of-${one.id}` }))
        expect(withTokens).toEqual(attachments.length === 0 ? event : { ...event, attachments: tokens })
      },
    ),
  )
})
