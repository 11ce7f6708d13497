/** Accesses of a delegation, written directly to the store. */
import { putSession } from '../../../src/store/accesses/accesses.js'
import type { Access, AccessType } from '../../../src/store/model/access.js'
import { DELEGATE_NAME, MARKER, type Marker } from '../../../src/store/model/delegation.js'
import { grantAccess } from './access.js'
import type { TestNode } from '../nodes/node.js'

export const RELATION = 'crelation000000000000001'
export const DELEGATE = { username: 'ada-king', hostSlug: 'example-org' }

/** Kinds of accesses that the generic methods do not change. */
export type ManagedKind = Exclude<Marker['kind'], 'delegated-child'>

export const managedKinds: readonly ManagedKind[] = ['invite-capability', 'control', 'notify', 'delegate-pat']

const NAMES: Record<ManagedKind, string> = {
  'invite-capability': '__deleg-inv-',
  control: '__deleg-ctl-',
  notify: '__deleg-ntf-',
  'delegate-pat': `${DELEGATE_NAME}${DELEGATE.username}@${DELEGATE.hostSlug}`,
}

type Place = { node: TestNode; username: string }

/** Creates an access of a relationship, of which there may be several; `delegate-pat` has a session. */
export async function grantManaged({ node, username }: Place, kind: ManagedKind, relId = RELATION): Promise<{ token: string; id: string }> {
  const isPersonal = kind === 'delegate-pat'
  const marker = kind === 'control' || isPersonal ? { kind, relId, delegate: DELEGATE } : { kind, relId }
  const type: AccessType = isPersonal ? 'personal' : 'shared'
  const name = isPersonal ? NAMES[kind] : NAMES[kind] + relId.slice(0, 8)
  const more: Partial<Access> = { type, name, clientData: { [MARKER]: marker } }
  const made = await grantAccess(node, username, [], more)
  const loaded = await node.node.accounts.find(username)
  if (isPersonal) await loaded?.account.write((t) => putSession(t, made.id, node.node.clock.now() + 3600))
  return made
}

/** Returns the token of the delegate. */
export const actFor = async (place: Place): Promise<string> => (await grantManaged(place, 'delegate-pat')).token
