/** Identities of accounts of this node, as sent to peers (docs/interface/consents.md#identities). */
import type { CmcIdentity } from '../../../store/model/cmc.js'
import { Failure } from '../../../store/model/failure.js'
import { ownHost } from '../../config/apiEndpoint.js'
import type { Context } from '../../call/context.js'

/** Returns the identity of an account of this node. */
export const identityOf = (node: Pick<Context, 'config' | 'publicBase'>, username: string): CmcIdentity => ({
  username,
  host: ownHost(node),
})

/** Failure for a sender that is not the account it claims to be, or that cannot prove it. */
export const unknownCounterparty = (message: string): Failure =>
  new Failure('invalid-operation', message, { id: 'cmc-handler-counterparty-unknown' })
