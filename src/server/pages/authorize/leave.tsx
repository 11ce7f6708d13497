/** @jsxImportSource hono/jsx */
/** Signs out before a decision, to answer a request with another account. */
import { Form, Hidden } from '../layout.js'
import { linkTo } from '../links.js'
import type { Answer, FormVisit, Visit } from '../page.js'
import type { Session } from '../flow.js'
import { endSession } from '../session.js'
import { authorizeWords } from './words.js'

/** Ends the session of the signed-in user; the request stays open. */
export async function leave(submission: FormVisit, session: Session): Promise<Answer> {
  await endSession(submission, session)
  submission.cookies.remove('for')
  return { redirect: linkTo(submission, '/sign-in') }
}

/** Renders the form that signs out: `do=leave`, and hidden fields of the page. */
export function LeaveForm({ visit, path, hidden = {} }: { visit: Visit; path: string; hidden?: Readonly<Record<string, string>> }) {
  return (
    <Form visit={visit} path={path}>
      <Hidden fields={hidden} />
      <p>
        <button name="do" value="leave" class="link small">
          {authorizeWords[visit.language].otherAccount}
        </button>
      </p>
    </Form>
  )
}
