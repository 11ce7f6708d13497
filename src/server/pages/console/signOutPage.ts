/** Ends the session of the signed-in person. */
import { logout } from '../../api/auth/logout.js'
import { linkTo } from '../links.js'
import type { Page } from '../page.js'
import { callAsOwner } from '../session.js'
import { consolePage } from './consolePage.js'

export const signOutPage: Page = consolePage({
  path: '/sign-out',
  section: 'settings',
  isOfPerson: true,
  show: (visit) => ({ redirect: linkTo(visit, '/settings') }),
  async submit(submission) {
    await callAsOwner(submission, submission.person, logout, {})
    submission.cookies.remove('session')
    return { redirect: linkTo({ node: submission.node, flow: {} }, '/sign-in') }
  },
})
