/** Telling the owner of an account by mail that its second factor was changed (accounts supplement 16). */
import { findEvent } from '../../store/events/events.js'
import type { OpenCall } from '../method.js'

const changes = ['enrolled', 'replaced', 'deactivated', 'recovered', 'deactivatedByAdmin'] as const
export type MfaChange = (typeof changes)[number]

/** Sends the notice; nobody waits for it, and a mail that cannot be sent fails nothing. */
export function notifyOwner({ node, account, user }: Pick<OpenCall, 'node' | 'account' | 'user'>, change: MfaChange): void {
  if (!node.mail.isOn('mfaChange')) return
  const { db } = node.store
  const to = findEvent(db, account.prefix, ':system:email')?.content
  if (typeof to !== 'string' || to === '') return
  const language = findEvent(db, account.prefix, ':_system:language')?.content
  // Templates tell the changes apart by flags, of which the one of the change says something.
  const flags = changes.map((each) => [`MFA_${each.replace(/[A-Z]/g, '_$&').toUpperCase()}`, each === change ? 'true' : ''])
  node.mail
    .send({
      kind: 'mfaChange',
      to,
      ...(typeof language === 'string' ? { language } : {}),
      substitutions: { USERNAME: user.username, MFA_CHANGE: change, ...Object.fromEntries(flags) },
    })
    .catch(() => node.log.warn('the notice of a changed second factor was not sent', { user: user.username }))
}
