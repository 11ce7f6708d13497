/** Two nodes in this process with copies of one account, paired with each other. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { initialise } from '../../../src/server/launch/init.js'
import type { Account } from '../../../src/store/engine/account.js'
import { makeIdentity } from '../../../src/sync/pairing/identity.js'
import { addPeer, type Scope } from '../../../src/store/replication/peers.js'
import { makeAccount, placesOf, request, startTestNode, type TestNode } from '../nodes/node.js'

export interface Side {
  home: string
  node: TestNode
  /** Token of the owner. */
  token: string
  account: Account
}

const PAIRING = 'E'.repeat(22)
const USER = 'anna1'
const MIRROR: Scope = { is: 'mirror' }

/** Returns a two-way share of streams, as the granting side stores it and as the other does. */
export const sharing = (...streams: string[]): [Scope, Scope] => [
  { is: 'share', streams, direction: 'both', grantor: 'us' },
  { is: 'share', streams, direction: 'both', grantor: 'them' },
]

/** Starts a node with the account, in a home of its own. */
export async function startSide(settings: Record<string, unknown> = {}): Promise<Side> {
  const home = await mkdtemp(join(tmpdir(), 'coffer-side-'))
  await initialise(placesOf(home))
  const node = await startTestNode(settings, { home })
  const token = await makeAccount(node, USER)
  const account = (await node.node.accounts.find(USER))?.account
  if (account === undefined) throw new Error('no account')
  return { home, node, token, account }
}

/** Stops nodes, and removes their homes. */
export async function stopSides(...sides: readonly Side[]): Promise<void> {
  for (const { home, node } of sides) {
    await node.stop()
    await rm(home, { recursive: true, force: true })
  }
}

/** Pairs two nodes, with the scope of each; the first dials, at the address of the second or another one that leads there. */
export async function pairSides(a: Side, b: Side, address = b.node.url, scopes: readonly [Scope, Scope] = [MIRROR, MIRROR]): Promise<void> {
  for (const [one, other, reached, scope] of [[a, b, { address }, scopes[0]], [b, a, {}, scopes[1]]] as const) {
    const { node } = await makeIdentity(other.node.node.store)
    const peer = await addPeer(one.account, { name: 'other', pairing: PAIRING, node, scope, paired: 1, ...reached })
    await one.node.node.sync.peers.added(one.account, peer.number)
  }
}

/** Calls a method by the owner; throws unless it succeeds. */
export async function callAt(on: Side, method: string, params: unknown): Promise<Record<string, Record<string, unknown>>> {
  const { body } = await request(`${on.node.url}${USER}/`, { token: on.token, body: [{ method, params }] })
  const [result] = body['results'] as Record<string, Record<string, unknown>>[]
  if (result === undefined || 'error' in result) throw new Error(JSON.stringify(result ?? body))
  return result
}

/** Resolves once both are in sync, with all files and without refusals. */
export async function sidesInSync(here: Side, there: Side, seconds = 20): Promise<void> {
  const [compared] = await here.node.node.sync.peers.compare({ account: here.account }, { seconds, deep: false })
  const refused = await Promise.all([here, there].map(async ({ node, account }) => (await node.node.sync.conflicts(account, 10)).refused))
  expect({ ...compared, refused }).toMatchObject({ state: 'in-sync', refused: [[], []] })
  for (let n = 0; n < 100; n++) {
    const [status] = await there.node.node.sync.peers.statuses(there.account)
    if (status?.filesPending === undefined || status.filesPending === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
