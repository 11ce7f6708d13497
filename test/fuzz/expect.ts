/** Expectations of every response of a node, for any request. */
import { expect } from 'vitest'
import { failures } from '../../src/store/model/failure.js'
import { request, type TestNode } from '../support/nodes/node.js'

/**
 * Tests for a refusal passed on: docs/interface/delegations.md#creating-an-account returns 502 where the core of an account
 * refuses to create it, for any reason.
 */
const isRefusalPassedOn = (status: number, body: string): boolean =>
  status === 502 && /"id":"delegation-creation-failed".*"peerStatus":4\d\d/.test(body)

/**
 * Expects a success, or a failure of the catalogue with a client error status, in the common format. `asked` describes the
 * request in messages. Returns the id of the failure.
 */
export function expectFitting(
  asked: unknown,
  status: number,
  body: string,
  version: string | null | undefined,
): string | undefined {
  const about = `${JSON.stringify(asked)?.slice(0, 2000)} → ${status} ${body.slice(0, 500)}`
  expect(status, about).toBeGreaterThanOrEqual(200)
  if (!isRefusalPassedOn(status, body)) expect(status, about).toBeLessThan(500)
  expect(version, about).toMatch(/^\d+\.\d+\.\d+/)
  if (status < 400) return undefined
  const { error, meta } = JSON.parse(body) as { error?: { id: string; message: string }; meta?: { serverTime: number } }
  expect(error?.message, about).toEqual(expect.any(String))
  expect(Object.keys(failures), about).toContain(error?.id)
  expect(error?.id, about).not.toBe('unexpected-error')
  expect(meta?.serverTime, about).toEqual(expect.any(Number))
  return error?.id
}

/** Expects that the node still serves requests, and has logged no unexpected error. */
export async function expectServing(node: TestNode, asked: unknown): Promise<void> {
  const { status } = await request(`${node.url}service/info`)
  expect(status, JSON.stringify(asked)).toBe(200)
  const unexpected = node.logged.splice(0).filter((line) => line.includes('unexpected'))
  expect(unexpected, JSON.stringify(asked)?.slice(0, 2000)).toEqual([])
}
