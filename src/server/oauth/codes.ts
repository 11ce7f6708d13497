/**
 * Authorization codes (consent supplement 4.6, 4.7, 4.9). A code comes with the access that it will hand over, made when
 * the person consented. Its record stays until the code was exchanged, or its access is gone: so that a crash, or a
 * client that never comes, leaves no access behind.
 */
import type { Node } from '../node.js'
import { endSession } from './sessions.js'
import { credentialId, newCredential, type Grant } from './grant.js'

const FAMILY = 'oauth-ac'
/** Seconds in which a code can be exchanged. */
export const CODE_TTL = 600

/** What a code is good for. */
export interface CodeGrant extends Grant {
  redirectUri: string
  codeChallenge: string
  /** Base id of the access made for it. */
  accessId: string
}

interface Stored extends CodeGrant {
  /** In seconds. */
  expiresAt: number
  /** Somebody has shown the code. */
  isTaken?: true
}

/** A new code for a grant. */
export async function issueCode(node: Node, grant: CodeGrant): Promise<string> {
  const code = newCredential()
  const stored: Stored = { ...grant, expiresAt: node.clock.now() + CODE_TTL }
  await node.registry.records.change(FAMILY, credentialId(code), () => ({ put: stored, result: undefined }))
  return code
}

/** Takes a code: of simultaneous takers one gets its grant. Undefined for one that is unknown, used, or expired. */
export function takeCode(node: Node, code: string): Promise<CodeGrant | undefined> {
  return node.registry.records.change<CodeGrant | undefined>(FAMILY, credentialId(code), (now) => {
    const stored = now as Stored | undefined
    if (stored === undefined || stored.isTaken === true || stored.coreId !== node.registry.core) return { result: undefined }
    if (stored.expiresAt <= node.clock.now()) return { result: undefined }
    return { put: { ...stored, isTaken: true }, result: stored }
  })
}

/** Ends a code whose access was handed over, or is gone. */
export const forgetCode = (node: Node, code: string): Promise<void> => forget(node, credentialId(code))

const forget = (node: Node, id: string): Promise<void> =>
  node.registry.records.change(FAMILY, id, (now) => (now === undefined ? { result: undefined } : { put: null, result: undefined }))

/** Ends what was never exchanged: codes that have expired, and those whose exchange a crash has ended. */
export async function sweepCodes(node: Node): Promise<void> {
  for (const { id, value } of await node.registry.records.list(FAMILY)) {
    const stored = value as Stored
    if (stored.coreId !== node.registry.core || stored.expiresAt > node.clock.now()) continue
    if (await endSession(node, stored, stored.accessId)) await forget(node, id)
  }
}

/** Ends the codes of an account that is about to be deleted; its accesses go with it. */
export async function forgetCodesOf(node: Node, account: string): Promise<void> {
  for (const { id, value } of await node.registry.records.list(FAMILY)) {
    if ((value as Stored).account === account) await forget(node, id)
  }
}
