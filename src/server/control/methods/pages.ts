/** Operator method that opens the node's web pages, signed in to an account. */
import { Failure } from '../../../store/model/failure.js'
import { pageAddress, PAGES_APP } from '../../apiEndpoint.js'
import { sessionFor } from '../../auth/session.js'
import type { NodeMethod } from '../control.js'
import { accountAt } from '../../pages/session.js'
import { loadedOf } from './loaded.js'
import { operatorRecord } from '../operatorRecord.js'

export const pageMethods: Readonly<Record<string, NodeMethod>> = {
  /**
   * `{ username, page? }` → `{ username, page, url, expires }`: a one-time address that opens a page (`access` or `mfa`) signed
   * in,
   * until `expires` in seconds. A password change invalidates it.
   */
  async 'pages.open'(node, params) {
    const { page = 'access' } = params
    if (page !== 'access' && page !== 'mfa') {
      throw new Failure('invalid-parameters-format', 'The page must be one of: access, mfa.')
    }
    const { account, user } = await loadedOf(node, params)
    if (user.relocated !== undefined) {
      throw new Failure('invalid-operation', `The account has moved to ${user.relocated.url}; its pages are there.`)
    }
    const { code, expires } = node.oneTimeLinks.make({
      account: account.prefix,
      page,
      async enter() {
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
}
