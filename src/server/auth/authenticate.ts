/**
 * Authenticates calls by their access token: reads it from the request (docs/interface/conventions.md#authentication), finds its
 * access, checks expiry and session (docs/interface/auth.md#sessions), and for accesses of OAuth clients revocation and DPoP proof
 * (docs/interface/oauth.md#dpop).
 */
import { findAccess, findAccessByToken, findAccessRecord, putSession, sessionExpiry, type LiveAccess } from '../../store/accesses/accesses.js'
import { accessIdOf, type Access } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import { compileScope } from '../../store/model/permission.js'
import type { Account } from '../../store/engine/account.js'
import type { Call, Origin, TokenMethod } from '../call/method.js'
import type { LoadedAccount } from '../call/accountCache.js'
import type { Context } from '../call/context.js'
import type { Authenticated, Caller, BoundAccess } from '../call/caller.js'
import { useProof } from './dpop/use.js'
import type { RecordReader } from '../../store/engine/recordReader.js'

const MAX_TOKENS = 1000
/** A session is only extended by at least this many seconds, or a hundredth of its lifetime. */
const SESSION_STEP = 60

/**
 * Returns the access of a token. Throws for a missing token (401), an unknown one and an ended session (403), and an expired
 * access (403 `forbidden`). Extends the session of a personal access.
 *
 * Throws for an access that is bound to a key, unless the caller passes `canProve` and verifies the proof.
 */
export function authenticate(
  node: Context,
  loaded: LoadedAccount,
  token: string | undefined,
  canProve = false,
): Authenticated {
  const found = stillValid(node, loaded, token, canProve)
  if (found.sessionExpires !== undefined) extendSession(node, loaded, found, node.clock.now())
  return found
}

/** Returns the access of a token like `authenticate`, but does not extend the session of a personal access. */
export function stillValid(
  node: Context,
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
  if (found.boundAccess !== undefined) assertNotDpopBound(node, found.boundAccess, canProve)
  if (found.sessionExpires === undefined || found.sessionExpires > now) return found
  // Another login may have extended the session in the store.
  const stored = sessionExpiry(node.store.db, loaded.account.prefix, found.access.id)
  if (stored === undefined || stored <= now) throw sessionEnded()
  found.sessionExpires = stored
  return found
}

function recall(node: Context, loaded: LoadedAccount, token: string): Authenticated {
  const found = readCaller(node, node.store.db, loaded.account.prefix, token)
  if (loaded.isEvicted === true) return found
  if (loaded.tokens.size >= MAX_TOKENS) loaded.tokens.clear()
  loaded.tokens.set(token, found)
  return found
}

