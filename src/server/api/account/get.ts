import * as z from 'zod'
import { personalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { refreshStorageUsed } from '../shared/noteStorageUsed.js'
import { AccountView, accountView } from './view.js'

/** Route that reads the account. See docs/interface/account.md#reading-and-updating. */
export const get = method({
  id: 'account.get',
  summary: 'Reads the account: username, e-mail addresses, language, storage used.',
  http: { verb: 'GET', path: '/account' },
  caller: personalOnly,
  input: z.strictObject({ auth: z.string().optional() }),
  output: () => z.object({ account: AccountView.describe('The account.') }),
  fails: ['invalid-parameters-format', 'forbidden'],
  async run(call) {
    // A read-only store still shows the current figure.
    await refreshStorageUsed(call.node, call.account).catch(() => undefined)
    return { account: await accountView(call.account) }
  },
})
