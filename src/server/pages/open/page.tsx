/** @jsxImportSource hono/jsx */
/** Opens the pages signed in by a one-time link of the operator (`coffer open`). */
import { Failure } from '../../../store/model/failure.js'
import { linkTo, pathOfTarget } from '../links.js'
import type { Answer, Page, Visit } from '../page.js'
import { rememberSession } from '../session.js'
import { openWords } from './words.js'

const CODE = 'code'

export const openPage: Page = {
  path: '/open',
  isBeforeSignIn: true,
  async show(visit) {
    const { node, query, isHead } = visit
    const code = query.get(CODE) ?? ''
    // Remove the code from the addresses of the page that follows.
    query.delete(CODE)
    // HEAD requests do not consume the link.
    const link = isHead ? undefined : node.oneTimeLinks.consume(code)
    if (link === undefined) return usedPage(visit)
    try {
      const token = await link.openSession()
      rememberSession(visit, link.account, token.reveal())
    } catch (error) {
      // The password was changed after the link was created, or the account was deleted.
      if (error instanceof Failure && error.id === 'invalid-credentials') return usedPage(visit)
      throw error
    }
    return { redirect: linkTo(visit, pathOfTarget(link.page)) }
  },
}

function usedPage(visit: Visit): Answer {
  const words = openWords[visit.language]
  const body = (
    <>
      <p>{words.text}</p>
      <p>
        {words.again} <code>coffer open</code>
      </p>
      <p class="buttons">
        <a class="button second" href={linkTo(visit, pathOfTarget('overview'))}>
          {words.signIn}
        </a>
      </p>
    </>
  )
  return { title: words.title, body, status: 410 }
}
