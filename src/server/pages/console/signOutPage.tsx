/** @jsxImportSource hono/jsx */
/** Ends the session of the signed-in person. The frame of the console has its form; the page itself is shown after an expired one. */
import { Form } from '../layout.js'
import { linkTo } from '../links.js'
import type { Answer, Page } from '../page.js'
import { endSession } from '../session.js'
import { commonWords } from '../words.js'
import { consolePage, type ConsoleFormVisit } from './consolePage.js'

const PATH = '/sign-out'

export const signOutPage: Page = consolePage({
  path: PATH,
  section: 'settings',
  isOfPerson: true,
  show(visit) {
    const words = commonWords[visit.language]
    const body = (
      <Form visit={visit} path={PATH}>
        <p>
          {words.signedInAs} <strong class="name">{visit.person.user.username}</strong>
        </p>
        <p class="buttons">
          <button>{words.signOut}</button>
        </p>
      </Form>
    )
    return { title: words.signOut, body }
  },
  submit: (submission) => signOut(submission),
})

/** Ends the session of the signed-in person, and leads to the sign-in page. */
export async function signOut(submission: ConsoleFormVisit): Promise<Answer> {
  await endSession(submission, submission.person)
  return { redirect: linkTo({ node: submission.node, flow: {} }, '/sign-in') }
}
