/** Formats failures: what happened, why, and the next command; under `--json` in the form of the API. */
import { ConfigError } from '../../../server/config/problem.js'
import { errorMessage } from '../../../store/model/errorMessage.js'
import { Failure } from '../../../store/model/failure.js'
import type { FailureId } from '../../../store/model/failure.js'
import { CommandError, exitByFailure, exitName, hintText } from '../../framework/exit.js'
import type { ExitCode, Hint } from '../../framework/exit.js'
import type { Paint } from '../terminal.js'
import { jsonLine, printable } from './text.js'

export interface DescribedFailure {
  id: string
  message: string
  data?: unknown
  /** Next step. */
  hint?: string
  exit: ExitCode
  /** Stack trace for `--verbose`. */
  stack?: string
}

const tryAgain = 'Try again in a moment.'
const methodList: Hint = ['List the methods', 'help', 'methods']

const delegationList: Hint = ['List the delegations', 'delegations', 'list', '--user', '<username>']

const hints: Partial<Record<FailureId, Hint>> = {
  'renewal-failed': ['Check the certificate', 'doctor', 'certificate'],
  UNKNOWN_EMAIL: ['List the accounts', 'users', 'list'],
  'api-unavailable': methodList,
  'corrupted-data': 'Keep a copy of the store before anything else; coffer config path prints its location.',
  'delegation-already-exists': delegationList,
  'delegation-delivery-failed': tryAgain,
  'delegation-mirror-not-stale': delegationList,
  'delegation-not-found': delegationList,
  'invalid-method': methodList,
  'read-only': ['Restart the node once the disk is fixed', 'restart'],
  'removed-method': methodList,
  'storage-full': 'Free some space and try again; nothing was changed.',
  'too-many-attempts': tryAgain,
  'too-many-requests': tryAgain,
  'unavailable-method': methodList,
  'unexpected-error': ['See the log of the node', 'logs'],
  'unknown-access-key': ['List the access requests', 'requests', 'list'],
  'unknown-user': ['List the accounts', 'users', 'list'],
}

/** Hints by the id in `data`, more specific than those by failure id. */
const specificHints: Readonly<Record<string, string>> = {
  'delegation-managed-resource': 'End the delegation instead: coffer delegations list, then coffer delegations detach',
}

/** Hints by the code of an invalid field. */
const fieldHints: Readonly<Record<string, string>> = {
  'username-invalid': 'A username has 5 to 60 lowercase letters, digits and dashes, and neither starts nor ends with a dash.',
  'password-invalid': 'A password has 6 to 100 characters.',
}

/** Member of `data` with the command to run on the node's own machine. */
const ON_ITS_MACHINE = 'onItsMachine'

function hintOf({ id, data }: Failure): Hint | undefined {
  if (typeof data === 'object' && data !== null && ON_ITS_MACHINE in data) return `Run on its machine: ${String(data[ON_ITS_MACHINE])}`
  const first: unknown = Array.isArray(data) ? data[0] : undefined
  const field = typeof first === 'object' && first !== null && 'code' in first ? fieldHints[String(first.code)] : undefined
  const specific = typeof data === 'object' && data !== null && 'id' in data ? specificHints[String(data.id)] : undefined
  return field ?? specific ?? hints[id]
}

interface SystemProblem {
  exit: ExitCode
  words: string
  hint: Hint
}

const ownership = 'Run the command as the owner of the folder, or pass another one with --home.'
const fullDisk = 'Free some space and try again.'

/** Hints for system errors, by code. */
const systemProblems: Partial<Record<string, SystemProblem>> = {
  EACCES: { exit: 4, words: 'permission denied', hint: ownership },
  EPERM: { exit: 4, words: 'not permitted', hint: ownership },
  EROFS: { exit: 4, words: 'this file system is read-only', hint: 'Pass another folder with --home.' },
  ENOENT: { exit: 5, words: 'there is no such file or folder', hint: ['See the paths of the node', 'config', 'path'] },
  ENOTDIR: { exit: 1, words: 'a part of this path is not a folder', hint: 'Pass another folder with --home.' },
  ENOSPC: { exit: 75, words: 'the disk is full', hint: fullDisk },
  EDQUOT: { exit: 75, words: 'the disk quota is used up', hint: fullDisk },
}

