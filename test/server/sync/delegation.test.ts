/** Node-local data: delegations, relationships and shared secrets are not replicated; accesses that they granted are. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findAccess, putNextVersion, removeAccess } from '../../../src/store/accesses/accesses.js'
import type { EntryAction } from '../../../src/store/engine/journal.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { grantManaged, managedKinds } from '../../support/people/delegatedAccess.js'
import { textsOnDisk } from '../../support/store/onDisk.js'
import { callAt, pairSides, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'
import { share } from '../../support/people/shares.js'

const USER = 'anna1'
let here: Side
let there: Side
beforeAll(async () => {
  here = await startSide()
  there = await startSide()
})
afterAll(() => stopSides(here, there))

/** Writes records of secrets and relationships; returns their texts, ids and keys. */
async function writeRecords({ account }: Side, action: EntryAction, mark: string): Promise<string[]> {
  const a = account.prefix
  const records: [key: string, kind: 'secret' | 'delegation'][] = [
    [accountKeys.sharedSecret(a, 'csecret00000000000000001'), 'secret'],
    [accountKeys.sharedSecretBy(a, 'caccess00000000000000001', 1, 'csecret00000000000000001'), 'secret'],
    [accountKeys.delegate(a, 'crelation000000000000009'), 'delegation'],
    [accountKeys.controlled(a, 'crelation000000000000008'), 'delegation'],
  ]
  const texts = records.map((_, at) => `${mark}-record-${at}`)
  await account.write((t) => {
    for (const [at, [key, kind]] of records.entries()) {
      t.put(key, JSON.stringify({ text: texts[at] }))
      t.journal(kind, action, `${mark}-item-${at}`)
    }
  })
  return [...texts, ...records.map((_, at) => `${mark}-item-${at}`), ...records.map(([key]) => key.slice(a.length))]
}

/** Creates the accesses of a relationship, deletes one and updates another; returns their ids. */
async function writeAccesses({ node, account }: Side, relId: string): Promise<string[]> {
  const made: { id: string }[] = []
  for (const kind of managedKinds) {
    // Accesses of delegates are named after them, so there is one only.
    if (kind !== 'delegate-pat' || relId.endsWith('1')) made.push(await grantManaged({ node, username: USER }, kind, relId))
  }
  const { seal } = node.node.store
  await account.write((t) => {
    const [deleted, updated] = made.map(({ id }) => findAccess(t, seal, account.prefix, id))
    if (deleted === undefined || updated === undefined) throw new Error('no accesses')
    removeAccess(t, seal, deleted, { ...deleted.access, deleted: 5 })
    putNextVersion(t, seal, { ...updated.access, serial: 1 }, updated)
  })
  return [...made.map(({ id }) => id), relId]
}

const accessesAt = async (side: Side): Promise<{ id: string; token: string; clientData?: unknown }[]> =>
  (await callAt(side, 'accesses.get', { includeExpired: true }))['accesses'] as unknown as { id: string; token: string; clientData?: unknown }[]

it('a node sends no node-local data in the first or later sessions, but sends accesses granted by delegates', async () => {
  const local: string[] = []
  await callAt(here, 'streams.create', { id: 'work', name: 'work' })
  local.push(...(await writeRecords(here, 'create', 'before')), ...(await writeAccesses(here, 'crelation000000000000001')))
  const delegate = (await accessesAt(here)).find(({ clientData }) => JSON.stringify(clientData ?? '').includes('delegate-pat'))
  const stage = { node: here.node, username: USER, owner: here.token }
  const permissions = [{ streamId: 'work', level: 'read' }]
  const early = await share(stage, { type: 'app', permissions }, delegate?.token)
  await pairSides(here, there)
  await sidesInSync(here, there)
  local.push(...(await writeRecords(here, 'update', 'after')), ...(await writeAccesses(here, 'crelation000000000000002')))
  const late = await share(stage, { permissions }, early.token)
  await callAt(here, 'events.create', { streamIds: ['work'], type: 'note/txt', content: 'mirrored-text' })
  await sidesInSync(here, there)
  const [compared] = await here.node.node.sync.peers.compare({ account: here.account }, { seconds: 20, deep: true })
  expect(compared).toMatchObject({ state: 'in-sync' })

  const replicated = await accessesAt(there)
  for (const { id, clientData } of [early, late]) expect(replicated.find((each) => each.id === id)).toMatchObject({ clientData })
  expect(JSON.stringify(clientDataOf(late))).toContain('delegated-child')
  await Promise.all([here, there].map(({ node }) => node.stop()))
  // Granted accesses contain the id of the relationship and of the delegate's access.
  const secret = local.filter((text) => text !== 'crelation000000000000001' && text !== delegate?.id)
  expect(await textsOnDisk(there.home, secret)).toEqual([])
  const own = await textsOnDisk(here.home, secret)
  expect(secret.filter((text) => !own.some((line) => line.endsWith(`: ${text}`)))).toEqual([])
  expect(await textsOnDisk(there.home, ['mirrored-text'])).not.toEqual([])
})

const clientDataOf = (access: Record<string, unknown>): unknown => access['clientData']
