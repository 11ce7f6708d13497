/** Calls between accounts of this node in process, with the same answers as over HTTP. */
import { buildCall, recordRefused, asFailure, callPlatform, callToken, withTrail } from './call.js'
import type { Authenticated } from '../call/caller.js'
import { authenticate } from '../auth/authenticate.js'
import { statusOf } from '../base/status.js'
import type { Origin, PlatformMethod, Result, TokenMethod } from '../call/method.js'
import type { Context } from '../call/context.js'
import { resultText } from '../call/results.js'
import type { Answer } from '../httpClient/http.js'

const originOf = (node: Context): Origin => ({ transport: 'http', source: 'http', base: node.publicBase() })

/** Calls a method of an account of this node with a token. Never rejects. */
export async function callAccountHere<D>(
  node: Context & D,
  username: string,
  token: string,
  method: TokenMethod<D>,
  body: object,
): Promise<Answer> {
  try {
    const loaded = await node.accounts.find(username.toLowerCase())
    if (loaded === undefined) return { status: 404, body: {} }
    const settling = loaded.account.settledStructure()
    if (settling !== undefined) await settling
    const origin = originOf(node)
    let caller: Authenticated
    try {
      caller = authenticate(node, loaded, token)
    } catch (error) {
      recordRefused(node, origin, loaded, method.id, token, error)
      throw error
    }
    return answered(method, await callToken(withTrail(buildCall(node, origin, loaded, caller), method), method, body))
  } catch (error) {
    return refused(node, method, error)
  }
}

/** Calls a platform method of this node with the rights of the operator. Never rejects. */
export async function callCoreHere<D>(node: Context & D, method: PlatformMethod<D>, body: object): Promise<Answer> {
  try {
    return answered(method, await callPlatform({ node, origin: originOf(node) }, method, body))
  } catch (error) {
    return refused(node, method, error)
  }
}

/**
 * Like `callAccountHere`, for results that contain parts as text: returns the parsed answer. Lists of more than `most` items are
 * rejected.
 */
export async function callAccountHereParsed<D>(
  node: Context & D,
  username: string,
  token: string,
  method: TokenMethod<D>,
  params: object,
  max: number,
): Promise<Answer> {
  const answer = await callAccountHere(node, username, token, method, params)
  if (!('body' in answer) || answer.status >= 300) return answer
  try {
    return { status: answer.status, body: JSON.parse(await resultText(answer.body, max)) as Record<string, unknown> }
  } catch (error) {
    return refused(node, method, error)
  }
}

const answered = (method: TokenMethod | PlatformMethod, body: Result): Answer => ({
  status: typeof method.http.status === 'number' ? method.http.status : 200,
  body,
})

function refused(node: Context, method: TokenMethod | PlatformMethod, error: unknown): Answer {
  const failure = asFailure(node, method.id, error)
  return { status: statusOf(failure), body: { error: failure.toJSON() } }
}
