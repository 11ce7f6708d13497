/** What went wrong with a form, in words for the person who sent it. */
import { Failure, type FailureId } from '../../store/model/failure.js'
import { asFailure } from '../call.js'
import { statusOfId } from '../http/status.js'
import type { Visit } from './page.js'
import { commonWords } from './words.js'

/** What a page says above its form, and the status that it is answered with. */
export interface Problem {
  text: string
  /** The field that it is about, by its name. */
  field?: string
  /** Seconds until another try is taken. */
  waitSeconds?: number
  status: number
}

/** A problem that the page itself finds. */
export const problemWith = (text: string, field?: string): Problem => ({ text, status: 400, ...(field === undefined ? {} : { field }) })

/**
 * The problem that an error means. `texts` says in the page's words what its failures mean; others are told in general.
 * What is no failure of the catalogue is logged.
 */
export function problemOf(
  { node, language }: Visit,
  error: unknown,
  texts: Partial<Record<FailureId, string | ((failure: Failure) => Problem | string)>> = {},
): Problem {
  const failure = error instanceof Failure ? error : asFailure(node, 'web page', error)
  const words = commonWords[language]
  const status = statusOfId[failure.id]
  const own = texts[failure.id]
  if (typeof own === 'string') return { text: own, status }
  if (own !== undefined) {
    const described = own(failure)
    return typeof described === 'string' ? { text: described, status } : described
  }
  const waitSeconds = waitOf(failure)
  if (waitSeconds !== undefined) return { text: words.wait(waitSeconds), waitSeconds, status }
  if (failure.id === 'payload-too-large') return { text: words.tooLarge, status }
  if (failure.id === 'user-account-relocated') {
    const { url } = failure.data as { url: string }
    return { text: `${words.moved} ${url}`, status: 400 }
  }
  return { text: failure.id === 'unexpected-error' ? words.unexpected : failure.message, status: status < 400 ? 400 : status }
}

/** The problem of whoever asks for another text message while the one before has only been sent. */
export function tooSoonToSend({ language }: Visit, failure: Failure): Problem {
  const waitSeconds = waitOf(failure) ?? 1
  return { text: commonWords[language].waitToSend(waitSeconds), waitSeconds, status: statusOfId[failure.id] }
}

function waitOf({ data }: Failure): number | undefined {
  if (typeof data !== 'object' || data === null || !('retryAfterSeconds' in data)) return undefined
  return Number(data.retryAfterSeconds)
}

/** Headers that tell a problem to programs too. */
export const headersOfProblem = (problem: Problem | undefined): Readonly<Record<string, string>> =>
  problem?.waitSeconds === undefined ? {} : { 'Retry-After': String(problem.waitSeconds) }
