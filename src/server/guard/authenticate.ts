/** Which access a call comes from (data supplement 1.7; accounts supplement 2). */
import { findAccess, findAccessByToken, findAccessRecord, putSession, sessionExpiry, type LiveAccess } from '../../store/accesses/accesses.js'
import { accessIdOf, type Access } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import { compileScope, type Scope } from '../../store/model/permission.js'
import type { Secret } from '../../store/model/secret.js'
import type { Account } from '../../store/engine/account.js'
import type { Call } from '../method.js'
import type { LoadedAccount, Node } from '../node.js'
import type { Held } from '../proofs/revocations.js'
import { heldOf, assertNotDpopBound } from './dpop.js'

/** The access of a call, ready for permission questions. */
export interface Caller {
  readonly access: Access
  readonly token: Secret<string>
  readonly scope: Scope
}

/** A caller as it is kept for calls to come. */
export interface Authenticated extends Caller {
  /** When the access ends, or the app that manages it, whichever is first; in seconds. */
  expires?: number
  /** Until when the session of a personal access lives, in seconds. */
  sessionExpires?: number
  /** What an access of an OAuth client is held to. */
  held?: Held
}

const MAX_TOKENS = 1000
/** A session's end is moved only when it would move by this many seconds, or a hundredth of its life. */
const SESSION_STEP = 60

/**
 * The access of a token. Refuses an absent token (401), an unknown one and one whose session ended (403), and an
 * expired access (403 `forbidden`). Using a personal access extends its session.
 *
 * An access that is bound to a key is refused, unless the caller says that it `canProve` holding it, and sees to that.
 */
export function authenticate(
  node: Node,
  loaded: LoadedAccount,
  token: string | undefined,
  canProve = false,
): Authenticated {
  const found = stillValid(node, loaded, token, canProve)
  if (found.sessionExpires !== undefined) extendSession(node, loaded, found, node.clock.now())
  return found
}

/** The access of a token, as `authenticate` answers it: but looking at a personal access does not extend its session. */
export function stillValid(
  node: Node,
  loaded: LoadedAccount,
  token: string | undefined,
  canProve = false,
): Authenticated {
  if (token === undefined) {
    throw new Failure('invalid-access-token', 'An access token is required for this call.', undefined, 'absent')
  }
  const found = loaded.tokens.get(token) ?? recall(node, loaded, token)
  const now = node.clock.now()
  if (found.expires !== undefined && found.expires <= now) throw accessExpired()
  if (found.held !== undefined) assertNotDpopBound(node, found.held, canProve)
  if (found.sessionExpires === undefined || found.sessionExpires > now) return found
  // A login that took the session over has extended it in the store.
  const stored = sessionExpiry(node.store.db, loaded.account.prefix, found.access.id)
  if (stored === undefined || stored <= now) throw sessionEnded()
  found.sessionExpires = stored
  return found
}

function recall(node: Node, loaded: LoadedAccount, token: string): Authenticated {
  const found = readCaller(node, node.store.db, loaded.account.prefix, token)
  if (loaded.isLeft === true) return found
  if (loaded.tokens.size >= MAX_TOKENS) loaded.tokens.clear()
  loaded.tokens.set(token, found)
  return found
}

type Reader = { get(key: string): string | undefined }

/** The access of a token as the store has it. */
function readCaller(node: Node, reader: Reader, account: string, token: string): Authenticated {
  const { seal } = node.store
  const live = findAccessByToken(reader, seal, account, token)
  if (live === undefined) throw new Failure('invalid-access-token', undefined, undefined, 'refused')
  const found = compiled(node, reader, account, live)
  const { access } = live
  if (access.type === 'personal') {
    const sessionExpires = sessionExpiry(reader, account, access.id)
    if (sessionExpires === undefined) throw sessionEnded()
    found.sessionExpires = sessionExpires
  }
  return found
}

