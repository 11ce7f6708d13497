/** Operator methods for accounts, besides the methods of the API. */
import * as z from 'zod'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import { documented } from '../../base/documented.js'
import { assertPasswordStrength, passwordRules } from '../../auth/password.js'
import { assertNotReserved, register, uniqueNames } from '../../api/register/createUser.js'
import { erase } from '../../api/register/deleteUser.js'
import { readRegistration, RegistrationBody } from '../../api/register/input.js'
import { operatorMethod } from '../operatorMethod.js'
import { assertNamesFree } from '../../api/shared/names.js'
import { describe, listUsers, showUser, UserView } from './accountReading.js'
import { loadedOf, OfAccount } from './loaded.js'

/** The app id of sessions that the command line opens. */
const CLI_APP = 'coffer-cli'

const createUser = operatorMethod({
  id: 'users.create',
  summary: 'Creates an account.',
  input: documented(RegistrationBody.partial({ appId: true })),
  output: () => z.object({
    user: UserView.describe('The new account.'),
    apiEndpoint: z.string().describe('Address of the account, with a token.'),
  }),
  fails: ['invalid-parameters-format', 'item-already-exists'],
  async run({ node }, params) {
    const input = readRegistration({ appId: CLI_APP, ...Object(params) }, node.systemStreams)
    const { user, token, welcomed: greeted } = await register(node, input, 'operator')
    // In a store opened for this command only, nothing else waits for the mail.
    await greeted
    const loaded = await loadedOf(node, { username: user.username })
    return {
      user: await describe(node, loaded),
      apiEndpoint: apiEndpoint(node, user.username, token.reveal()),
    }
  },
})

const PasswordRules = z.object({
  minLength: z.number().describe('Minimum number of characters.'),
  maxLength: z.number().describe('Maximum number of characters.'),
  categories: z.number().describe('Number of categories that it must contain: lower case, upper case, digits, others.'),
})

const checkUser = operatorMethod({
  id: 'users.check',
  summary: 'Checks parameters of a new account, without creating it, and returns the password rules.',
  input: z.strictObject({
    account: z.record(z.string(), z.unknown()).optional().describe('Parameters of users.create; without a password, that is not checked.'),
    complete: z.boolean().default(true).describe('false: required fields may be absent.'),
  }),
  output: () => z.object({ password: PasswordRules.describe('The password rules.') }),
  fails: ['invalid-parameters-format', 'item-already-exists'],
  async run({ node }, { account, complete }) {
    const rules = passwordRules(node.config)
    if (account !== undefined) {
      const input = readRegistration({ appId: CLI_APP, password: '-'.repeat(rules.minLength), ...account }, node.systemStreams, complete)
      if (account['password'] !== undefined) assertPasswordStrength(node.config, input.password)
      assertNotReserved(node.config, input.username, node.registry.cores)
      await assertNamesFree(node, uniqueNames(node, input))
    }
    return { password: rules }
  },
})

const deleteUser = operatorMethod({
  id: 'users.delete',
  summary: 'Deletes an account and everything in it.',
  input: z.strictObject(OfAccount),
  output: () => z.object({ userDeletion: z.object({ username: z.string().describe('User name of the account.') }).describe('The deleted account.') }),
  fails: ['unknown-user'],
  async run({ node }, input) {
    const loaded = await loadedOf(node, input)
    await erase(node, loaded)
    return { userDeletion: { username: loaded.user.username } }
  },
})

export const userMethods = [listUsers, showUser, createUser, checkUser, deleteUser] as const
