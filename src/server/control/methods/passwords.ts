/** Operator method that sets the password of an account. */
import * as z from 'zod'
import { listSessions } from '../../../store/accesses/accesses.js'
import { parseInput } from '../../../store/model/validation.js'
import { readUser } from '../../../store/accounts/users.js'
import { hashNewPassword, replacePassword } from '../../auth/newPassword.js'
import { NewPassword } from '../../auth/schema.js'
import type { NodeMethod } from '../control.js'
import { loadedOf } from './loaded.js'
import { operatorRecord } from '../operatorRecord.js'

const Asked = z.object({ password: NewPassword, keepSessions: z.boolean().default(false) })

export const passwordMethods: Readonly<Record<string, NodeMethod>> = {
  /**
   * Applies the rules of length, complexity and reuse, but not that of the minimum age, which only prevents circumvention by
   * users.
   */
  async 'users.setPassword'(node, params) {
    const { password, keepSessions } = parseInput(Asked, params)
    for (;;) {
      const loaded = await loadedOf(node, params)
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
}
