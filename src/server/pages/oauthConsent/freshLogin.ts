/** Whether whoever is at a browser has signed in for what is asked there. */
import { askedAt } from '../../oauth/authorization.js'
import type { Visit } from '../page.js'

/**
 * Whether somebody is signed in. A client of OAuth is answered by who has signed in since it asked: not by whoever was there
 * already (consent supplement 4.6).
 */
export function isSignedIn({ node, session, flow }: Visit): boolean {
  if (session === undefined || flow.oauth === undefined) return session !== undefined
  const input = askedAt(node, flow.oauth)
  return input === undefined || session.signedInAt >= input
}