function compiled(node: Node, reader: Reader, account: string, live: LiveAccess): Authenticated {
  const found: Authenticated = { ...live, scope: compileScope(live.access, node.audit.isActive) }
  const { manager } = live.access
  const held = heldOf(live.access, manager === undefined ? undefined : findAccessRecord(reader, account, manager))
  if (held !== undefined) found.held = held
  const expires = expiryOf(reader, account, live.access)
  if (expires !== undefined) found.expires = expires
  return found
}

/**
 * The caller of an access that needs no token, since the operator reads them all. Sessions are not asked for.
 * @throws Failure `unknown-resource`; `forbidden` for an expired access.
 */
export function callerOf(node: Node, { db, prefix }: Account, accessId: string): Caller {
  const live = findAccess(db, node.store.seal, prefix, accessId)
  if (live === undefined) throw new Failure('unknown-resource', `There is no access "${accessId}".`)
  const found = compiled(node, db, prefix, live)
  if (found.expires !== undefined && found.expires <= node.clock.now()) throw accessExpired()
  return found
}

/** When an access ends, -Infinity being already. What an app manages never outlives it, and goes with it (data supplement 19). */
function endOf(reader: Reader, account: string, access: Access): number {
  const own = access.expires ?? Infinity
  if (access.manager === undefined) return own
  const manager = findAccessRecord(reader, account, access.manager)
  return manager === undefined ? -Infinity : Math.min(own, manager.expires ?? Infinity)
}

function expiryOf(reader: Reader, account: string, access: Access): number | undefined {
  const end = endOf(reader, account, access)
  if (end === -Infinity) throw new Failure('forbidden', 'The app that manages this access is gone.')
  return end === Infinity ? undefined : end
}

/**
 * Whether an access, known by its base id, gives rights at `now`, in seconds: it is there, it has not expired, nor has
 * the app that manages it. Sessions are not asked for.
 */
export function isAlive(reader: Reader, account: string, accessId: string, now: number): boolean {
  const access = findAccessRecord(reader, account, accessId)
  return access !== undefined && endOf(reader, account, access) > now
}

/**
 * Refuses a call whose access was deleted, logged out or changed since the call was admitted: what it is about to write
 * would be later than the answer to the withdrawal. Costs a comparison unless rights of the account were changed.
 */
export function assertNotRevoked(call: Call, reader: Reader): void {
  const { account, rights, node, caller } = call
  if (rights === undefined || (rights === account.rights && !account.isWithdrawing)) return
  const { access } = readCaller(node, reader, account.prefix, caller.token.reveal())
  if (access.serial === caller.access.serial) return
  throw new Failure('stale-resource', 'The access was changed while this call was under way; call again.')
}

/** The call with its access as it is now, for the next of several calls that were admitted together. */
export function readmitted(call: Call): Call {
  const { account, rights, node, caller } = call
  if (rights === undefined) return call
  const now = node.clock.now()
  if (rights === account.rights) {
    const { expires, held }: Authenticated = caller
    if (expires !== undefined && expires <= now) throw accessExpired()
    if (held !== undefined) assertNotDpopBound(node, held, true)
    return call
  }
  const found = readCaller(node, node.store.db, account.prefix, caller.token.reveal())
  if (found.expires !== undefined && found.expires <= now) throw accessExpired()
  if (found.sessionExpires !== undefined && found.sessionExpires <= now) throw sessionEnded()
  if (found.held !== undefined) assertNotDpopBound(node, found.held, true)
  const author = accessIdOf(found.access) + call.author.slice(accessIdOf(caller.access).length)
  return { ...call, caller: found, author, rights: account.rights }
}

function accessExpired(): Failure {
  return new Failure('forbidden', 'Access has expired.')
}

function sessionEnded(): Failure {
  return new Failure('invalid-access-token', 'Access session has expired.', undefined, 'refused')
}

function extendSession(node: Node, loaded: LoadedAccount, found: Authenticated, now: number): void {
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
