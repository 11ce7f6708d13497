/** Reads audit records of an account. */
import { expect } from 'vitest'
import { request } from '../nodes/node.js'
import type { Stage } from '../http/methodTable.js'

export interface AuditEvent {
  id: string
  type: string
  time: number
  streamIds: string[]
  content: Record<string, unknown>
}

/** Returns the records of audit streams that a token may read, the earliest first. */
export async function recordsOf(
  { node, username, owner }: Pick<Stage, 'node' | 'username' | 'owner'>,
  streams: unknown,
  more = '',
  token = owner,
): Promise<AuditEvent[]> {
  const query = `streams=${encodeURIComponent(JSON.stringify(streams))}&limit=10000&sortAscending=true${more}`
  const { status, body } = await request(`${node.url}${username}/events?${query}`, { token })
  expect({ status, error: body['error'] }).toEqual({ status: 200, error: undefined })
  return body['events'] as AuditEvent[]
}

export const contentOf = (record: AuditEvent | undefined): Record<string, unknown> => record?.content ?? {}

/** Returns the methods of the records of audit streams, the earliest first. */
export async function actionsOf(stage: Stage, streams: unknown): Promise<unknown[]> {
  return (await recordsOf(stage, streams)).map(({ content }) => content['action'])
}
