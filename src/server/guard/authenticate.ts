/** Which access a call comes from (data supplement 1.7; accounts supplement 2). */
import { findAccessByToken, putSession, sessionExpiry } from '../../store/accesses.js'
import type { Access } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import { compileScope, type Scope } from '../../store/model/permission.js'
import type { Secret } from '../../store/model/secret.js'
import type { LoadedAccount, Node } from '../node.js'

/** The access of a call, ready for permission questions. */
export interface Caller {
  readonly access: Access
  readonly token: Secret<string>
  readonly scope: Scope
}

/** A caller as it is kept for calls to come. */
export interface Authenticated extends Caller {
  /** Until when the session of a personal access lives, in seconds. */
  sessionExpires?: number
}

const MOST_TOKENS = 1000
/** A session's end is moved only when it would move by this many seconds, or a hundredth of its life. */
const SESSION_STEP = 60

/**
 * The access of a token. Refuses an absent token (401), an unknown one and one whose session ended (403), and an
 * expired access (403 `forbidden`). Using a personal access extends its session.
 */
export function authenticate(node: Node, loaded: LoadedAccount, token: string | undefined): Authenticated {
  if (token === undefined) {
    throw new Failure('invalid-access-token', 'An access token is required for this call.', undefined, 'absent')
  }
  const found = loaded.tokens.get(token) ?? recall(node, loaded, token)
  const now = node.clock.now()
  const { expires } = found.access
  if (expires !== undefined && expires <= now) throw new Failure('forbidden', 'Access has expired.')
  if (found.sessionExpires !== undefined) extendSession(node, loaded, found, now)
  return found
}

function recall(node: Node, loaded: LoadedAccount, token: string): Authenticated {
  const { store } = node
  const live = findAccessByToken(store.db, store.seal, loaded.account.prefix, token)
  if (live === undefined) throw new Failure('invalid-access-token', undefined, undefined, 'refused')
  const found: Authenticated = { ...live, scope: compileScope(live.access, node.audit.isActive) }
  if (live.access.type === 'personal') {
    const expires = sessionExpiry(store.db, loaded.account.prefix, live.access.id)
    if (expires === undefined) throw sessionEnded()
    found.sessionExpires = expires
  }
  if (loaded.tokens.size >= MOST_TOKENS) loaded.tokens.clear()
  loaded.tokens.set(token, found)
  return found
}

function sessionEnded(): Failure {
  return new Failure('invalid-access-token', 'Access session has expired.', undefined, 'refused')
}

function extendSession(node: Node, loaded: LoadedAccount, found: Authenticated, now: number): void {
  if ((found.sessionExpires ?? 0) <= now) {
    // A login that took the session over has extended it in the store.
    const kept = sessionExpiry(node.store.db, loaded.account.prefix, found.access.id)
    if (kept === undefined || kept <= now) throw sessionEnded()
    found.sessionExpires = kept
  }
  const life = node.config.get('auth.sessionMaxAge') / 1000
  const expires = now + life
  if (expires - (found.sessionExpires ?? 0) < Math.min(SESSION_STEP, life / 100)) return
  found.sessionExpires = expires
  const { id } = found.access
  node.store.note(loaded.account, (t) => {
    // A logout or a deletion may have come in between: what ended is not brought back.
    if (sessionExpiry(t, t.account, id) !== undefined) putSession(t, id, expires)
  })
}
