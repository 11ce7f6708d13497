/** The streams in which the two accounts of a relationship message each other (consent supplement 1.2, 1.3). */
import type { Transaction } from '../../store/engine/account.js'
import type { Permission } from '../../store/model/access.js'
import { appCodeOf, channelStreamOf, CMC_INBOX, scopeOf, type CmcIdentity } from '../../store/model/cmc.js'
import { peerSlug } from '../../store/model/consentAccess.js'
import { hasForbiddenCharacter } from '../../store/model/slug.js'
import { ensureScope, ensureStream, type Maker } from './streams.js'

const MAX_SCOPE_LENGTH = 256

/** The scope that another account names, without a channel behind it; undefined for what can be none. */
export function namedScope(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_SCOPE_LENGTH || hasForbiddenCharacter(value)) return undefined
  if (appCodeOf(value) === undefined) return undefined
  const scope = scopeOf([value])
  return scope?.slice(1).split(':').includes('') === false ? scope : undefined
}

/** Stages the streams of a scope, and in it the channels to another account, as far as they are missing. */
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

/** What the other account of a relationship needs to deliver messages: nothing to read but its own channels. */
export function channelPermissions(scope: string | undefined, peer: CmcIdentity): Permission[] {
  const inbox: Permission = { streamId: CMC_INBOX, level: 'create-only' }
  if (scope === undefined) return [inbox]
  const channel = (kind: 'chats' | 'collectors'): Permission => ({
    streamId: channelStreamOf(scope, kind, peerSlug(peer)),
    level: 'contribute',
  })
  return [inbox, channel('chats'), channel('collectors')]
}
