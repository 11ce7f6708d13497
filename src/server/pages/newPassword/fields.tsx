/** @jsxImportSource hono/jsx */
/** Fields for choosing a new password, and their validation. */
import { Failure } from '../../../store/model/failure.js'
import { checkInput } from '../../../store/model/validation.js'
import { NewPassword } from '../../api/auth/schema.js'
import { assertPasswordStrength } from '../../auth/password.js'
import { PasswordField } from '../layout.js'
import type { FormVisit, Visit } from '../page.js'
import { problemWith, type Problem } from '../problem.js'
import { newPasswordWords } from './words.js'

/** Name of the field of the new password. */
export const PASSWORD = 'password'
const AGAIN = 'again'

/** Returns the new password of a form. */
export const passwordIn = (form: URLSearchParams): string => form.get(PASSWORD) ?? ''

interface Props {
  visit: Visit
  problem?: Problem | undefined
  isFirst?: boolean
}

/** Renders two password fields with the password rules. Entered values are never shown again. */
export function NewPasswordFields({ visit, problem, isFirst = false }: Props) {
  const words = newPasswordWords[visit.language]
  const more = { minlength: String(minLength(visit)), maxlength: String(maxLength) }
  return (
    <>
      <PasswordField
        visit={visit}
        name={PASSWORD}
        label={words.password}
        hint={ruleOf(visit)}
        problem={problem}
        isNew
        isFirst={isFirst}
        more={more}
      />
      <PasswordField visit={visit} name={AGAIN} label={words.again} problem={problem} isNew more={more} />
    </>
  )
}

/**
 * Returns the problem with the new password of a form, as far as it is independent of the account
 * (docs/interface/account.md#password-rules).
 */
export function passwordProblem(submission: FormVisit): Problem | undefined {
  const { node, form, language } = submission
  const words = newPasswordWords[language]
  const password = passwordIn(form)
  if (password.length > maxLength) return problemWith(words.tooLong(maxLength), PASSWORD)
  if (!checkInput(NewPassword, password).success || isWeak(node, password)) return weakProblem(submission)
  return password === form.get(AGAIN) ? undefined : problemWith(words.different, AGAIN)
}

/** Returns the problem of a password that does not meet the rules, with the rules. */
function weakProblem(visit: Visit): Problem {
  return problemWith(`${newPasswordWords[visit.language].weak} ${ruleOf(visit)}`, PASSWORD)
}

function isWeak({ config }: Visit['node'], password: string): boolean {
  try {
    assertPasswordStrength(config, password)
    return false
  } catch (error) {
    if (error instanceof Failure) return true
    throw error
  }
}

const maxLength = NewPassword.maxLength ?? Infinity

const minLength = ({ node }: Visit): number =>
  Math.max(NewPassword.minLength ?? 0, node.config.get('auth.passwordComplexityMinLength'))

const ruleOf = (visit: Visit): string =>
  newPasswordWords[visit.language].rule(
    minLength(visit),
    visit.node.config.get('auth.passwordComplexityMinCharCategories'),
  )
