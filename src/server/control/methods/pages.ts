/** Operator method that opens the node's web pages, signed in to an account. */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { pageAddress, PAGES_APP } from '../../config/apiEndpoint.js'
import { sessionFor } from '../../api/auth/session.js'
import { accountAt } from '../../pages/session.js'
import { operatorMethod } from '../operatorMethod.js'
import { operatorRecord } from '../operatorRecord.js'
import { UserView } from './accountReading.js'
import { loadedOf, OfAccount } from './loaded.js'

const open = operatorMethod({
  id: 'pages.open',
  summary: 'Creates a one-time address that opens a web page, signed in. A change of the password invalidates it.',
  input: z.strictObject({
    ...OfAccount,
    page: z.enum(['overview', 'access', 'mfa'], { error: 'The page must be one of: overview, access, mfa.' }).default('overview').describe('Page to open.'),
  }),
  output: () => z.object({
    username: UserView.shape.username,
    page: z.string().describe('The page.'),
    url: z.string().describe('The address.'),
    expires: z.number().describe('End of its validity, in seconds since 1970.'),
  }),
  fails: ['unknown-user', 'invalid-operation'],
  async run({ node }, { username, page }) {
    const { account, user } = await loadedOf(node, { username })
    if (user.relocated !== undefined) {
      throw new Failure('invalid-operation', `The account has moved to ${user.relocated.url}; its pages are there.`)
    }
    const { code, expires } = node.oneTimeLinks.create({
      account: account.prefix,
      page,
      async openSession() {
        const loaded = await accountAt(node, account.prefix)
        if (loaded === undefined) throw new Failure('invalid-credentials')
        const trail = operatorRecord(node, loaded.account, 'auth.login')
        // `user` is as of the creation of the link: after a password change, the login fails.
        const token = await sessionFor(node, loaded.account, user, PAGES_APP, trail)
        trail?.succeeded()
        return token
      },
    })
    return { username: user.username, page, url: pageAddress(node, `/open?code=${code.reveal()}`), expires }
  },
})

export const pageMethods = [open] as const
