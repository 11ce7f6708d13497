/** Access requests and their answers, as apps and pages send them. */
import { request, type Answer, type TestNode } from '../nodes/node.js'

type Json = Record<string, unknown>

export const APP = 'heart-watch'
export const heart = { streamId: 'heart', level: 'read', defaultName: 'Heart' }
export const diary = { streamId: 'diary', level: 'contribute', defaultName: 'Diary' }

/** Requests access; `from` is the address of the client, as forwarded by a local proxy. */
export function askFor(node: TestNode, body: Json = {}, from?: string): Promise<Answer> {
  return request(`${node.url}reg/access`, {
    body: { requestingAppId: APP, requestedPermissions: [heart], ...body },
    ...(from === undefined ? {} : { headers: { 'x-forwarded-for': from } }),
  })
}

/** Requests access; returns the key. Throws unless it is accepted. */
export async function keyOf(node: TestNode, body: Json = {}): Promise<string> {
  const { status, body: answer } = await askFor(node, body)
  if (status !== 201) throw new Error(`refused: ${JSON.stringify(answer)}`)
  return String(answer['key'])
}

export const pollOf = (node: TestNode, key: string): Promise<Answer> => request(`${node.url}reg/access/${key}`)

export const post = (node: TestNode, key: string, body: unknown): Promise<Answer> =>
  request(`${node.url}reg/access/${key}`, { method: 'POST', body })

/** Returns the status, and the id of the failure or the state of the request. */
export function gist({ status, body }: Pick<Answer, 'status' | 'body'>): [number, unknown] {
  const error = body['error'] as { id: string } | undefined
  return [status, error?.id ?? body['status']]
}