/**
 * Describes any thrown value. `commandFor` builds a command line from words, ready to paste.
 * @param steps next steps to print before and after those of the error; those that it contains already are left out
 */
export function describedFailure(
  error: unknown,
  commandFor: (...words: string[]) => string,
  steps: { before: readonly Hint[]; after: readonly Hint[] } = { before: [], after: [] },
): DescribedFailure {
  const { hint, ...known } = describe(error)
  const own = hint === undefined ? [] : [hintText(hint, commandFor)]
  const after = steps.after.filter((each) => typeof each === 'string' || !own.some((text) => text.includes(each.slice(1, 3).join(' '))))
  const lines = [...steps.before.map((each) => hintText(each, commandFor)), ...own, ...after.map((each) => hintText(each, commandFor))]
  return lines.length === 0 ? known : { ...known, hint: lines.join('\n') }
}

function describe(error: unknown): Omit<DescribedFailure, 'hint'> & { hint?: Hint } {
  const stack = error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}
  if (error instanceof CommandError) {
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    return { id: error.id, message: error.message, ...withData(error.data), ...hint, exit: error.exit, ...stack }
  }
  if (error instanceof Failure) {
    const { id, message } = error
    const hint = hintOf(error)
    const next = hint === undefined ? {} : { hint }
    return { id, message, ...withData(error.data), ...next, exit: exitByFailure[id], ...stack }
  }
  if (error instanceof ConfigError) {
    // Invalid flags or environment variables are wrong usage; a broken file is a failure of the node.
    const exit = error.problems.every((each) => each.origin === 'flag' || each.origin === 'environment') ? 2 : 1
    const hint: Hint = ['See all settings', 'help', 'settings']
    return { id: 'invalid-configuration', message: error.message, data: error.problems, hint, exit, ...stack }
  }
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const known = systemProblems[error.code]
    if (known === undefined) return { id: 'failed', message: error.message, exit: 1, ...stack }
    const { exit, words, hint } = known
    const message = 'path' in error && typeof error.path === 'string' ? `${error.path}: ${words}` : error.message
    return { id: exitName(exit), message, hint, exit, ...stack }
  }
  const message = errorMessage(error)
  return { id: 'unexpected-error', message, hint: 'Run the command again with --verbose for details.', exit: 1, ...stack }
}

/** Formats the lines for stderr. */
export function failureText(failure: DescribedFailure, form: { json: boolean; verbose: boolean; paint: Paint }): string {
  const { id, message, data } = failure
  if (form.json) {
    const more = data === undefined && failure.hint !== undefined ? { hint: failure.hint } : data
    return jsonLine({ error: { id, message, ...withData(more) } })
  }
  const [first = '', ...rest] = printable(message).split('\n')
  const lines = [
    `${form.paint.red('✖')} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...reasons(failure).map((line) => `  ${printable(line)}`),
    ...(failure.hint === undefined ? [] : failure.hint.split('\n').map((line) => `  → ${printable(line)}`)),
    ...(form.verbose && failure.stack !== undefined ? [form.paint.dim(printable(failure.stack))] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** Failures whose message already contains the content of `data`. */
const inMessage = new Set(['damage-found', 'invalid-configuration'])

/** Returns the details of `data` for people: validation items or fields. */
function reasons({ id, message, data }: DescribedFailure): string[] {
  if (inMessage.has(id) || data === undefined || data === null) return []
  if (Array.isArray(data)) {
    return data.flatMap((item: unknown) => {
      if (typeof item !== 'object' || item === null || !('message' in item)) return [String(JSON.stringify(item))]
      const place = 'path' in item && typeof item.path === 'string' ? item.path.replace(/^#\//, '') : ''
      const text = `${place}${place === '' ? '' : ': '}${String(item.message)}`
      return text === message ? [] : [text]
    })
  }
  if (typeof data !== 'object') return []
  return Object.entries(data).flatMap(([name, value]) => (name === ON_ITS_MACHINE ? [] : [`${name}: ${JSON.stringify(value)}`]))
}

function withData(data: unknown): { data?: unknown } {
  return data === undefined ? {} : { data }
}
