/** @jsxImportSource hono/jsx */
/** Opening the pages signed in, by a link that the operator made (`coffer open`). */
import { Failure } from '../../../store/model/failure.js'
import { linkTo, pathOfAim } from '../links.js'
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
    // No address of the page that is shown repeats it.
    query.delete(CODE)
    // What only looks whether something is there uses nothing up.
    const link = isHead ? undefined : node.oneTimeLinks.take(code)
    if (link === undefined) return usedPage(visit)
    try {
      const token = await link.enter()
      rememberSession(visit, link.account, token.reveal())
    } catch (error) {
      // The password is another since the link was made, or the account is gone.
      if (error instanceof Failure && error.id === 'invalid-credentials') return usedPage(visit)
      throw error
    }
    return { redirect: linkTo(visit, pathOfAim(link.page)) }
  },
}

function usedPage(visit: Visit): Answer {
  const words = openWords[visit.language]
  const body = (
    <>
      <p>{words.says}</p>
      <p>
        {words.again} <code>coffer open</code>
      </p>
      <p class="buttons">
        <a class="button second" href={linkTo(visit, pathOfAim('access'))}>
          {words.signIn}
        </a>
      </p>
    </>
  )
  return { title: words.title, body, status: 410 }
}
