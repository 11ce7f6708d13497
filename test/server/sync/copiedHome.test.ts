/** Copy of the home of a paired node: two processes with one identity, and renewal of an identity. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { addPeer } from '../../../src/store/replication/peers.js'
import type { PeerStatus } from '../../../src/sync/peers/status.js'
import { callAt, pairSides, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'
import { startTestNode } from '../../support/nodes/node.js'

const sides: Side[] = []
afterAll(() => stopSides(...sides))

async function startSideAt(home: string): Promise<Side> {
  const node = await startTestNode({}, { home })
  const account = (await node.node.accounts.find('anna1'))?.account
  if (account === undefined) throw new Error('no account')
  const side = { home, node, token: '', account }
  sides.push(side)
  return side
}

const statusOf = async ({ node, account }: Side): Promise<PeerStatus | undefined> => (await node.node.sync.peers.statuses(account))[0]

async function until(side: Side, matches: (status: PeerStatus | undefined) => boolean): Promise<PeerStatus | undefined> {
  for (;;) {
    const status = await statusOf(side)
    if (matches(status)) return status
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

it('a copied identity is named on the peer and on both copies, one copy is served, and the other can renew its identity', async () => {
  const [first, peer] = [await startSide(), await startSide()]
  sides.push(peer)
  await pairSides(first, peer)
  await callAt(first, 'streams.create', { id: 'body', name: 'Body' })
  await sidesInSync(first, peer)
  // A restart is not reported as a copy.
  await first.node.stop()
  const copyHome = await mkdtemp(join(tmpdir(), 'coffer-copy-'))
  await rm(copyHome, { recursive: true })
  await cp(first.home, copyHome, { recursive: true })
  const original = await startSideAt(first.home)
  await until(original, (status) => status?.state === 'in-sync')
  expect(await statusOf(peer)).not.toHaveProperty('copied')

  const copy = await startSideAt(copyHome)
  await until(peer, (status) => status?.copied === 'theirs')
  await Promise.all([original, copy].map((side) => until(side, (status) => status?.copied === 'ours')))
  const states = await Promise.all([original, copy].map(async (side) => (await statusOf(side))?.state))
  expect(states).toContain('refused')
  expect(peer.node.logged.join(' ')).toContain('two live processes have the identity of a peer')
  const contacts = await peer.node.node.sync.peers.history(peer.account, 1)

  // The refused copy retries later; the other one is still served.
  const served = states[0] === 'refused' ? copy : original
  const refused = served === copy ? original : copy
  await until(served, (status) => status?.state === 'in-sync')
  expect((await peer.node.node.sync.peers.history(peer.account, 1)).length).toBe(contacts.length)

  const before = await refused.node.node.sync.identity()
  const { forgotten, node } = await refused.node.node.sync.renewIdentity()
  expect(forgotten).toBe(1)
  expect(node).not.toBe(before?.node)
  expect(await statusOf(refused)).toBeUndefined()
  // After another pairing, both copies sync.
  const pairing = 'F'.repeat(22)
  for (const [one, other, reached] of [[peer, node, {}], [refused, (await peer.node.node.sync.identity())?.node ?? '', { address: peer.node.url }]] as const) {
    const added = await addPeer(one.account, { name: 'copy', pairing, node: other, scope: { is: 'mirror' }, paired: 1, ...reached })
    await one.node.node.sync.peers.added(one.account, added.number)
  }
  await callAt(peer, 'streams.create', { id: 'mind', name: 'Mind' })
  await sidesInSync(refused, peer)
  await sidesInSync(served, peer)
  for (const { account } of [refused, served]) expect(account.tree.has('mind')).toBe(true)
  expect(await statusOf(served)).toMatchObject({ state: 'in-sync' })
}, 120_000)
