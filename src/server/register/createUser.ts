import { z } from 'zod'
import type { Account, Transaction } from '../../store/account.js'
import { Failure } from '../../store/model/failure.js'
import { Secret } from '../../store/model/secret.js'
import { accountOfUnique, accountOfUsername, claimUsername, putUser, type User } from '../../store/users.js'
import { apiEndpoint } from '../apiEndpoint.js'
import { openSession } from '../auth/session.js'
import { writeField } from '../events/accountFields.js'
import { hashPassword, refuseWeakPassword } from '../guard/password.js'
import { platformMethod } from '../method.js'
import type { Node } from '../node.js'
import { readRegistration, type Registration } from './input.js'
import { isReservedUsername } from './reserved.js'

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

/** Makes an account. Of many simultaneous claims of one name exactly one succeeds. */
export async function register(node: Node, asked: Registration): Promise<{ user: User; token: Secret<string> }> {
  refuseWeakPassword(node.config, asked.password)
  refuseUninvited(node, asked.invitationToken)
  if (isReservedUsername(asked.username)) {
    throw new Failure('item-already-exists', 'This username is reserved.', { username: asked.username })
  }
  refuseTaken(node, asked, node.store.db)
  const passwordHash = await hashPassword(asked.password)
  return node.store.createAccount((t, account) => {
    refuseTaken(node, asked, t)
    return fill(node, t, account, asked, passwordHash)
  })
}

function refuseUninvited(node: Node, token: string | undefined): void {
  const invitations = node.config.get('invitationTokens')
  if (invitations === null || (token !== undefined && invitations.includes(token))) return
  throw new Failure('invalid-operation', 'The invitation token is invalid: registration is by invitation.')
}

/** Refuses names and unique values in use, naming every one of them. */
function refuseTaken(node: Node, asked: Registration, reader: { get(key: string): string | undefined }): void {
  const taken: Record<string, string | number> = {}
  if (accountOfUsername(reader, asked.username) !== undefined) taken['username'] = asked.username
  for (const [name, value] of Object.entries(asked.fields)) {
    if (node.systemStreams.byName(name)?.isUnique !== true) continue
    if (accountOfUnique(reader, node.store.seal, name, String(value)) !== undefined) taken[name] = value
  }
  if (Object.keys(taken).length === 0) return
  throw new Failure('item-already-exists', `Already in use: ${Object.keys(taken).join(', ')}.`, taken)
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
  claimUsername(t, asked.username)
  putUser(t, user, 'create')
  for (const field of node.systemStreams.fields) {
    if (field.isContainer) continue
    const given = field.id === 'language' ? asked.language : asked.fields[field.id]
    const value = given ?? field.default
    if (typeof value !== 'string' && typeof value !== 'number') continue
    if (field.isShown) writeField(node, account, t, field, value, 'system')
    else if (field.streamId.startsWith(':system:')) hidden[field.id] = value
  }
  return { user, token: openSession(node, t, asked.appId) }
}
