import * as z from 'zod'
import { requirePersonal } from '../guard/personal.js'
import { method } from '../method.js'
import { refreshStorageUsed } from '../noteStorageUsed.js'
import { AccountView, shownAccount } from './view.js'

/** Specification, "Account methods"; accounts supplement 7.1. */
export const get = method({
  id: 'account.get',
  summary: 'Reads the account: username, e-mail addresses, language, storage used.',
  http: { verb: 'GET', path: '/account' },
  input: z.strictObject({ auth: z.string().optional() }),
  output: z.object({ account: AccountView.describe('The account.') }),
  fails: ['invalid-parameters-format', 'forbidden'],
  async run(call) {
    requirePersonal(call)
    // The figure that was is shown when the new one cannot be kept.
    const records = await refreshStorageUsed(call.node, call.account).catch(() => undefined)
    return { account: shownAccount(call.account, records) }
  },
})
