/** Mail notices to the owner of an account about changes of the second factor (docs/interface/mfa.md#removal). */
import { findEvent } from '../../../store/events/events.js'
import type { OpenCall } from '../../call/method.js'
import type { MailDeps } from '../../mail/mailer.js'

const changes = ['enrolled', 'replaced', 'deactivated', 'recovered', 'deactivatedByAdmin'] as const
type MfaChange = (typeof changes)[number]

/** Sends the notice in the background; failures are only logged. */
export function notifyOwner({ node, account, user }: Pick<OpenCall<MailDeps>, 'node' | 'account' | 'user'>, change: MfaChange): void {
  if (!node.mail.isOn('mfaChange')) return
  const { db } = node.store
  const to = findEvent(db, account.prefix, ':system:email')?.content
  if (typeof to !== 'string' || to === '') return
  const language = findEvent(db, account.prefix, ':_system:language')?.content
  // Templates receive one flag per kind of change; only that of this change is set.
  const flags = changes.map((each) => [`MFA_${each.replace(/[A-Z]/g, '_$&').toUpperCase()}`, each === change ? 'true' : ''])
  node.mail
    .send({
      kind: 'mfaChange',
      to,
      ...(typeof language === 'string' ? { language } : {}),
      substitutions: { USERNAME: user.username, MFA_CHANGE: change, ...Object.fromEntries(flags) },
    })
    .catch(() => node.log.warn('failed to send the notice of a changed second factor', { user: user.username }))
}
