import * as z from 'zod'
import { listSessions } from '../../../store/accesses/accesses.js'
import { Failure } from '../../../store/model/failure.js'
import { hashNewPassword, replacePassword } from '../auth/newPassword.js'
import { NewPassword } from '../auth/schema.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { assertPasswordAge } from '../../auth/password.js'
import { checkPassword } from '../../auth/passwordCheck.js'
import { personalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'

/** Route that changes the password and ends all other sessions. See docs/interface/account.md#change-of-password. */
export const changePassword = method({
  id: 'account.changePassword',
  summary: 'Changes the password; ends all other sessions.',
  http: { verb: 'POST', path: '/account/change-password' },
  caller: personalOnly,
  input: z.strictObject({
    oldPassword: z.string().describe('The current password.'),
    newPassword: NewPassword.describe("The new password; must meet the node's password rules."),
  }),
  output: () => z.object({}),
  fails: ['forbidden', 'invalid-operation', 'invalid-parameters-format', 'too-many-attempts'],
  async run(call, { oldPassword, newPassword }) {
    const { node, account, user, origin, caller } = call
    if (!(await checkPassword(node, account, user, oldPassword, origin))) {
      node.log.warn('password change refused: wrong password', { user: user.username, ip: origin.ip })
      throw wrong()
    }
    assertPasswordAge(node.config, user, node.clock.now())
    const passwordHash = await hashNewPassword(node, user, newPassword)
    return writeExclusively(call, async (write) => {
      const others = (await listSessions(account)).filter((id) => id !== caller.access.id)
      return write((t) => {
        if (!replacePassword(node, t, user, passwordHash, others)) throw wrong()
        return {}
      })
    })
  },
})

function wrong(): Failure {
  return new Failure('invalid-operation', 'The old password is wrong.')
}
