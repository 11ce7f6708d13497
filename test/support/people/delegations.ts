/** Accounts that act for others, by the methods of the interface. */
import { request, type TestNode } from '../nodes/node.js'

/** Calls a method of an account; throws unless it succeeds. */
async function done(node: TestNode, username: string, token: string, verb: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await request(`${node.url}${username}${path}`, { method: verb, token, ...(body === undefined ? {} : { body }) })
  if (answer.status > 201) throw new Error(`${verb} ${path} is answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

export interface Person {
  username: string
  /** Personal. */
  token: string
}

/** Has the owner of an account ask a delegate to act for it. */
export const inviteDelegate = (node: TestNode, owner: Person, delegate: Person): Promise<unknown> =>
  done(node, owner.username, owner.token, 'POST', '/delegations/attach-request', { delegateUsername: delegate.username })

/** Has a delegate act for an account from now on. */
export async function attach(node: TestNode, owner: Person, delegate: Person): Promise<void> {
  await inviteDelegate(node, owner, delegate)
  await done(node, delegate.username, delegate.token, 'POST', `/delegations/controlled/${owner.username}/accept`, {})
}

/** The token of a delegate on an account. */
export const delegateToken = async (node: TestNode, delegate: Person, username: string): Promise<string> =>
  String((await done(node, delegate.username, delegate.token, 'POST', `/delegations/controlled/${username}/token`, {}))['token'])

/** Ends a delegation, as the owner. */
export const detach = (node: TestNode, owner: Person, delegate: Person): Promise<unknown> =>
  done(node, owner.username, owner.token, 'DELETE', `/delegations/delegates/${delegate.username}`)
