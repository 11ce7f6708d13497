/** Secrets as the tests of this folder make and redeem them. */
import { createHash, createHmac } from 'node:crypto'
import type { SharedSecretStatus } from '../../../../src/store/model/sharedSecret.js'
import { request, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, type Stage } from '../../../support/http/methodTable.js'

export const onConsumed = { message: 'It has been taken already.', returnUrl: 'https://app.example/again' }
export const plain = { ttl: 60, title: 'a note', onConsumed, secret: { deep: ['value', 1, null] } }

/** A half that a client makes itself. */
export const half = 'h'.repeat(40)
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
export const hmacOf = (verifier: string, text: string): string => createHmac('sha256', verifier).update(text).digest('hex')

export interface Shown {
  id: string
  key: string
  title: string
  status: SharedSecretStatus
  statusHistory: { status: string; time: number; info?: string }[]
  expires: number
  expired?: boolean
}

/** Makes a secret with a token. */
export async function make(stage: Pick<Stage, 'node' | 'username'>, token: string, more: object = {}): Promise<Shown> {
  const { status, body } = await callThrough('http', stage, token, 'sharedSecrets.create', { ...plain, ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body['sharedSecret'] as Shown
}

/** Redeems a key, by nobody in particular. */
export const redeem = (
  { node, username }: { node: Pick<TestNode, 'url'>; username: string },
  key: unknown,
  more: object = {},
): Promise<Answer> => request(`${node.url}${username}/shared-secrets/retrieve`, { body: { key, ...more } })

/** What became of a secret, as its maker is told. */
export async function statusOf(stage: Pick<Stage, 'node' | 'username'>, token: string, key: string): Promise<Shown> {
  const { body } = await callThrough('http', stage, token, 'sharedSecrets.getOne', { key })
  return body['sharedSecret'] as Shown
}

/** The event that a secret is read as. */
export interface Item {
  id: string
  streamIds: string[]
  trashed?: boolean
  time: number
  duration: number
  type: string
  integrity?: string
  content: Record<string, unknown>
  modified: number
  modifiedBy: string
}

/** The items that a query finds. */
export async function itemsOf(
  { node, username }: Pick<Stage, 'node' | 'username'>,
  token: string,
  query: Record<string, string>,
): Promise<Item[]> {
  const { status, body } = await request(`${node.url}${username}/events?${new URLSearchParams(query)}`, { token })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body['events'] as Item[]
}

/** The base id of the access of a token. */
export async function accessIdOf({ node, username }: Pick<Stage, 'node' | 'username'>, token: string): Promise<string> {
  const { body } = await request(`${node.url}${username}/access-info`, { token })
  return String(body['id'])
}
