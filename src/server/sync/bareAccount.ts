/** Creation of an empty account without a usable password, to receive a copy from another node. */
import { randomBytes } from 'node:crypto'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { claiming } from '../api/shared/names.js'
import { fillUser } from '../api/register/newAccount.js'
import { isUsername } from '../api/register/input.js'
import { isReservedUsername } from '../api/register/reserved.js'
import { hashPassword } from '../auth/password.js'
import type { LoadedAccount } from '../call/accountCache.js'
import type { Context } from '../call/context.js'

const UNGUESSABLE_BYTES = 32

/**
 * Creates an account without login until `coffer users set-password` sets a password.
 * @throws Failure `invalid-parameters-format` for an invalid name, `item-already-exists`
 */
export async function createBareAccount(node: Context, username: string): Promise<LoadedAccount> {
  if (!isUsername(username)) {
    const message = 'A username must have 5 to 60 lowercase letters, digits and hyphens.'
    throw invalidFormat([{ code: 'USERNAME_INVALID', message, path: '#/username' }])
  }
  if (isReservedUsername(node.config, username, node.registry.cores)) throw new Failure('item-already-exists', 'This username is reserved.', { username })
  const passwordHash = await hashPassword(randomBytes(UNGUESSABLE_BYTES).toString('base64url'))
  const input = { username, password: '', appId: 'coffer-cli', language: 'en', fields: {} }
  const id = node.newId()
  const about = { id, asked: input, passwordHash, invitation: undefined, isProved: false }
  await claiming(node, { account: id, by: 'creation', take: [{ field: 'username', value: username }] }, (enter) =>
    node.store.createAccount((t, account) => {
      enter(t)
      fillUser(node, t, account, about)
    }),
  )
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) throw new Failure('unknown-user')
  return loaded
}
