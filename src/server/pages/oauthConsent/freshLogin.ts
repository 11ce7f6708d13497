/** Checks that a person signed in after an OAuth authorization request started. */
import { requestedAt } from '../../api/oauth/authorization.js'
import type { Visit } from '../page.js'

/**
 * Checks whether the person is signed in; for an OAuth request, since after its start (docs/interface/oauth.md#consent).
 */
export function isSignedIn({ node, session, flow }: Visit): boolean {
  if (session === undefined || flow.oauth === undefined) return session !== undefined
  const startedAt = requestedAt(node, flow.oauth)
  return startedAt === undefined || session.signedInAt >= startedAt
}
