import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { presentUser, replaceUser } from '../shared/updateUser.js'
import { personalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { NewUsername, renamed } from './rename.js'
import { changesOf } from './usernameChanges.js'
import { AccountView, accountView } from './view.js'

/**
 * Route that changes the username. Checks run in the order of docs/interface/account.md#user-names. The account keeps the old
 * name: tokens and addresses with it remain valid.
 */
export const changeUsername = method({
  id: 'account.changeUsername',
  summary: 'Changes the user name; the former one stays an alias.',
  http: { verb: 'POST', path: '/account/change-username' },
  caller: personalOnly,
  input: z.strictObject({ newUsername: NewUsername.describe('The new user name; the former one stays an alias.') }),
  output: () => z.object({
    account: AccountView.describe('The account under its new name.'),
    usernameChangesRemaining: z.number().describe('Changes of the user name that are left.'),
  }),
  fails: ['invalid-parameters-format', 'invalid-operation', 'item-already-exists', 'forbidden'],
  async run(call, { newUsername }) {
    const { node, account } = call
    const name = newUsername.toLowerCase()
    await writeExclusively(call, async (write) => {
      const before = presentUser(account)
      if (name === before.username) throw new Failure('invalid-operation', `The username is already ${name}.`)
      const { usernameChangesUsed, usernameChangesLimit, usernameChangesRemaining } = changesOf(node, before)
      if (usernameChangesRemaining === 0) {
        const message = `The username was changed ${usernameChangesUsed} times, the maximum on this node.`
        throw new Failure('invalid-operation', message, { usernameChangesUsed, usernameChangesLimit })
      }
      const after = { ...renamed(call.node, before, name), usernameChanges: usernameChangesUsed + 1 }
      await replaceUser(node, write, before, after, () => undefined)
    })
    const { usernameChangesRemaining } = changesOf(node, presentUser(account))
    return { account: await accountView(account), usernameChangesRemaining }
  },
})
