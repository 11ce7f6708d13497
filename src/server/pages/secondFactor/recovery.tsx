/** @jsxImportSource hono/jsx */
/** Login with a recovery code: removes the second factor, which requires the password again, and then logs in. */
import { Failure, type FailureId } from '../../../store/model/failure.js'
import { PAGES_APP } from '../../config/apiEndpoint.js'
import { login } from '../../api/auth/login.js'
import { recover } from '../../api/mfa/recover.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import { asTyped } from '../accountName.js'
import { Field, Form, PasswordField } from '../layout.js'
import { afterSignIn, linkTo, pathOfTarget } from '../links.js'
import type { Answer, FormVisit, PageContent, Visit } from '../page.js'
import { headersOfProblem, problemOf, type Problem } from '../problem.js'
import { callAccount, rememberSession } from '../session.js'
import { secondFactorWords } from './words.js'

interface Locked {
  loaded: LoadedAccount
}

/** Renders the form for a recovery code, of the page at `path`. */
export function recoveryForm(visit: Visit, path: string, { loaded }: Locked, problem?: Problem): PageContent {
  const { account, recovery: words } = secondFactorWords[visit.language]
  const body = (
    <>
      <p class="soft name">
        {account}: <strong>{loaded.user.username}</strong>
      </p>
      <div class="note">
        <p>{words.explanation}</p>
      </div>
      <Form visit={visit} path={path} problem={problem}>
        <input type="hidden" name="do" value="recover" />
        <Field
          name="recoveryCode"
          label={words.code}
          hint={words.hint}
          problem={problem}
          isFirst
          more={{ ...asTyped, autocomplete: 'off', maxlength: '100' }}
        />
        <PasswordField visit={visit} name="password" label={words.password} problem={problem} more={{ maxlength: '1000' }} />
        <div class="buttons">
          <button>{words.button}</button>
        </div>
      </Form>
      <p class="small">
        <a href={linkTo(visit, path)}>{words.back}</a>
      </p>
    </>
  )
  return { title: words.title, body, status: problem?.status ?? 200, headers: headersOfProblem(problem) }
}

/** Removes the factor and logs in; returns `gone` when the account no longer has a factor. */
export async function useRecoveryCode(submission: FormVisit, path: string, locked: Locked): Promise<Answer | 'gone'> {
  const { loaded } = locked
  const { username } = loaded.user
  const password = submission.form.get('password') ?? ''
  const recoveryCode = submission.form.get('recoveryCode') ?? ''
  try {
    await callAccount(submission, loaded, recover, { username, password, recoveryCode })
  } catch (error) {
    const id: FailureId | undefined = error instanceof Failure ? error.id : undefined
    if (id === 'invalid-operation' || id === 'unavailable-method') return 'gone'
    const { recovery: words } = secondFactorWords[submission.language]
    const problem = problemOf(submission, error, {
      'invalid-credentials': () => ({ text: words.wrongPassword, field: 'password', status: 401 }),
      'invalid-parameters-format': () => ({ text: words.wrongCode, field: 'recoveryCode', status: 400 }),
    })
    return recoveryForm(submission, path, locked, problem)
  }
  submission.cookies.remove('step')
  const { token } = await callAccount(submission, loaded, login, { username, password, appId: PAGES_APP })
  rememberSession(submission, loaded.account.prefix, String(token))
  // Without another pending flow, continue with the set-up of a new factor.
  const { key, oauth } = submission.flow
  const next = key === undefined && oauth === undefined ? linkTo(submission, pathOfTarget('mfa'), { done: 'recovered' }) : afterSignIn(submission)
  return { redirect: next }
}
