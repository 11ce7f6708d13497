import { z } from 'zod'
import type { Account, Transaction } from '../../store/account.js'
import { Failure } from '../../store/model/failure.js'
import { Secret } from '../../store/model/secret.js'
import { putUser, type User } from '../../store/users.js'
import type { Name } from '../../sync/registry/port.js'
import { apiEndpoint } from '../apiEndpoint.js'
import { openSession } from '../auth/session.js'
import { writeField } from '../events/accountFields.js'
import { hashPassword, refuseWeakPassword } from '../guard/password.js'
import { platformMethod } from '../method.js'
import type { Node } from '../node.js'
import { readRegistration, type Registration } from './input.js'
import { isInvited } from './invitations.js'
import { isReservedUsername } from './reserved.js'
import { claiming, refuseTaken } from './names.js'

/** Specification, "Registration and lookups"; accounts supplement 9. */
export const createUser = platformMethod({
  id: 'auth.register',
  summary: 'Makes an account and opens a session for the app.',
  http: { verb: 'POST', path: '/users', aliases: ['/reg/users', '/reg/user'] },
  input: z.unknown(),
  output: z.object({ username: z.string(), apiEndpoint: z.string(), token: z.string() }),
  alone: true,
  fails: ['invalid-parameters-format', 'invalid-operation', 'item-already-exists'],
  async run({ node }, body) {
    const asked = readRegistration(body, node.systemStreams)
    const { token } = await register(node, asked)
    return {
      username: asked.username,
      apiEndpoint: apiEndpoint(node, asked.username, token.reveal()),
      token: token.reveal(),
    }
  },
})

/**
 * Makes an account, and sends the welcome mail once that is on disk. Of many simultaneous claims of one name exactly one
 * succeeds. The operator needs no invitation.
 */
export async function register(
  node: Node,
  asked: Registration,
  by: 'anybody' | 'operator' = 'anybody',
): Promise<{ user: User; token: Secret<string>; welcomed: Promise<void> }> {
  refuseWeakPassword(node.config, asked.password)
  if (by === 'anybody' && !(await isInvited(node, asked.invitationToken))) {
    throw new Failure('invalid-operation', 'The invitation token is invalid: registration is by invitation.')
  }
  if (isReservedUsername(asked.username)) {
    throw new Failure('item-already-exists', 'This username is reserved.', { username: asked.username })
  }
  const names = uniqueNames(node, asked)
  // Hashing is for those whose names are free; the claim itself tells again.
  await refuseTaken(node, names)
  const passwordHash = await hashPassword(asked.password)
  const made = await claiming(node, { take: names }, (enter) =>
    node.store.createAccount((t, account) => {
      enter(t)
      return fill(node, t, account, asked, passwordHash)
    }),
  )
  return { ...made, welcomed: welcome(node, made.user, asked) }
}

/** Sends the welcome mail. Whatever goes wrong is logged: the account is there. */
async function welcome(node: Node, user: User, { username, language, fields: { email } }: Registration): Promise<void> {
  if (typeof email !== 'string') return
  try {
    await node.mail.send({ kind: 'welcome', to: email, language, substitutions: { USERNAME: username, EMAIL: email } })
  } catch (error) {
    node.log.warn('a welcome mail was not sent', { user: user.id, error: String(error) })
  }
}

/** The user name and the values of unique fields of a registration. */
export function uniqueNames(node: Node, { username, fields }: Registration): Name[] {
  const unique = Object.entries(fields).filter(([field]) => node.systemStreams.byName(field)?.isUnique === true)
  return [{ field: 'username', value: username }, ...unique.map(([field, value]) => ({ field, value: String(value) }))]
}

function fill(
  node: Node,
  t: Transaction,
  account: Account,
  asked: Registration,
  passwordHash: string,
): { user: User; token: Secret<string> } {
  const now = node.clock.now()
  const hidden: User['hidden'] = { appId: asked.appId }
  if (asked.invitationToken !== undefined) hidden['invitationToken'] = asked.invitationToken
  if (asked.referer !== undefined) hidden['referer'] = asked.referer
  const user: User = {
    id: node.newId(),
    username: asked.username,
    passwordHash,
    created: now,
    passwordChanged: now,
    hidden,
    unique: {},
  }
  for (const { field, value } of uniqueNames(node, asked)) if (field !== 'username') user.unique[field] = value
  putUser(t, user, 'create')
  for (const field of node.systemStreams.fields) {
    if (field.isContainer) continue
    const given = field.id === 'language' ? asked.language : asked.fields[field.id]
    const value = given ?? field.default
    if (typeof value !== 'string' && typeof value !== 'number') continue
    if (field.isShown) writeField(node, account, t, field, value, 'system', { keepsValue: true })
    else if (field.streamId.startsWith(':system:')) hidden[field.id] = value
  }
  return { user, token: openSession(node, t, asked.appId) }
}
