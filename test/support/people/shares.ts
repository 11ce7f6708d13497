/** Accesses created through the interface. */
import { request, type Answer } from '../nodes/node.js'
import type { Stage } from '../http/methodTable.js'

/** Access in the result of its creation. */
export interface Share extends Record<string, unknown> {
  id: string
  token: string
  name: string
  permissions: unknown[]
  created: number
  modified: number
  integrity: string
  expires?: number
  alias?: string
  apiEndpoint: string
}

let names = 0

/** Creates an access by the owner, or by another token, with a generated name. */
export async function share(stage: Pick<Stage, 'node' | 'username' | 'owner'>, body: Record<string, unknown>, token = stage.owner): Promise<Share> {
  names += 1
  const answer = await ask(stage, token, 'POST', '/accesses', { name: `access ${names}`, ...body })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body['access'] as Share
}

/** Sends a request to the account by a token. */
export const ask = (stage: Pick<Stage, 'node' | 'username'>, token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  request(`${stage.node.url}${stage.username}${path}`, { token, method, ...(body === undefined ? {} : { body }) })

export const errorOf = ({ body }: Answer): { id: string; message: string; data?: unknown } =>
  body['error'] as { id: string; message: string; data?: unknown }