/** Reads the access of a token from the store. */
function readCaller(node: Context, reader: RecordReader, account: string, token: string): Authenticated {
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

function compiled(node: Context, reader: RecordReader, account: string, live: LiveAccess): Authenticated {
  const found: Authenticated = { ...live, scope: compileScope(live.access, node.audit.isActive) }
  const { manager } = live.access
  const boundAccess = boundAccessOf(live.access, manager === undefined ? undefined : findAccessRecord(reader, account, manager))
  if (boundAccess !== undefined) found.boundAccess = boundAccess
  const expires = expiryOf(reader, account, live.access)
  if (expires !== undefined) found.expires = expires
  return found
}

/**
 * Returns the caller for an access without its token, for the operator. Does not check sessions.
 * @throws Failure `unknown-resource`; `forbidden` for an expired access
 */
export function callerOf(node: Context, { db, prefix }: Account, accessId: string): Caller {
  const live = findAccess(db, node.store.seal, prefix, accessId)
  if (live === undefined) throw new Failure('unknown-resource', `There is no access "${accessId}".`)
  const found = compiled(node, db, prefix, live)
  if (found.expires !== undefined && found.expires <= node.clock.now()) throw accessExpired()
  return found
}

/**
 * Returns the expiry of an access; -Infinity when its manager is gone. A managed access never outlives its app
 * (docs/interface/accesses.md#creation).
 */
function endOf(reader: RecordReader, account: string, access: Access): number {
  const own = access.expires ?? Infinity
  if (access.manager === undefined) return own
  const manager = findAccessRecord(reader, account, access.manager)
  return manager === undefined ? -Infinity : Math.min(own, manager.expires ?? Infinity)
}

function expiryOf(reader: RecordReader, account: string, access: Access): number | undefined {
  const end = endOf(reader, account, access)
  if (end === -Infinity) throw new Failure('forbidden', 'The app that manages this access is gone.')
  return end === Infinity ? undefined : end
}

/**
 * Checks whether an access, by its base id, is valid at `now`, in seconds: it exists, and neither it nor the app that manages it
 * has expired. Does not check sessions.
 */
export function isAccessValid(reader: RecordReader, account: string, accessId: string, now: number): boolean {
  const access = findAccessRecord(reader, account, accessId)
  return access !== undefined && endOf(reader, account, access) > now
}

/**
 * Throws when the access of a call was deleted, logged out or changed after the call was admitted, since the write would follow
 * the answer to the revocation. Costs one comparison unless rights of the account changed.
 */
export function assertNotRevoked(call: Call, reader: RecordReader): void {
  const { account, rights, node, caller } = call
  if (rights === undefined || (rights === account.rights && !account.isWithdrawing)) return
  const { access } = readCaller(node, reader, account.prefix, caller.token.reveal())
  if (access.serial === caller.access.serial) return
  throw new Failure('stale-resource', 'The access was changed during this call. Try again.')
}

/** Returns the call with its current access, for the next of several calls that were admitted together. */
export function readmitted<D>(call: Call<D>): Call<D> {
  const { account, rights, node, caller } = call
  if (rights === undefined) return call
  const now = node.clock.now()
  if (rights === account.rights) {
    const { expires, boundAccess }: Authenticated = caller
    if (expires !== undefined && expires <= now) throw accessExpired()
    if (boundAccess !== undefined) assertNotDpopBound(node, boundAccess, true)
    return call
  }
  const found = readCaller(node, node.store.db, account.prefix, caller.token.reveal())
  if (found.expires !== undefined && found.expires <= now) throw accessExpired()
  if (found.sessionExpires !== undefined && found.sessionExpires <= now) throw sessionEnded()
  if (found.boundAccess !== undefined) assertNotDpopBound(node, found.boundAccess, true)
  const author = accessIdOf(found.access) + call.author.slice(accessIdOf(caller.access).length)
  return { ...call, caller: found, author, rights: account.rights }
}

function accessExpired(): Failure {
  return new Failure('forbidden', 'Access has expired.')
}

function sessionEnded(): Failure {
  return new Failure('invalid-access-token', 'Access session has expired.', undefined, 'refused')
}

function extendSession(node: Context, loaded: LoadedAccount, found: Authenticated, now: number): void {
  const life = node.config.get('auth.sessionMaxAge') / 1000
  const expires = now + life
  if (expires - (found.sessionExpires ?? 0) < Math.min(SESSION_STEP, life / 100)) return
  found.sessionExpires = expires
  const { id } = found.access
  node.store.note(loaded.account, (t) => {
    // A logout or a deletion may have happened in between: an ended session must not be restored.
    if (sessionExpiry(t, t.account, id) !== undefined) putSession(t, id, expires)
  })
}

export interface Credentials {
  token: string
  /** The text after the token: recorded with it in tracking fields. */
  callerId?: string
  /** True when the token was sent with the `DPoP` scheme. */
  isDpop?: true
  /** True for a read token. */
  isRead?: true
}

/** Reads `Authorization`, otherwise the `auth` query parameter. Undefined when there is no token. */
export function credentialsOf(authorization: string | undefined, auth: string | undefined): Credentials | undefined {
  const header = authorization?.trim()
  if (header === undefined || header === '') return auth === undefined || auth === '' ? undefined : { token: auth }
  const space = header.indexOf(' ')
  if (space < 0) return /^(basic|bearer|dpop)$/i.test(header) ? undefined : { token: header }
  const scheme = header.slice(0, space).toLowerCase()
  const rest = header.slice(space + 1).trim()
  if (scheme === 'basic') return basic(rest)
  if (scheme === 'bearer') return splitCaller(rest)
  if (scheme === 'dpop') return byProof(splitCaller(rest))
  return splitCaller(header)
}

/** Returns the token in a query string; the first of several. */
export function authOf(query: string): string | undefined {
  return query.includes('auth=') ? (new URLSearchParams(query).get('auth') ?? undefined) : undefined
}

function splitCaller(text: string): Credentials | undefined {
  if (text === '') return undefined
  const space = text.indexOf(' ')
  if (space < 0) return { token: text }
  const callerId = text.slice(space + 1).trim()
  return callerId === '' ? { token: text.slice(0, space) } : { token: text.slice(0, space), callerId }
}

const byProof = (found: Credentials | undefined): Credentials | undefined =>
  found === undefined ? undefined : { ...found, isDpop: true }

function basic(encoded: string): Credentials | undefined {
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const token = colon < 0 ? text : text.slice(0, colon)
  if (token !== '') return { token }
  if (colon >= 0 && colon < text.length - 1) {
    // The token was sent as the password, which is not accepted.
    throw new Failure('invalid-access-token', undefined, undefined, 'refused')
  }
  return undefined
}

const SESSION_NAME = 'oauth:'

/** A call with a missing or invalid DPoP proof, without details. HTTP answers it with its own challenge. */
export class ProofRefused extends Failure {
  constructor() {
    super('invalid-access-token', 'The access token needs a valid DPoP proof.', undefined, 'refused')
  }
}

/**
 * Returns the restrictions of an access; undefined for accesses of no OAuth client, which are most. `manager` is the app that
 * created the access: accesses shared by a client are revoked with it.
 */
export function boundAccessOf(access: Access, manager: Access | undefined): BoundAccess | undefined {
  const jkt = boundTo(access)
  const session = manager ?? access
  const isSession = session.type === 'app' && session.name.startsWith(SESSION_NAME)
  if (jkt === undefined && !isSession) return undefined
  return {
    ...(isSession ? { client: { id: session.name.slice(SESSION_NAME.length), since: session.created } } : {}),
    ...(jkt === undefined ? {} : { jkt }),
  }
}

/** Returns the thumbprint of the key that an access is bound to. An invalid one becomes a thumbprint that no proof matches. */
function boundTo({ clientData }: Access): string | undefined {
  const dpop = clientData?.['dpop']
  if (dpop === undefined || dpop === null) return undefined
  const jkt = typeof dpop === 'object' && 'jkt' in dpop ? dpop.jkt : undefined
  return typeof jkt === 'string' ? jkt : ''
}

/**
 * Throws for an access whose client or key was revoked, and for a bound access without a proof.
 * @throws Failure `invalid-access-token`
 */
function assertNotDpopBound({ revocations }: Context, boundAccess: BoundAccess, canProve: boolean): void {
  if (revocations.isClientRevoked(boundAccess)) {
    throw new Failure('invalid-access-token', 'The application access has been revoked.', undefined, 'refused')
  }
  if (boundAccess.jkt !== undefined && (!canProve || revocations.isKeyRevoked(boundAccess.jkt))) throw new ProofRefused()
}

/**
 * Verifies the DPoP proof of a call over HTTP; undefined when none is required, at no cost. Methods for points of series accept
 * no proofs, so that they reject bound tokens.
 * @throws ProofRefused
 */
export function proved(
  node: Context,
  { boundAccess, token }: Authenticated,
  credentials: Credentials,
  { proof }: Origin,
  method: TokenMethod,
): Promise<void> | undefined {
  const jkt = boundAccess?.jkt
  const { isDpop, isRead } = credentials
  if (jkt === undefined) {
    if (isDpop === true) throw new ProofRefused()
    return undefined
  }
  if (isRead === true) return undefined
  if (isDpop !== true || proof === undefined || method.http.source === 'hf') throw new ProofRefused()
  return useProof(node, proof, { token: token.reveal(), jkt }).then((by) => {
    if (by === undefined) throw new ProofRefused()
  })
}
