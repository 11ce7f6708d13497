/** Setups and checks of tests of delegations. */
import { listAccesses } from '../../../../src/store/accesses/accesses.js'
import { controlledAccounts, delegates } from '../../../../src/store/accesses/delegations.js'
import type { Access } from '../../../../src/store/model/access.js'
import { MARKER, type Controlled, type Delegate, type Marker } from '../../../../src/store/model/delegation.js'
import type { Account } from '../../../../src/store/engine/account.js'
import type { TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'

/** Accounts of a delegation: `a` is the delegate, `b` the controlled account. */
export interface Pair {
  a: Stage
  b: Stage
}

export const newPair = async (node: TestNode, other = node): Promise<Pair> => ({ a: await newStage(other), b: await newStage(node) })

/** Creates an account with an invite to a delegate. */
export async function invitedPair(node: TestNode, other = node): Promise<Pair> {
  const pair = await newPair(node, other)
  await pair.b.arrange('delegations.requestAttach', { delegateUsername: pair.a.username })
  return pair
}

/** Creates an account with an attached delegate. */
export async function activePair(node: TestNode, other = node): Promise<Pair> {
  const pair = await invitedPair(node, other)
  await pair.a.arrange('delegations.acceptAttach', { username: pair.b.username })
  return pair
}

/** Requests the token of the delegate. */
export async function tokenOf({ a, b }: Pair): Promise<string> {
  const { token } = await a.arrange('delegations.getToken', { username: b.username })
  return String(token)
}

export async function accountOf({ node, username }: Pick<Stage, 'node' | 'username'>): Promise<Account> {
  const loaded = await node.node.accounts.find(username)
  if (loaded === undefined) throw new Error(`no account ${username}`)
  return loaded.account
}

/** Stored delegations of an account: `anchors` on the controlled side, `mirrors` on the side of the delegate. */
export const anchorsOf = async (stage: Stage): Promise<Delegate[]> => delegates.list(await accountOf(stage), stage.node.node.store.seal)
export const mirrorsOf = async (stage: Stage): Promise<Controlled[]> => controlledAccounts.list(await accountOf(stage), stage.node.node.store.seal)

/** Returns the accesses of an account that belong to a delegation. */
export async function markedOf(stage: Stage): Promise<(Access & { kind: string })[]> {
  const all = await listAccesses(await accountOf(stage), stage.node.node.store.seal)
  return all.flatMap(({ access }) => {
    const marker = access.clientData?.[MARKER] as Marker | undefined
    return marker === undefined ? [] : [{ ...access, kind: marker.kind }]
  })
}

/** Returns the sorted kinds of accesses that an account has for delegations. */
export const kindsOf = async (stage: Stage): Promise<string[]> => (await markedOf(stage)).map(({ kind }) => kind).sort()

/** Calls a method over HTTP with a token; returns status, error id and error data. */
export async function outcomeOf(stage: Stage, token: string, method: string, params: unknown): Promise<[number, string | undefined, unknown?]> {
  const { status, body } = await callThrough('http', stage, token, method, params)
  const error = body['error'] as { id: string; data?: unknown } | undefined
  return error?.data === undefined ? [status, error?.id] : [status, error.id, error.data]
}

/** Returns the token of the access with a marker of the given kind. */
export async function tokenOfKind(stage: Stage, kind: Marker['kind']): Promise<string> {
  const all = await listAccesses(await accountOf(stage), stage.node.node.store.seal)
  const found = all.find(({ access }) => (access.clientData?.[MARKER] as Marker | undefined)?.kind === kind)
  if (found === undefined) throw new Error(`no access ${kind}`)
  return found.token.reveal()
}
