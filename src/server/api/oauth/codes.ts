/**
 * Authorization codes (docs/interface/oauth.md#authorization-code). Each code belongs to an access created at consent. Its record
 * stays until the code is exchanged or the access is deleted, so that crashes and abandoned flows leave no access behind.
 */
import type { Context } from '../../call/context.js'
import { endSession } from './sessions.js'
import { credentialId, newCredential, type Grant } from './grant.js'

const FAMILY = 'oauth-ac'
/** Lifetime of a code, in seconds. */
const CODE_TTL = 600

/** Grant of a code. */
export interface CodeGrant extends Grant {
  redirectUri: string
  codeChallenge: string
  /** Base id of the access created for it. */
  accessId: string
}

interface Stored extends CodeGrant {
  /** Expiry in seconds. */
  expiresAt: number
  /** True once the code was presented. */
  isTaken?: true
}

/** Issues a code for a grant. */
export async function issueCode(node: Context, grant: CodeGrant): Promise<string> {
  const code = newCredential()
  const stored: Stored = { ...grant, expiresAt: node.clock.now() + CODE_TTL }
  await node.registry.ownRecords.change(FAMILY, credentialId(code), () => ({ put: stored, result: undefined }))
  return code
}

/** Consumes a code; one of several simultaneous callers gets its grant. Undefined for an unknown, used or expired code. */
export function consumeCode(node: Context, code: string): Promise<CodeGrant | undefined> {
  return node.registry.ownRecords.change<CodeGrant | undefined>(FAMILY, credentialId(code), (now) => {
    const stored = now as Stored | undefined
    if (stored === undefined || stored.isTaken === true || stored.coreId !== node.registry.core) return { result: undefined }
    if (stored.expiresAt <= node.clock.now()) return { result: undefined }
    return { put: { ...stored, isTaken: true }, result: stored }
  })
}

/** Deletes a code after its exchange, or once its access is deleted. */
export const forgetCode = (node: Context, code: string): Promise<void> => forget(node, credentialId(code))

const forget = (node: Context, id: string): Promise<void> =>
  node.registry.ownRecords.change(FAMILY, id, (now) => (now === undefined ? { result: undefined } : { put: null, result: undefined }))

/** Ends codes that expired or whose exchange was interrupted by a crash. */
export async function sweepCodes(node: Context): Promise<void> {
  for (const { id, value } of await node.registry.ownRecords.list(FAMILY)) {
    const stored = value as Stored
    if (stored.coreId !== node.registry.core || stored.expiresAt > node.clock.now()) continue
    if (await endSession(node, stored, stored.accessId)) await forget(node, id)
  }
}

/** Deletes the codes of an account before its deletion; its accesses are deleted with it. */
export async function forgetCodesOf(node: Context, account: string): Promise<void> {
  for (const { id, value } of await node.registry.ownRecords.list(FAMILY)) {
    if ((value as Stored).account === account) await forget(node, id)
  }
}
