/** Problems of a registration, in words for the person, each at its field. */
import { Failure, type ValidationItem } from '../../../store/model/failure.js'
import { readRegistration } from '../../api/register/input.js'
import { passwordProblem } from '../newPassword/fields.js'
import type { FormVisit } from '../page.js'
import { problemOf, type Problem } from '../problem.js'
import { inputOf, labelOf } from './fields.js'
import { registerWords } from './words.js'

interface ProblemText {
  field: string
  text: string
}

/** Validates the form and returns all problems, before anything is executed. */
export function formProblem(submission: FormVisit, parameters: Record<string, string>): Problem | undefined {
  const problems = itemsOf(submission, parameters).map((item) => problemText(submission, item))
  const password = passwordProblem(submission)
  if (password !== undefined) problems.push({ field: 'password', ...password })
  const isAccepted = submission.node.config.get('service.terms') === null || submission.form.get('terms') === 'yes'
  if (!isAccepted) problems.push({ field: 'terms', text: registerWords[submission.language].termsMissing })
  return combine(problems, 400)
}

/** Combines several problems; the field is that of the first. */
function combine(problems: readonly ProblemText[], status: number): Problem | undefined {
  const [first] = problems
  return first === undefined ? undefined : { field: first.field, text: problems.map(({ text }) => text).join(' '), status }
}

/** Validates the parameters like auth.register. Leaves out problems of the password, for which the page has texts. */
function itemsOf({ node }: FormVisit, parameters: Record<string, string>): ValidationItem[] {
  try {
    readRegistration(parameters, node.systemStreams)
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return (error.data as ValidationItem[]).filter(({ param }) => param !== 'password')
  }
}

function problemText({ node, language }: FormVisit, { code, message, param = '' }: ValidationItem): ProblemText {
  const words = registerWords[language]
  if (param === 'username') return { field: param, text: words.usernameRule }
  if (param === 'invitationToken') return { field: 'invitation', text: words.invitationWrong }
  const field = node.systemStreams.byName(param)
  const label = param === 'email' ? words.email : field === undefined ? param : labelOf(field)
  if (code === `${param}-required`) return { field: inputOf(param), text: words.missing(label) }
  if (param === 'email' && field?.regexError === undefined) return { field: param, text: words.emailInvalid }
  // The operator's own pattern has a message.
  return { field: inputOf(param), text: `${label}: ${message}` }
}

/** Converts a refusal of the method to a problem. */
export function refusalProblem(submission: FormVisit, error: unknown): Problem {
  const words = registerWords[submission.language]
  return problemOf(submission, error, {
    'item-already-exists': (failure) => takenProblem(submission, failure),
    'invalid-operation': () => ({ text: words.invitationWrong, field: 'invitation', status: 400 }),
  })
}

function takenProblem({ node, language }: FormVisit, { data, message }: Failure): Problem {
  const words = registerWords[language]
  const problems = Object.keys(data as object).map((name): ProblemText => {
    if (name === 'username') return { field: name, text: words.usernameTaken }
    if (name === 'email') return { field: name, text: words.emailTaken }
    const field = node.systemStreams.byName(name)
    return { field: inputOf(name), text: words.taken(field === undefined ? name : labelOf(field)) }
  })
  return combine(problems, 409) ?? { text: message, status: 409 }
}
