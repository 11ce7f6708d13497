/** Operator method that sets the password of an account. */
import * as z from 'zod'
import { listSessions } from '../../../store/accesses/accesses.js'
import { readUser } from '../../../store/accounts/users.js'
import { hashNewPassword, replacePassword } from '../../api/auth/newPassword.js'
import { NewPassword } from '../../api/auth/schema.js'
import { operatorMethod } from '../operatorMethod.js'
import { UserView } from './accountReading.js'
import { loadedOf, OfAccount } from './loaded.js'
import { operatorRecord } from '../operatorRecord.js'

const setPassword = operatorMethod({
  id: 'users.setPassword',
  summary: 'Sets the password of an account.',
  input: z.strictObject({
    ...OfAccount,
    password: NewPassword.describe('New password.'),
    keepSessions: z.boolean().default(false).describe('true: sessions stay open.'),
  }),
  output: () => z.object({
    user: z.object({ username: UserView.shape.username }).describe('The account.'),
    sessionsEnded: z.number().describe('Number of sessions that ended.'),
  }),
  fails: ['unknown-user', 'invalid-parameters-format'],
  // The rule of the minimum age does not apply: it only prevents circumvention by users.
  async run({ node }, { username, password, keepSessions }) {
    for (;;) {
      const loaded = await loadedOf(node, { username })
      const { account } = loaded
      const user = readUser(account.db, account.prefix) ?? loaded.user
      const passwordHash = await hashNewPassword(node, user, password)
      const trail = operatorRecord(node, account, 'account.changePassword')
      const ended = await account.exclusively(async (write) => {
        const sessions = keepSessions ? [] : await listSessions(account)
        return write((t) => {
          if (!replacePassword(node, t, user, passwordHash, sessions)) return undefined
          trail?.stage(t)
          return sessions.length
        })
      })
      // The password was changed in the meantime: check the rules against the new one.
      if (ended === undefined) continue
      trail?.succeeded()
      return { user: { username: user.username }, sessionsEnded: ended }
    }
  },
})

export const passwordMethods = [setPassword] as const
