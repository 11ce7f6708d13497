/**
 * Read tokens: allow a file to be read without a header, with the rights of one access
 * (docs/interface/attachments.md#read-tokens). A token is `<access id>-<signature>`; the signature is an HMAC of the file id and
 * the token of the access.
 */
import { createHmac } from 'node:crypto'
import { findAccess } from '../../store/accesses/accesses.js'
import type { Account } from '../../store/engine/account.js'
import { constantTimeEqual } from '../../store/model/constantTimeEqual.js'
import { recordWithReadTokens } from '../../store/model/eventRecord.js'
import { Failure } from '../../store/model/failure.js'
import type { Call } from '../call/method.js'
import type { Context } from '../call/context.js'
import { RawJson } from '../call/results.js'

function sign(node: Context, fileId: string, accessToken: string): string {
  const name = 'auth.filesReadTokenSecret'
  // Without a configured key, derives one from the node key.
  const key = node.config.get(name) ?? node.store.seal.digest(name)
  return createHmac('sha1', key).update(`${fileId}-${accessToken}`).digest('base64url')
}

/** Returns a function that adds read tokens for the caller's access to the attachments in a record. */
export function readTokenAdder(call: Call): (record: string) => string {
  const { node, caller } = call
  // The owner at the terminal reads files by path, and has no access for read tokens.
  if (call.origin.transport === 'control') return (record) => record
  const tokenOf = (fileId: string): string =>
    `${caller.access.id}-${sign(node, fileId, caller.token.reveal())}`
  return (record) => recordWithReadTokens(record, tokenOf)
}

/** Converts the record of an event to a member of a result. Records in UTF-8 have no attachments. */
export const eventResult = (call: Call, record: string | Uint8Array): RawJson =>
  new RawJson(typeof record === 'string' ? readTokenAdder(call)(record) : record)

/** Adds read tokens to the attachments of an earlier version of a deleted event. */
export function versionResult(call: Call, version: unknown): unknown {
  if (typeof version !== 'object' || version === null || !('attachments' in version)) return version
  if (!('streamIds' in version)) return version
  return new RawJson(readTokenAdder(call)(JSON.stringify(version)))
}

/**
 * Returns the access token that a read token represents.
 * @throws Failure `invalid-access-token` (401) for a token that is not valid for the file
 */
export function tokenOfReadToken(node: Context, account: Account, fileId: string, readToken: string): string {
  const dash = readToken.indexOf('-')
  const access = dash <= 0 ? undefined : findAccess(account.db, node.store.seal, account.prefix, readToken.slice(0, dash))
  // An unknown access takes as long as a wrong signature.
  const token = access?.token.reveal() ?? ''
  const isRight = constantTimeEqual(readToken.slice(dash + 1), sign(node, fileId, token))
  if (access === undefined || !isRight) {
    throw new Failure('invalid-access-token', 'The read token is not valid for this file.', undefined, 'absent')
  }
  return token
}
