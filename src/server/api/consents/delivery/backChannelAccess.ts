/** The back-channel access, by which an account that accepted an offer writes back (docs/interface/consents.md#back-channel). */
import { hash } from 'node:crypto'
import { accessNamed, findAccess, putAccess, type LiveAccess } from '../../../../store/accesses/accesses.js'
import type { Transaction } from '../../../../store/engine/account.js'
import type { Access } from '../../../../store/model/access.js'
import { CMC, counterpartyOf, peerSlug, type CounterpartyMark } from '../../../../store/model/consentAccess.js'
import { Secret } from '../../../../store/model/secret.js'
import { withAccessIntegrity } from '../../shared/integrity.js'
import { channelPermissions } from '../channels.js'
import { endpointParts } from '../../../base/endpointParts.js'
import type { Context } from '../../../call/context.js'

export interface BackChannel {
  scope: string
  accessId: string
  token: Secret<string>
}

/** The access cannot be created; the message gives the reason. */
export class ChannelRefused extends Error {}

/**
 * Stages the access of a relationship: a new one, or `former` updated when the two accounts already have one in the scope.
 * @throws ChannelRefused
 */
export function putBackChannel(
  node: Context,
  t: Transaction,
  mark: CounterpartyMark,
  former: LiveAccess | undefined,
): Pick<BackChannel, 'accessId' | 'token'> {
  const { seal } = node.store
  const now = node.clock.now()
  const present = former === undefined ? undefined : findAccess(t, seal, t.account, former.access.id)
  const scope = mark.scopeStreamId ?? ''
  const permissions = channelPermissions(scope, mark.counterparty)
  if (present !== undefined) {
    assertSameHost(present, mark)
    const { access, token } = present
    const clientData = { ...access.clientData, [CMC]: { ...mark } }
    const after: Access = { ...access, permissions, clientData, modified: now, modifiedBy: 'system' }
    putAccess(t, seal, withAccessIntegrity(node, after, token), token, present)
    return { accessId: access.id, token }
  }
  const access: Access = {
    ...{ id: node.newId(), type: 'shared', name: nameFor(t, mark, scope), permissions, clientData: { [CMC]: { ...mark } } },
    ...{ created: now, createdBy: 'system', modified: now, modifiedBy: 'system' },
  }
  const token = new Secret(node.newId())
  putAccess(t, seal, withAccessIntegrity(node, access, token), token)
  return { accessId: access.id, token }
}

/**
 * Responses carry no proof of identity. The host of a known account must not change, so that nobody takes over a relationship by
 * its name.
 */
function assertSameHost({ access }: LiveAccess, { counterparty }: CounterpartyMark): void {
  const baseOf = (endpoint: string | undefined): string | undefined => endpointParts(endpoint ?? '')?.base
  const known = baseOf(counterpartyOf(access)?.counterparty.apiEndpoint)
  if (known !== undefined && known !== baseOf(counterparty.apiEndpoint)) throw new ChannelRefused('the account is registered at another address')
}

function nameFor(t: Transaction, { appCode = 'app', counterparty }: CounterpartyMark, scope: string): string {
  const name = `cmc-back-channel-${appCode}--${peerSlug(counterparty)}`
  for (const free of [name, `${name}--${hash('sha1', scope).slice(0, 12)}`]) {
    if (accessNamed(t, t.account, { type: 'shared', name: free }) === undefined) return free
  }
  throw new ChannelRefused('the name is already in use')
}
