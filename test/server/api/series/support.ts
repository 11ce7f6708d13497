/** Helpers to create, write and read series. */
import { expect } from 'vitest'
import { request, type Answer } from '../../../support/nodes/node.js'
import type { Stage } from '../../../support/http/methodTable.js'

/** Creates the holder event of a series of a type, by default in stream `s`; returns its id. */
export async function newHolder(stage: Stage, type = 'mass/kg', more: object = {}): Promise<string> {
  const { status } = await request(`${stage.node.url}${stage.username}/streams/`, {
    token: stage.owner,
    body: { id: 's', name: 's' },
  })
  expect([201, 409]).toContain(status)
  const { event } = await stage.arrange('events.create', { streamIds: ['s'], type: `series:${type}`, time: 1000, ...more })
  return String((event as { id: string }).id)
}

export const flat = (fields: string[], points: unknown[]): object => ({ format: 'flatJSON', fields, points })

/** Returns the body with points of a series of numbers. */
export const values = (...points: [time: unknown, value: unknown][]): object => flat(['deltaTime', 'value'], points)

export const add = (stage: Stage, id: string, body: unknown, token?: string): Promise<Answer> =>
  request(`${stage.node.url}${stage.username}/events/${id}/series`, { token: token ?? stage.owner, body })

/** Adds points and checks that the call succeeds. */
export async function addPoints(stage: Stage, id: string, body: unknown): Promise<void> {
  const answer = await add(stage, id, body)
  expect(answer.body).toMatchObject({ status: 'ok' })
  expect(answer.status).toBe(200)
}

export const read = (stage: Stage, id: string, query = '', token?: string): Promise<Answer> =>
  request(`${stage.node.url}${stage.username}/events/${id}/series${query}`, { token: token ?? stage.owner })

/** Returns the fields and points of a series. */
export async function pointsOf(stage: Stage, id: string, query = ''): Promise<{ fields: unknown; points: unknown }> {
  const { status, body } = await read(stage, id, query)
  expect(status).toBe(200)
  expect(body['format']).toBe('flatJSON')
  expect(body['meta']).toMatchObject({ serverTime: expect.any(Number) as number })
  return { fields: body['fields'], points: body['points'] }
}
