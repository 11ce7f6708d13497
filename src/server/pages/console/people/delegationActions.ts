/** Actions on delegations: the methods that they call, and their failures in words. */
import { acceptAttach } from '../../../api/delegations/acceptAttach.js'
import { cancelInvite } from '../../../api/delegations/cancelInvite.js'
import { createAccount } from '../../../api/delegations/createAccount.js'
import { detachDelegate } from '../../../api/delegations/detachDelegate.js'
import { dismissControlled } from '../../../api/delegations/dismissControlled.js'
import { refuseAttach } from '../../../api/delegations/refuseAttach.js'
import { requestAttach } from '../../../api/delegations/requestAttach.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import type { ConsoleFormVisit, ConsoleVisit } from '../consolePage.js'
import { delegationWords } from './delegationWords.js'

/** Actions that end something, which a page asks to confirm. */
const ENDINGS = ['refuse', 'cancel', 'detach', 'dismiss'] as const
export type Ending = (typeof ENDINGS)[number]

export const endingIn = (value: string | null): Ending | undefined => ENDINGS.find((ending) => ending === value)

const endingMethods = { refuse: refuseAttach, cancel: cancelInvite, detach: detachDelegate, dismiss: dismissControlled }

/** Ends a delegation or an invitation. `keep` are the ids of the consents that stay after the end of a delegation. */
export async function endDelegation(visit: ConsoleVisit, ending: Ending, username: string, keep: readonly string[]): Promise<void> {
  const keepAccessIds = ending === 'detach' && keep.length > 0 ? { keepAccessIds: keep } : {}
  await callAsOwner(visit, visit.session, endingMethods[ending], { username, ...keepAccessIds })
}

/** Executes an action of the forms of the list. */
export async function runAction(submission: ConsoleFormVisit, action: 'accept' | 'invite' | 'create', username: string): Promise<void> {
  const { session, form } = submission
  if (action === 'accept') await callAsOwner(submission, session, acceptAttach, { username })
  else if (action === 'invite') await callAsOwner(submission, session, requestAttach, { delegateUsername: username })
  else {
    const email = (form.get('email') ?? '').trim()
    await callAsOwner(submission, session, createAccount, { username, ...(email === '' ? {} : { email }) })
  }
}

/** Returns the problem of a failed action, about the field `field`. */
export function delegationProblem(visit: ConsoleVisit, error: unknown, field: string): Problem {
  const words = delegationWords[visit.language]
  const about = (text: string) => (): Problem => problemWith(text, field)
  return problemOf(visit, error, {
    'delegation-unknown-username': about(words.unknown),
    'delegation-self-not-allowed': about(words.self),
    'delegation-already-exists': about(words.already),
    'delegation-delivery-failed': words.notDelivered,
    'delegation-genuine-login-required': words.ownerOnly,
    'delegation-invite-expired': words.expired,
    'delegation-not-found': words.gone,
    'delegation-not-active': words.gone,
    'delegation-mirror-not-stale': words.gone,
    'invalid-parameters-format': ({ message }) => problemWith(message, field),
  })
}
