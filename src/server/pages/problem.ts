/** Problems of a submitted form, in words for the person who sent it. */
import { Failure, type FailureId } from '../../store/model/failure.js'
import { asFailure } from '../dispatch/call.js'
import { statusOfId } from '../base/status.js'
import type { Visit } from './page.js'
import { commonWords } from './words.js'

/** A message above a form, and the HTTP status of the answer. */
export interface Problem {
  text: string
  /** Name of the field that the problem is about. */
  field?: string
  /** Seconds until the next attempt is allowed. */
  waitSeconds?: number
  status: number
}

/** Creates a problem that the page itself finds, with status 400. */
export const problemWith = (text: string, field?: string): Problem => ({ text, status: 400, ...(field === undefined ? {} : { field }) })

/**
 * Converts an error to a problem. `texts` maps failure ids to texts of the page; other failures get a general text.
 * Errors that are no `Failure` are logged.
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
    const result = own(failure)
    return typeof result === 'string' ? { text: result, status } : result
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

/** Returns the problem of asking for another text message too soon after the last one. */
export function tooSoonToSend({ language }: Visit, failure: Failure): Problem {
  const waitSeconds = waitOf(failure) ?? 1
  return { text: commonWords[language].waitToSend(waitSeconds), waitSeconds, status: statusOfId[failure.id] }
}

function waitOf({ data }: Failure): number | undefined {
  if (typeof data !== 'object' || data === null || !('retryAfterSeconds' in data)) return undefined
  return Number(data.retryAfterSeconds)
}

/** Returns the `Retry-After` header of a problem with a wait. */
export const headersOfProblem = (problem: Problem | undefined): Readonly<Record<string, string>> =>
  problem?.waitSeconds === undefined ? {} : { 'Retry-After': String(problem.waitSeconds) }
