/** How a failure is told: what happened, why, and the next command; under `--json` as the API tells it. */
import { ConfigError } from '../../../server/config/problem.js'
import { Failure } from '../../../store/model/failure.js'
import type { FailureId } from '../../../store/model/failure.js'
import { CommandError, exitByFailure, exitName, hintText } from '../../framework/exit.js'
import type { ExitCode, Hint } from '../../framework/exit.js'
import type { Paint } from '../terminal.js'
import { jsonLine } from './json.js'
import { printable } from './text.js'

export interface DescribedFailure {
  id: string
  message: string
  data?: unknown
  /** The next step. */
  hint?: string
  exit: ExitCode
  /** Where it happened in the code, for `--verbose`. */
  stack?: string
}

const again = 'Try again in a moment.'
const methodList: Hint = ['See what there is', 'help', 'methods']

const delegationList: Hint = ['See what there is', 'delegations', 'list', '--user', '<username>']

const hints: Partial<Record<FailureId, Hint>> = {
  'renewal-failed': ['Where the certificate comes from, and what it lacks', 'doctor', 'certificate'],
  UNKNOWN_EMAIL: ['See who is here', 'users', 'list'],
  'api-unavailable': methodList,
  'corrupted-data': 'Keep a copy of the store before anything else; coffer config path says where it is.',
  'delegation-already-exists': delegationList,
  'delegation-delivery-failed': again,
  'delegation-mirror-not-stale': delegationList,
  'delegation-not-found': delegationList,
  'invalid-method': methodList,
  'read-only': ['Restart the node once the disk is sound', 'restart'],
  'removed-method': methodList,
  'storage-full': 'Free some space and try again; nothing was changed.',
  'too-many-attempts': again,
  'too-many-requests': again,
  'unavailable-method': methodList,
  'unexpected-error': 'See the log of the node; coffer config path says where it is.',
  'unknown-access-key': ['See which apps ask', 'requests', 'list'],
  'unknown-user': ['See who is here', 'users', 'list'],
}

/** By the id in `data`, where the failure's own says less. */
const closerHints: Readonly<Record<string, string>> = {
  'delegation-managed-resource': 'See whose it is, and end it there: coffer delegations list, then coffer delegations detach',
}

/** By the code of a field that is not as it must be. */
const fieldHints: Readonly<Record<string, string>> = {
  'username-invalid': 'A username has 5 to 60 small letters, digits and dashes, with no dash at its ends.',
  'password-invalid': 'A password has 6 to 100 characters.',
}

/** The member of `data` that is the command for what stays on the machine of a node. */
const ON_ITS_MACHINE = 'onItsMachine'

function hintOf({ id, data }: Failure): Hint | undefined {
  if (typeof data === 'object' && data !== null && ON_ITS_MACHINE in data) return `Type there: ${String(data[ON_ITS_MACHINE])}`
  const first: unknown = Array.isArray(data) ? data[0] : undefined
  const field = typeof first === 'object' && first !== null && 'code' in first ? fieldHints[String(first.code)] : undefined
  const closer = typeof data === 'object' && data !== null && 'id' in data ? closerHints[String(data.id)] : undefined
  return field ?? closer ?? hints[id]
}

interface SystemProblem {
  exit: ExitCode
  words: string
  hint: Hint
}

const ownership = 'Do it as the owner of the folder, or name another one with --home.'
const fullDisk = 'Free some space and try again.'

/** What the system refuses, by its code. */
const systemProblems: Partial<Record<string, SystemProblem>> = {
  EACCES: { exit: 4, words: 'permission denied', hint: ownership },
  EPERM: { exit: 4, words: 'not permitted', hint: ownership },
  EROFS: { exit: 4, words: 'this file system is read-only', hint: 'Name another folder with --home.' },
  ENOENT: { exit: 5, words: 'there is no such file or folder', hint: ['See the places of the node', 'config', 'path'] },
  ENOTDIR: { exit: 1, words: 'a part of this path is not a folder', hint: 'Name another folder with --home.' },
  ENOSPC: { exit: 75, words: 'the disk is full', hint: fullDisk },
  EDQUOT: { exit: 75, words: 'the disk quota is used up', hint: fullDisk },
}

/** What to tell of anything that was thrown. `commandFor` makes a command of words, as a person can paste it. */
export function describedFailure(error: unknown, commandFor: (...words: string[]) => string): DescribedFailure {
  const { hint, ...known } = knownOf(error)
  return hint === undefined ? known : { ...known, hint: hintText(hint, commandFor) }
}

function knownOf(error: unknown): Omit<DescribedFailure, 'hint'> & { hint?: Hint } {
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
    // What was typed or exported for this call is wrong usage; a broken file is the node's state.
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
  const message = error instanceof Error ? error.message : String(error)
  return { id: 'unexpected-error', message, hint: 'Run it again with --verbose to see where.', exit: 1, ...stack }
}

/** The lines for stderr. */
export function failureText(described: DescribedFailure, form: { json: boolean; verbose: boolean; paint: Paint }): string {
  const { id, message, data } = described
  if (form.json) {
    const more = data === undefined && described.hint !== undefined ? { hint: described.hint } : data
    return jsonLine({ error: { id, message, ...withData(more) } })
  }
  const [first = '', ...rest] = printable(message).split('\n')
  const lines = [
    `${form.paint.red('✖')} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...reasons(described).map((line) => `  ${printable(line)}`),
    ...(described.hint === undefined ? [] : described.hint.split('\n').map((line) => `  → ${printable(line)}`)),
    ...(form.verbose && described.stack !== undefined ? [form.paint.dim(printable(described.stack))] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** Failures whose message names for people what `data` holds for programs. */
const inMessage = new Set(['damage-found', 'invalid-configuration'])

/** What `data` adds for a person: the validation items, or the fields that name the culprit. */
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
