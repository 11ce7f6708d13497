/**
 * Hands off a token as a one-time shared secret of the account, when the app requested that instead of the token in every poll
 * (docs/interface/access-requests.md#hand-off).
 */
import type { Account } from '../../../store/engine/account.js'
import { findAccessByToken } from '../../../store/accesses/accesses.js'
import { accessIdOf } from '../../../store/model/access.js'
import type { Accepted, AccessRequest } from '../../../store/model/accessRequest.js'
import { markerOf } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { feature } from '../../../store/model/permission.js'
import { Secret } from '../../../store/model/secret.js'
import { findSharedSecret, removeSharedSecret } from '../../../store/accesses/sharedSecrets.js'
import type { Caller } from '../../call/caller.js'
import { stillValid } from '../../auth/authenticate.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Context } from '../../call/context.js'
import type { NewSecret } from '../sharedSecrets/input.js'
import { createSecret } from '../sharedSecrets/createSecret.js'
import { secretsOff } from '../sharedSecrets/rules.js'
import { callAccountAt } from '../../platform/cores/accountCalls.js'
import { coreOf, type CoresDeps } from '../../platform/cores/cores.js'
import { readAccessAt, TIMEOUT_MS } from './remoteAccess.js'

interface HandedOff {
  /** The answer with the key of a secret in place of the token. */
  outcome: Accepted
  /** Deletes the secret, when the answer was not accepted. */
  undo(): Promise<void>
}

/** Reason why a token cannot be handed off, for the log. */
interface NotHandedOff {
  why: string
}

const TOO_LATE = 'These credentials have been fetched already, or the time to fetch them is over.'

/** Hands off the token of an answer, or returns why it must be sent inline. */
export async function handOff(node: Context & CoresDeps, request: AccessRequest, outcome: Accepted): Promise<HandedOff | NotHandedOff> {
  const { username, grant, delegation } = outcome
  if (!('token' in grant)) return { why: 'there is no token' }
  if (secretsOff(node) !== undefined) return { why: 'shared secrets are switched off' }
  if (delegation !== undefined) return { why: 'the access is a delegated one' }
  const address = withoutCredentials(outcome.apiEndpoint.reveal())
  if (address === undefined) return { why: 'the API endpoint is not a URL' }
  const token = grant.token.reveal()
  const { config, clock } = node
  const secret = { username, token, apiEndpoint: outcome.apiEndpoint.reveal() }
  if (Buffer.byteLength(JSON.stringify(secret)) > config.get('sharedSecrets.maxSizeBytes')) return { why: 'the secret is too large' }
  const ttl = Math.min(config.get('access.handoffTtl'), request.expiresAt - clock.now(), config.get('sharedSecrets.maxTtl'))
  const input = { ttl, title: `access-handoff:${request.requestingAppId}`, onConsumed: { message: TOO_LATE }, secret }
  const home = await coreOf(node.cores, username)
  if (home === undefined) return { why: 'the core of the account is unknown' }
  const stored = typeof home === 'object' ? await storeAt(node, home, { username: username.toLowerCase(), token }, input) : await storeHere(node, username, token, input)
  if ('why' in stored) return stored
  const { key, undo } = stored
  return {
    outcome: {
      ...outcome,
      apiEndpoint: new Secret(address),
      grant: { handoff: new Secret({ type: 'shared-secret', key }) },
    },
    undo,
  }
}

/** A stored secret. */
interface Stored extends Pick<HandedOff, 'undo'> {
  key: string
}

const DELEGATED: NotHandedOff = { why: 'the access is a delegated one' }

async function storeHere(node: Context, username: string, token: string, input: NewSecret): Promise<Stored | NotHandedOff> {
  const loaded = await node.accounts.find(username.toLowerCase())
  if (loaded === undefined || loaded.user.relocated !== undefined) return { why: 'the account is not on this platform' }
  const caller = callerOfToken(node, loaded, token)
  if (caller === undefined) return { why: 'the token does not belong to the account' }
  if (markerOf(caller.access) !== undefined) return DELEGATED
  if (feature(caller.scope, 'secretSharing') === 'forbidden') return { why: 'the access may not share secrets' }
  const created = await storeSecret(node, loaded.account, caller, input).catch((error: unknown) => {
    node.log.error('a token could not be handed off', { error: String(error) })
    return undefined
  })
  if (created === undefined) return { why: 'the secret could not be stored' }
  const { id, key } = created
  return { key, undo: () => deleteSecret(node, loaded.account, id) }
}

/** Stores the secret at the core of the account, as the access. */
async function storeAt(node: Context, core: { url: string }, granted: { username: string; token: string }, input: NewSecret): Promise<Stored | NotHandedOff> {
  const access = await readAccessAt(node, core, granted)
  if (typeof access === 'string') return { why: `the access could not be read at its core: ${access}` }
  if (access.isDelegated) return DELEGATED
  const { username, token } = granted
  const answer = await callAccountAt(node, core, username, { verb: 'POST', path: 'shared-secrets', authorization: token, body: input, timeoutMs: TIMEOUT_MS })
  const { key } = Object('body' in answer ? answer.body['sharedSecret'] : undefined) as { key?: unknown }
  if (answer.status !== 201 || typeof key !== 'string') return { why: `the core of the account did not store the secret: ${'cause' in answer ? answer.cause : answer.status}` }
  // There is no call that deletes a secret. Its key was sent only to this core, and it expires.
  return { key, undo: () => Promise.resolve() }
}

function callerOfToken(node: Context, loaded: LoadedAccount, token: string): Caller | undefined {
  try {
    return stillValid(node, loaded, token)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Creates the secret on behalf of the access; returns undefined when the access was revoked meanwhile. */
async function storeSecret(
  node: Context,
  account: Account,
  { access, token }: Caller,
  input: NewSecret,
): Promise<{ id: string; key: string } | undefined> {
  const author = accessIdOf(access)
  const action = 'sharedSecrets.create'
  // Delegated accesses are never handed off, so there is no delegate.
  const unknown = { ip: undefined, query: undefined, callerId: undefined, delegate: undefined }
  const trail = node.audit.begin(account, { access: author, action, source: 'http', ...unknown, token: token.reveal() })
  const created = await account.write((t) => {
    if (findAccessByToken(t, node.store.seal, t.account, token.reveal()) === undefined) return undefined
    const { secret, key } = createSecret(node, t, { accessId: access.id, author }, input)
    trail?.stage(t)
    return key === undefined ? undefined : { id: secret.id, key }
  })
  if (created !== undefined) trail?.succeeded()
  return created
}

async function deleteSecret(node: Context, account: Account, id: string): Promise<void> {
  await account.write((t) => {
    const found = findSharedSecret(t, node.store.seal, t.account, id)
    if (found !== undefined) removeSharedSecret(t, found.secret)
  })
}

/** Returns an API endpoint without credentials; undefined for anything but an http(s) URL. */
function withoutCredentials(endpoint: string): string | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  url.username = ''
  url.password = ''
  url.searchParams.delete('auth')
  return url.href
}
