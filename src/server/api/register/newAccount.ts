/** Initial content of a new account: its user, its account fields, and a session for the registering app. */
import type { Account, Transaction } from '../../../store/engine/account.js'
import type { Secret } from '../../../store/model/secret.js'
import type { AccountField } from '../../../store/model/systemStreams.js'
import { putUser, type User } from '../../../store/accounts/users.js'
import { openSession } from '../auth/session.js'
import { writeField } from '../shared/accountFields.js'
import type { Context } from '../../call/context.js'
import type { Registration } from './input.js'

interface NewAccount {
  /** Id of the account. */
  id: string
  asked: Registration
  passwordHash: string
  /** Id of the invitation that it consumes. */
  invitation: string | undefined
  /** True when the address was verified by a mailed code. */
  isProved: boolean
}

/** Stages the content of a new account, whose names are already registered, with a session for the app. */
export function fillAccount(
  node: Context,
  t: Transaction,
  account: Account,
  about: NewAccount,
): { user: User; token: Secret<string> } {
  const user = fillUser(node, t, account, about)
  return { user, token: openSession(node, t, about.asked.appId) }
}

/** Stages the user of a new account, whose names are already registered, and the account fields. */
export function fillUser(
  node: Context,
  t: Transaction,
  account: Account,
  { id, asked: input, passwordHash, invitation, isProved }: NewAccount,
): User {
  const now = node.clock.now()
  const hidden: User['hidden'] = { appId: input.appId }
  // Stores the id of the invitation, since its token is stored nowhere.
  if (invitation !== undefined) hidden['invitationToken'] = invitation
  if (input.referer !== undefined) hidden['referer'] = input.referer
  const user: User = {
    id,
    username: input.username,
    passwordHash,
    created: now,
    passwordChanged: now,
    hidden,
    unique: {},
  }
  for (const field of node.systemStreams.fields) {
    const value = input.fields[field.id]
    if (field.isUnique && value !== undefined) user.unique[field.id] = String(value)
  }
  const { email } = input.fields
  if (isProved && typeof email === 'string') {
    const how = { status: 'verified', verifiedAt: now, verificationMethod: 'email-code' } as const
    user.emails = [{ value: email, primary: true, ...how }]
  }
  const visibleFields: [AccountField, string | number][] = []
  for (const field of node.systemStreams.fields) {
    if (field.isContainer) continue
    const fieldValue = field.id === 'language' ? input.language : input.fields[field.id]
    const value = fieldValue ?? field.default
    if (typeof value !== 'string' && typeof value !== 'number') continue
    if (field.isShown) visibleFields.push([field, value])
    else if (field.streamId.startsWith(':system:')) hidden[field.id] = value
  }
  putUser(t, user, 'create')
  for (const [field, value] of visibleFields) writeField(node, account, t, field, value, 'system')
  return user
}
