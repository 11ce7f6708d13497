/**
 * Reads what a posted token grants in an account of another core of the platform, by calls with that token
 * (docs/interface/access-requests.md#cores).
 */
import { isJsonObject } from '../../../store/model/json.js'
import type { Permission } from '../../../store/model/access.js'
import { identityOf } from '../../../store/model/consent.js'
import { effectivePermissions } from '../../../store/model/permission.js'
import type { Stream, StreamView } from '../../../store/model/stream.js'
import { createTree, type Tree } from '../../../store/model/tree.js'
import type { Context } from '../../call/context.js'
import type { Answer } from '../../httpClient/http.js'
import { callAccountAt } from '../../platform/cores/accountCalls.js'

/** Timeout of a call, in milliseconds. */
export const TIMEOUT_MS = 3000
/** Maximum size of an answer: that of an account with very many streams. */
const MAX_BYTES = 4 * 1024 * 1024

/** Why there is no access: `invalid` when its core rejects the token, `unreachable` without a usable answer. */
export type AccessUnreadable = 'invalid' | 'unreachable'

interface Granted {
  username: string
  token: string
}

/** An access, as the core of its account describes it. */
interface RemoteAccess {
  type: string
  /** Its permissions, without those that its core adds to all accesses. */
  permissions: Permission[]
  isDelegated: boolean
}

/** Reads the access of a token. Never rejects. */
export async function readAccessAt(node: Context, core: { url: string }, granted: Granted): Promise<RemoteAccess | AccessUnreadable> {
  const body = bodyOf(await read(node, core, granted, 'access-info'))
  if (typeof body === 'string') return body
  const { id, type, permissions = [], delegation } = body
  if (typeof id !== 'string' || typeof type !== 'string' || !Array.isArray(permissions)) return 'unreachable'
  return { type, permissions: ownPermissions(id, permissions as Permission[]), isDelegated: delegation !== undefined }
}

/** Reads the streams that a token may see, with the levels of their parents. Never rejects. */
export async function readTreeAt(node: Context, core: { url: string }, granted: Granted): Promise<Tree | AccessUnreadable> {
  const body = bodyOf(await read(node, core, granted, 'streams?state=all'))
  if (typeof body === 'string') return body
  return Array.isArray(body['streams']) ? createTree(flattened(body['streams'] as StreamView[])) : 'unreachable'
}

const read = (node: Context, core: { url: string }, { username, token }: Granted, path: string): Promise<Answer> =>
  callAccountAt(node, core, username, { verb: 'GET', path, authorization: token, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })

function bodyOf(answer: Answer): Record<string, unknown> | AccessUnreadable {
  if (!('body' in answer) || answer.isCut === true) return 'unreachable'
  const { status, body } = answer
  if (status === 200) return body
  // A proxy answers 404 without an error of the interface.
  const hasId = isJsonObject(body['error']) && typeof body['error']['id'] === 'string'
  return status === 401 || status === 403 || (status === 404 && hasId) ? 'invalid' : 'unreachable'
}

/** Removes the permissions that every access has by itself. */
function ownPermissions(id: string, permissions: readonly Permission[]): Permission[] {
  const added = new Set((effectivePermissions({ id, type: 'app' }) ?? []).map(identityOf))
  return permissions.filter((permission) => !added.has(identityOf(permission)))
}

const flattened = (streams: readonly StreamView[]): Stream[] => streams.flatMap(({ children, ...stream }) => [stream, ...flattened(children)])
