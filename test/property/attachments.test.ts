/** Files and their total size after any sequence of changes, against a naive list of attachments. */
import fc from 'fast-check'
import { basename } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkStore } from '../../src/store/check/index.js'
import { findEvent } from '../../src/store/events/events.js'
import type { Event } from '../../src/store/model/event.js'
import { addAttachment } from '../../src/server/api/events/addAttachment.js'
import { create } from '../../src/server/api/events/create.js'
import { remove } from '../../src/server/api/events/delete.js'
import { deleteAttachment } from '../../src/server/api/events/deleteAttachment.js'
import { update } from '../../src/server/api/events/update.js'
import type { Call, TokenMethod } from '../../src/server/call/method.js'
import { create as createStream } from '../../src/server/api/streams/create.js'
import { remove as deleteStream } from '../../src/server/api/streams/delete.js'
import { receive, withUploads } from '../../src/server/dispatch/uploads.js'
import { changeComparison } from '../../src/sync/merge/changeComparison.js'
import { fakeClock } from '../support/nodes/clock.js'
import { callBy, result } from '../support/nodes/directCalls.js'
import { integrityOf } from '../support/oracles/integrity.js'
import { filesOnDisk, sha256 } from '../support/http/multipart.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import type { Node } from '../../src/server/index.js'

type Json = Record<string, unknown>

const clock = fakeClock()
let node: TestNode
let users = 0
beforeAll(async () => {
  node = await startTestNode({ 'versioning.forceKeepHistory': true, 'versioning.deletionMode': 'keep-authors' }, { clock })
})
afterAll(() => node.stop())

// Few contents, so that events often share bytes.
const contents = fc.array(fc.constantFrom('', 'a', 'bc', 'def'), { maxLength: 3 })
const nth = fc.nat(5)
const step = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('create' as const), files: contents, stream: fc.nat(1) }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('add' as const), nth, files: contents }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('remove file' as const), nth, file: fc.nat(3) }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('delete' as const), nth }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('update' as const), nth }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('delete stream' as const), stream: fc.nat(1), merge: fc.boolean() }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('refused' as const), files: contents }), weight: 1 },
)

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  if (text !== '') yield Buffer.from(text)
}

async function withFiles(call: Call<Node>, method: TokenMethod<Node>, params: unknown, files: string[]): Promise<Json | string> {
  const received = []
  for (const text of files) received.push({ fileName: text, type: 'a/b', blob: await receive(node.node, bytesOf(text)) })
  return withUploads(call, received, (uploading) => result({ ...uploading, origin: { transport: 'http', source: 'http', base: '' } }, method, params))
}

it('files are those of the live events, byte for byte', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const username = `user-${String(++users).padStart(5, '0')}`
      await registerUser(node, username)
      const loaded = await node.node.accounts.find(username)
      if (loaded === undefined) throw new Error('no account')
      const { account } = loaded
      const call = callBy(node.node, account, null)
      for (const id of ['parent', 's0', 's1']) {
        await result(call, createStream, { id, name: id, ...(id === 'parent' ? {} : { parentId: 'parent' }) })
      }
      /** Contents of the files of each live event, in order. */
      const known = new Map<string, string[]>()
      const pick = (n: number): string => [...known.keys()][n % Math.max(1, known.size)] ?? 'cunknown00000000000000000'
      const eventOf = (id: string): Event | undefined => findEvent(account.db, account.prefix, id)
      for (const one of steps) {
        clock.pass(1)
        if (one.do === 'create') {
          const params = { streamIds: [`s${one.stream}`], type: 'a/b' }
          const made = await withFiles(call, create, params, one.files)
          if (typeof made !== 'string') known.set(String((made['event'] as Json)['id']), one.files)
        } else if (one.do === 'refused') {
          expect(await withFiles(call, create, { streamIds: ['none'], type: 'a/b' }, one.files)).toBe('unknown-referenced-resource')
        } else if (one.do === 'add') {
          const id = pick(one.nth)
          const made = await withFiles(call, addAttachment, { id }, one.files)
          if (typeof made !== 'string') known.set(id, [...(known.get(id) ?? []), ...one.files])
        } else if (one.do === 'remove file') {
          const id = pick(one.nth)
          const files = eventOf(id)?.attachments ?? []
          const at = one.file % Math.max(1, files.length)
          const made = await result(call, deleteAttachment, { id, fileId: files[at]?.id ?? 'x' })
          if (typeof made !== 'string') known.set(id, (known.get(id) ?? []).filter((_, i) => i !== at))
        } else if (one.do === 'update') {
          await result(call, update, { id: pick(one.nth), update: { time: clock.now(), description: 'd' } })
        } else if (one.do === 'delete') {
          const id = pick(one.nth)
          const made = await result(call, remove, { id })
          if (typeof made !== 'string' && 'eventDeletion' in made) known.delete(id)
        } else {
          const id = `s${one.stream}`
          for (const _ of [1, 2]) await result(call, deleteStream, { id, mergeEventsWithParent: one.merge })
          for (const event of known.keys()) if (eventOf(event) === undefined) known.delete(event)
        }
        const sum = [...known.values()].flat().reduce((total, text) => total + text.length, 0)
        const counter = eventOf(':_system:attachedFiles')
        expect(counter?.content).toBe(sum)
        expect(counter?.integrity).toBe(integrityOf({ ...counter }))
      }
      for (const [id, texts] of known) expect((eventOf(id)?.attachments ?? []).map(({ fileName }) => fileName)).toEqual(texts)
      await node.node.store.blobs.settled()
      const own = (await filesOnDisk(node)).filter((path) => path.includes(`/files/${account.prefix}/`))
      const digests = new Set([...known.values()].flat().map((text) => sha256(text, 'hex')))
      expect(own.map((path) => basename(path)).sort()).toEqual([...digests].sort())
    }),
    { numRuns: 40 },
  )
  expect((await filesOnDisk(node)).filter((path) => path.includes('.incoming'))).toEqual([])
  const { store } = node.node
  await store.settled()
  const { problems, checked } = await checkStore(store.db, {
    head: { sequence: store.commits, hash: Buffer.alloc(0) },
    seal: store.seal,
    files: node.places.files,
    comparison: changeComparison,
  })
  // Other tests check the hash of the head; everything else must be sound.
  expect(problems.filter(({ where }) => where !== `commit ${store.commits}`)).toEqual([])
  expect(checked['files']).toBeGreaterThan(0)
  expect(checked['files without reference']).toBeUndefined()
})
