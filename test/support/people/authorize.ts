/** App that requests access, and a user who answers on the node's pages. */
import { request, type Answer, type TestNode } from '../nodes/node.js'
import { visitor, type Visitor } from './visitor.js'

export const diary = { streamId: 'diary', level: 'read', defaultName: 'Journal' }
export const weight = { streamId: 'weight', level: 'contribute', defaultName: 'Body weight' }
export const mood = { streamId: 'mood', level: 'manage', defaultName: 'Mood' }

export const APP = 'my-diary-app'

export interface Asked {
  key: string
  poll: string
  authUrl: string
}

/** Creates an access request; by default for two streams, all or nothing. */
export async function askAccess(node: TestNode, more: Readonly<Record<string, unknown>> = {}): Promise<Asked> {
  const body = { requestingAppId: APP, requestedPermissions: [diary, weight], ...more }
  const answer = await request(`${node.url}reg/access`, { body })
  if (answer.status !== 201) throw new Error(`the request was refused: ${JSON.stringify(answer.body)}`)
  const { key, poll, authUrl } = answer.body
  return { key: String(key), poll: String(poll), authUrl: String(authUrl) }
}

export const pollOf = ({ poll }: Asked): Promise<Answer> => request(poll)

/** Returns a browser that has opened the request's URL and logged in, on the consent page. */
export async function consenting(node: TestNode, username: string, asked: Asked, language = 'en'): Promise<Visitor> {
  const browser = visitor(node, language)
  await browser.open(asked.authUrl)
  await browser.submit({ name: username, password: 'correct horse' })
  return browser
}

export const accept = { do: 'accept' }
export const refuse = { do: 'refuse' }

export interface ListedAccess {
  id: string
  token: string
  type: string
  name: string
  permissions: { streamId?: string; feature?: string; level?: string }[]
  [member: string]: unknown
}

/** Returns the accesses of an account that are not personal. */
export async function accessesOf(node: TestNode, username: string, token: string): Promise<ListedAccess[]> {
  const { body } = await request(`${node.url}${username}/accesses`, { token })
  return (body['accesses'] as ListedAccess[]).filter(({ type }) => type !== 'personal')
}
