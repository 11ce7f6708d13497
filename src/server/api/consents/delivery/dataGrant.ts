/**
 * The data-grant access that a person who accepts an offer gives to the account that made it
 * (docs/interface/consents.md#acceptance).
 */
import { accessNamed, findAccess, listAllRelations, listRelations, putAccess, type LiveAccess } from '../../../../store/accesses/accesses.js'
import type { Transaction } from '../../../../store/engine/account.js'
import type { Access } from '../../../../store/model/access.js'
import { CMC, counterpartyOf, peerSlug, type CounterpartyMark } from '../../../../store/model/consentAccess.js'
import type { CmcIdentity } from '../../../../store/model/cmc.js'
import type { Event } from '../../../../store/model/event.js'
import { Failure } from '../../../../store/model/failure.js'
import { Secret } from '../../../../store/model/secret.js'
import { withAccessIntegrity } from '../../shared/integrity.js'
import { checkedPermissions } from '../../accesses/appAccess.js'
import { provideStreams, storedPermissions } from '../../accesses/permissions.js'
import type { AskedPermission } from '../../accesses/schema.js'
import { revoke } from '../../accesses/revoke.js'
import { withinQuota } from '../../../dispatch/accountWrite.js'
import { channelPermissions, ensureChannels } from '../channels.js'
import { ensureAppRoots } from '../streams.js'
import type { Call } from '../../../call/method.js'
import { measureFirst } from '../../../dispatch/quota.js'
import type { Job } from './jobTypes.js'

/** Input of a grant. */
interface Grant {
  type: 'shared' | 'app'
  name: string
  peer: CmcIdentity
  permissions: AskedPermission[]
  mark: CounterpartyMark
}

/** The access cannot be created; `reason` is the failure reason of triggers. */
export class GrantRefused extends Error {
  constructor(
    readonly reason: string,
    readonly detail?: Record<string, unknown>,
  ) {
    super(reason)
  }
}

/** Finds the grant that an earlier attempt at an event created. */
export async function grantOf({ node, account, event }: Pick<Job, 'node' | 'account' | 'event'>, peer: CmcIdentity): Promise<LiveAccess | undefined> {
  const relations = await listRelations(account, node.store.seal, peerSlug(peer))
  return relations.find(({ access }) => counterpartyOf(access)?.acceptEventId === event.id)
}

/**
 * Creates a grant, and the streams that it needs.
 * @throws GrantRefused
 */
export async function makeGrant(call: Call, event: Event, grant: Grant): Promise<LiveAccess> {
  try {
    await measureFirst(call)
    return await call.account.write(withinQuota(call, (t) => stageGrant(call, t, event, grant)))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new GrantRefused('cmc-handler-data-grant-create-failed', { id: error.id, message: error.message })
  }
}

function stageGrant(call: Call, t: Transaction, event: Event, { type, name, peer, permissions, mark }: Grant): LiveAccess {
  const { node, author } = call
  const scope = mark.scopeStreamId
  provideGranted(call, t, permissions)
  ensureAppRoots(call, t, storedPermissions(permissions))
  if (scope !== undefined) ensureChannels(call, t, scope, peer)
  const now = node.clock.now()
  const access: Access = {
    id: node.newId(),
    type,
    name: freeName(t, type, name, event),
    permissions: [...storedPermissions(permissions), ...channelPermissions(scope, peer)],
    clientData: { [CMC]: { ...mark } },
    ...{ created: now, createdBy: author, modified: now, modifiedBy: author },
  }
  const token = new Secret(node.newId())
  const whole = withAccessIntegrity(node, access, token)
  putAccess(t, node.store.seal, whole, token)
  return { access: whole, token }
}

/** Creates the streams that an offer names, under free names where needed; restores trashed ones. */
export function provideGranted(call: Call, t: Transaction, permissions: readonly AskedPermission[]): void {
  const { checked } = checkedPermissions(call, permissions.filter(isNamed))
  provideStreams(call, t, checked.map((input) => restoring(call, input)))
}

const isNamed = (input: AskedPermission): boolean => 'streamId' in input && input.defaultName !== undefined

/** Returns the permission with the default name that restores its stream from the trash. */
function restoring({ account }: Call, input: AskedPermission): AskedPermission {
  if (!('streamId' in input) || input.name === undefined) return input
  const { streamId, level, name } = input
  return account.tree.get(streamId ?? '')?.trashed === true ? { streamId, level, defaultName: name } : input
}

function freeName(t: Transaction, type: Grant['type'], name: string, { id }: Event): string {
  for (const free of [name, `${name} (${id.slice(-8)})`]) {
    if (accessNamed(t, t.account, { type, name: free }) === undefined) return free
  }
  throw new GrantRefused('cmc-handler-data-grant-name-conflict')
}

/** Finds the existing grant when the other account is unknown; undefined when there is none. */
export async function earlierGrant({ node, account, event }: Pick<Job, 'node' | 'account' | 'event'>): Promise<Access | undefined> {
  const relations = await listAllRelations(account, node.store.seal)
  return relations.find(({ access }) => counterpartyOf(access)?.acceptEventId === event.id)?.access
}

/** Revokes a grant that the other account rejected. */
export const withdrawGrant = ({ node, account }: Pick<Job, 'node' | 'account'>, accessId: string): Promise<void> =>
  account.write((t) => {
    const live = findAccess(t, node.store.seal, account.prefix, accessId)
    if (live !== undefined) revoke(node, t, live, node.clock.now())
  })
