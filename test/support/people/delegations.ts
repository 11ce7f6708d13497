/** Delegations between accounts, by the methods of the interface. */
import { request, type TestNode } from '../nodes/node.js'

/** Calls a method of an account; throws unless it succeeds. */
async function done(node: TestNode, username: string, token: string, verb: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await request(`${node.url}${username}${path}`, { method: verb, token, ...(body === undefined ? {} : { body }) })
  if (answer.status > 201) throw new Error(`${verb} ${path} is answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

export interface Person {
  username: string
  /** Personal token. */
  token: string
}

/** Invites a delegate, as the owner of an account. */
export const inviteDelegate = (node: TestNode, owner: Person, delegate: Person): Promise<unknown> =>
  done(node, owner.username, owner.token, 'POST', '/delegations/attach-request', { delegateUsername: delegate.username })

/** Establishes a delegation of an account to a delegate. */
export async function attach(node: TestNode, owner: Person, delegate: Person): Promise<void> {
  await inviteDelegate(node, owner, delegate)
  await done(node, delegate.username, delegate.token, 'POST', `/delegations/controlled/${owner.username}/accept`, {})
}

/** Returns the token of a delegate on an account. */
export const delegateToken = async (node: TestNode, delegate: Person, username: string): Promise<string> =>
  String((await done(node, delegate.username, delegate.token, 'POST', `/delegations/controlled/${username}/token`, {}))['token'])

/** Ends a delegation, as the owner. */
export const detach = (node: TestNode, owner: Person, delegate: Person): Promise<unknown> =>
  done(node, owner.username, owner.token, 'DELETE', `/delegations/delegates/${delegate.username}`)
