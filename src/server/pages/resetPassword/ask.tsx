/** @jsxImportSource hono/jsx */
/**
 * Requests a password reset by mail. Texts, rate limits and response times do not reveal whether this core has an account; which
 * other core has one is public (reg.cores).
 */
import { Failure } from '../../../store/model/failure.js'
import { PAGES_APP } from '../../config/apiEndpoint.js'
import { ofAccount, ofClient, requestPasswordReset } from '../../api/account/requestPasswordReset.js'
import { asFailure } from '../../dispatch/call.js'
import { countRecorded } from '../../auth/rateLimit.js'
import { clientKey } from '../../base/clientAddress.js'
import { nameIn, NameField, presentAccount } from '../accountName.js'
import { Form } from '../layout.js'
import { linkTo } from '../links.js'
import { otherCoreOf, otherCorePage } from '../otherCore/otherCore.js'
import type { Name } from '../../platform/registry/port.js'
import type { Answer, Page, PageContent, Visit } from '../page.js'
import { headersOfProblem, problemOf, type Problem } from '../problem.js'
import { callAccount } from '../session.js'
import { rememberReset } from './pendingReset.js'
import { resetPasswordWords } from './words.js'

const PATH = '/reset-password'

export const askResetPage: Page = {
  path: PATH,
  isBeforeSignIn: true,
  show(visit) {
    const words = resetPasswordWords[visit.language]
    if (!visit.node.mail.isOn('resetPassword')) return { title: words.askTitle, body: <p class="note">{words.noMail}</p> }
    return visit.query.has('asked') ? sentPage(visit) : formOf(visit)
  },
  async submit(submission) {
    const name = nameIn(submission.form, 'name')
    try {
      await countRequest(submission, name)
      const url = await otherCoreOf(submission, nameOf(name))
      if (url !== undefined) return otherCorePage(submission, { url, path: PATH, name })
    } catch (error) {
      return formOf(submission, problemOf(submission, error), name)
    }
    void sendMail(submission, name)
    rememberReset(submission.cookies, { state: 'asked', flow: submission.flow })
    return { redirect: linkTo(submission, PATH, { asked: 'yes' }) }
  },
}

function formOf(visit: Visit, problem?: Problem, name = visit.query.get('username') ?? ''): Answer {
  const words = resetPasswordWords[visit.language]
  const body = (
    <>
      <p>{words.ask}</p>
      <Form visit={visit} path={PATH} problem={problem}>
        <NameField name="name" label={words.name} value={name} problem={problem} isFirst />
        <div class="buttons">
          <button>{words.askButton}</button>
        </div>
      </Form>
      <p class="small">
        <a href={linkTo(visit, '/sign-in')}>{words.signIn}</a>
      </p>
    </>
  )
  return { title: words.askTitle, body, status: problem?.status ?? 200, headers: headersOfProblem(problem) }
}

function sentPage(visit: Visit): PageContent {
  const words = resetPasswordWords[visit.language]
  const body = (
    <>
      <p role="status">{words.asked}</p>
      <p>{words.nothingCame}</p>
      <p class="small">
        <a href={linkTo(visit, PATH)}>{words.another}</a>
      </p>
    </>
  )
  return { title: words.askedTitle, body }
}

/**
 * Counts a request against the given name, whether or not an account has it.
 * @throws Failure `too-many-attempts`
 */
async function countRequest({ node, origin }: Visit, name: string): Promise<void> {
  const client = clientKey(node, origin.ip)
  if (client !== undefined) await countRecorded(node, 'resetPages', client, ofClient)
  await countRecorded(node, 'resetPages', node.store.seal.digest(`reset of ${name}`), ofAccount)
}

const nameOf = (value: string): Name => ({ field: value.includes('@') ? 'email' : 'username', value })

/** Requests the mail if the account exists. Runs in the background, so the response time reveals nothing. */
async function sendMail(visit: Visit, name: string): Promise<void> {
  const { node } = visit
  try {
    const holder = await node.registry.lookUp(nameOf(name))
    const loaded = holder?.username === undefined ? undefined : await presentAccount(node, holder.username)
    if (loaded === undefined) return
    await callAccount(visit, loaded, requestPasswordReset, { appId: PAGES_APP })
  } catch (error) {
    // A `Failure` means that a mail was requested shortly before; the mailer logs its own errors.
    if (!(error instanceof Failure)) asFailure(node, requestPasswordReset.id, error)
  }
}
