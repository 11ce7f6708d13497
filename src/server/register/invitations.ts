/** Invitations: who may register where registration is not open (accounts supplement 9.4). */
import type { Node } from '../node.js'

/** Whether one may register with a token now. */
export function isInvited(node: Node, token: string | undefined): Promise<boolean> {
  const invitations = node.config.get('invitationTokens')
  return Promise.resolve(invitations === null || (token !== undefined && invitations.includes(token)))
}
