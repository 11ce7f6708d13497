/**
 * How one side of a delegation reaches the other (consent supplement 6.4): the same calls, made in this process for
 * accounts of this node, and over HTTP for those of others.
 */
import type { Identity } from '../../store/model/delegation.js'
import type { Account } from '../../store/engine/account.js'
import type { User } from '../../store/accounts/users.js'
import type { PlatformMethod, TokenMethod } from '../method.js'
import type { Node } from '../node.js'
import { homeOf, type Core } from './cores.js'
import { ownSlug } from './identity.js'
import { callAccountHere, callCoreHere } from '../httpClient/here.js'
import { endpointParts } from '../base/endpointParts.js'
import { postTo, send, type Answer } from '../httpClient/http.js'
import { createTargets } from '../httpClient/targets.js'

export type { Answer }

/** Routes of the controlled-side, named as in their addresses. */
export type AccountRoute = 'accept-response' | 'refuse-response' | 'accept-complete' | 'token' | 'detach-notify' | 'release'

/** Routes of a core for other cores. */
export type CoreRoute = 'invite' | 'create-account'

/** What the two sides of relationships have to say to each other. */
export interface Delivery {
  /** Calls the other account of a relationship by the token of the endpoint that it gave. Never rejects. */
  toAccount(peer: Identity, endpoint: string, route: AccountRoute, body?: object): Promise<Answer>
  /** Calls a core of this platform. Never rejects. */
  toCore(core: Core, route: CoreRoute, body: object): Promise<Answer>
}

/** What a node does for the delegations of its accounts, beside their methods. */
export interface Delegations extends Delivery {
  /** Reads what an account that is being deleted has to tell the others; answers how to tell it when it is gone. */
  prepareTeardown(account: Account, user: Pick<User, 'username'>): Promise<() => Promise<void>>
}

/** The methods behind the routes. */
export interface Routes {
  account: Record<AccountRoute, TokenMethod>
  core: Record<CoreRoute, PlatformMethod>
}

/** Whether the other side did what it was asked for. */
export const isDone = (answer: Answer): answer is { status: number; body: Record<string, unknown> } =>
  answer.status >= 200 && answer.status < 300

export function createDelivery(node: Node, { account, core }: Routes): Delivery {
  return {
    async toAccount(peer, endpoint, route, body = {}) {
      const parts = endpointParts(endpoint)
      if (parts === undefined) return { status: 0, cause: 'invalid endpoint' }
      const path = `delegations/controlled-side/${route}`
      if (peer.hostSlug !== ownSlug(node)) {
        const url = `${parts.base}${path}`
        return send({ verb: 'POST', url, authorization: parts.token, body, targets: createTargets(node.config) })
      }
      // Only the token of the endpoint is used: the platform knows where its accounts are, so the other side does not choose
      // where this node connects to.
      const home = await homeOf(node.cores, peer.username)
      if (home === 'here') return callAccountHere(node, peer.username, parts.token, account[route], body)
      if (home === 'nowhere') return { status: 404, body: {} }
      if (home === undefined) return { status: 0, cause: 'unknown core' }
      return postTo(`${home.url}${peer.username}/${path}`, parts.token, body)
    },
    async toCore(where, route, body) {
      if (where === 'here') return callCoreHere(node, core[route], body)
      const key = node.config.get('auth.adminAccessKey')
      if (key === null) return { status: 0, cause: 'no admin key' }
      return postTo(`${where.url}system/delegation/${route}`, key, body)
    },
  }
}
