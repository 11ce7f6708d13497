import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import { trailOf } from '../call.js'
import { presentUser, replaceUser } from '../updateUser.js'
import { platformMethod } from '../method.js'
import { BY_OPERATOR } from './updateUser.js'

/**
 * Specification, "Operator system routes"; accounts supplement 15: frees the names of an account, its user name, former
 * ones and values of unique fields, for others to have. What the account holds stays. Since no account is without a
 * name, it has its own id as its user name from then on, by which its owner and the operator reach it, and by which it
 * can be deleted for good; `coffer users list --unnamed` and `coffer platform check` show it, `coffer users rename` gives it
 * a name again. Its tokens stay valid there, its aliases lead to it as before.
 */
export const unregisterUser = platformMethod({
  id: 'system.unregisterUser',
  summary: 'Frees the names of an account; its data stay.',
  http: { verb: 'DELETE', path: '/system/users/:username' },
  query: { onlyReg: 'boolean', dryRun: 'boolean' },
  input: z.object({
    username: z.string().describe('User name of the account.'),
    onlyReg: z.unknown().optional().meta({ type: 'boolean' }).describe('Must be true: names are freed, data stay.'),
    dryRun: z.boolean().optional().describe('true: check only; default false.'),
  }),
  output: z.object({
    result: z.object({
      dryRun: z.boolean().describe('true if nothing was changed.'),
      deleted: z.boolean().describe('true if the names were freed.'),
    }).describe('What was done.'),
  }),
  admin: true,
  alone: true,
  fails: ['invalid-operation', 'invalid-parameters-format', 'unknown-resource', 'item-already-exists'],
  async run({ node, origin }, { username, onlyReg, dryRun = false }) {
    if (onlyReg !== true) {
      throw new Failure('invalid-operation', 'Say onlyReg=true: this frees names. DELETE /users/{username} deletes an account.')
    }
    const loaded = await node.accounts.find(username.toLowerCase())
    if (loaded === undefined) throw new Failure('unknown-resource', `Unknown user "${username}".`)
    const { account, user } = loaded
    if (dryRun) return { result: { dryRun, deleted: false } }
    const trail = trailOf({ node, origin, account }, 'system.unregisterUser', BY_OPERATOR)
    await account.exclusively(async (write) => {
      const before = presentUser(account)
      const { formerUsernames: _, emails: _emails, identities: _identities, ...stored } = before
      await replaceUser(node, write, before, { ...stored, username: user.id, unique: {} }, (t) => trail?.stage(t))
    })
    trail?.succeeded()
    return { result: { dryRun, deleted: true } }
  },
})
