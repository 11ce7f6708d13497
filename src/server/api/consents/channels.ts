/**
 * Channel streams in which the two accounts of a relationship exchange messages (docs/interface/consents.md#streams,
 * docs/interface/consents.md#identities).
 */
import type { Transaction } from '../../../store/engine/account.js'
import type { Permission } from '../../../store/model/access.js'
import { appCodeOf, channelStreamOf, CMC_INBOX, scopeOf, type CmcIdentity } from '../../../store/model/cmc.js'
import { peerSlug } from '../../../store/model/consentAccess.js'
import { hasForbiddenCharacter } from '../../../store/model/slug.js'
import { ensureScope, ensureStream, type Maker } from './streams.js'

const MAX_SCOPE_LENGTH = 256

/** Parses a scope named by a peer, without its channel; undefined when invalid. */
export function namedScope(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_SCOPE_LENGTH || hasForbiddenCharacter(value)) return undefined
  if (appCodeOf(value) === undefined) return undefined
  const scope = scopeOf([value])
  return scope?.slice(1).split(':').includes('') === false ? scope : undefined
}

/** Stages the missing streams of a scope, and its channels to a peer. */
export function ensureChannels(maker: Maker, t: Transaction, scope: string, peer: CmcIdentity): void {
  ensureScope(maker, t, scope)
  for (const [kind, name] of [['chats', 'Chats'], ['collectors', 'System messages']] as const) {
    const parentId = `${scope}:${kind}`
    const clientData = { cmc: { autoProvisioned: true } }
    ensureStream(maker, t, { id: parentId, parentId: scope, name, clientData })
    const id = channelStreamOf(scope, kind, peerSlug(peer))
    ensureStream(maker, t, { id, parentId, name: `${peer.username}@${peer.host}`, clientData })
  }
}

/** Returns the permissions that a peer needs to deliver messages; it can read only its own channels. */
export function channelPermissions(scope: string | undefined, peer: CmcIdentity): Permission[] {
  const inbox: Permission = { streamId: CMC_INBOX, level: 'create-only' }
  if (scope === undefined) return [inbox]
  const channel = (kind: 'chats' | 'collectors'): Permission => ({
    streamId: channelStreamOf(scope, kind, peerSlug(peer)),
    level: 'contribute',
  })
  return [inbox, channel('chats'), channel('collectors')]
}
