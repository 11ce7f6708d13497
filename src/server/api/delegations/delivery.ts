/**
 * Communication between the two sides of a delegation (docs/interface/delegations.md#between-nodes): the same calls in process
 * for accounts of this node, and over HTTP for others.
 */
import type { Identity } from '../../../store/model/delegation.js'
import type { Account } from '../../../store/engine/account.js'
import type { User } from '../../../store/accounts/users.js'
import type { PlatformMethod, TokenMethod } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { callAccountAt } from '../../platform/cores/accountCalls.js'
import { coreOf, type Core, type CoresDeps } from '../../platform/cores/cores.js'
import { isOwnSlug } from './identity.js'
import { callAccountHere, callCoreHere } from '../../dispatch/here.js'
import { endpointParts } from '../../base/endpointParts.js'
import { postTo, send, type Answer } from '../../httpClient/http.js'
import { createTargets } from '../../httpClient/targets.js'

export type { Answer }

/** Routes on the controlled side, named as in their addresses. */
type AccountRoute = 'accept-response' | 'refuse-response' | 'accept-complete' | 'token' | 'detach-notify' | 'release'

/** Routes of a core that other cores call. */
type CoreRoute = 'invite' | 'create-account'

/** Sends the messages between the two sides of a delegation. */
interface Delivery {
  /** Calls the other account of a relationship with the token of its endpoint. Never rejects. */
  toAccount(peer: Identity, endpoint: string, route: AccountRoute, body?: object): Promise<Answer>
  /** Calls a core of this platform. Never rejects. */
  toCore(core: Core, route: CoreRoute, body: object): Promise<Answer>
}

/** Delegation services of a node, besides the methods. */
interface Delegations extends Delivery {
  /** Loads the delegations of an account before its deletion; returns a function that notifies the peers afterwards. */
  prepareTeardown(account: Account, user: Pick<User, 'username'>): Promise<() => Promise<void>>
}

/** Methods that implement the routes. */
export interface Routes<D = never> {
  account: Record<AccountRoute, TokenMethod<D>>
  core: Record<CoreRoute, PlatformMethod<D>>
}

/** Checks whether the other side succeeded. */
export const isDone = (answer: Answer): answer is { status: number; body: Record<string, unknown> } =>
  answer.status >= 200 && answer.status < 300

export function createDelivery<D>(node: Context & CoresDeps & D, { account, core }: Routes<D>): Delivery {
  return {
    async toAccount(peer, endpoint, route, body = {}) {
      const parts = endpointParts(endpoint)
      if (parts === undefined) return { status: 0, cause: 'invalid endpoint' }
      const path = `delegations/controlled-side/${route}`
      if (!isOwnSlug(node, peer.hostSlug)) {
        const url = `${parts.base}${path}`
        return send({ verb: 'POST', url, authorization: parts.token, body, targets: createTargets(node.config) })
      }
      // Only the token of the endpoint is used. The platform knows the location of its accounts, so that the other side cannot
      // choose the host to connect to.
      const home = await coreOf(node.cores, peer.username)
      if (home === 'here') return callAccountHere(node, peer.username, parts.token, account[route], body)
      if (home === 'nowhere') return { status: 404, body: {} }
      if (home === undefined) return { status: 0, cause: 'unknown core' }
      return callAccountAt(node, home, peer.username, { verb: 'POST', path, authorization: parts.token, body })
    },
    async toCore(where, route, body) {
      if (where === 'here') return callCoreHere(node, core[route], body)
      const key = node.config.get('auth.adminAccessKey')
      if (key === null) return { status: 0, cause: 'no admin key' }
      return postTo(`${where.url}system/delegation/${route}`, key, body)
    },
  }
}

/** Needed by functions that send messages to the other account of a delegation. */
export interface DelegationDeps {
  readonly delegations: Delegations
}
