/** What every answer of a node must be, whatever it was asked. */
import { expect } from 'vitest'
import { failures } from '../../src/store/model/failure.js'
import { request, type TestNode } from '../support/nodes/node.js'

/**
 * docs/interface/delegations.md#creating-an-account answers 502 where the core of an account refuses to make it, whatever was
 * wrong with what was asked.
 */
const isRefusalPassedOn = (status: number, body: string): boolean =>
  status === 502 && /"id":"delegation-creation-failed".*"peerStatus":4\d\d/.test(body)

/**
 * A success, or a failure of the catalogue with a status of the client's fault, in the form that all answers have;
 * `asked` is told when it is not. Answers the id of the failure.
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

/** That the node still serves, and has noted nothing that it did not expect. */
export async function expectServing(node: TestNode, asked: unknown): Promise<void> {
  const { status } = await request(`${node.url}service/info`)
  expect(status, JSON.stringify(asked)).toBe(200)
  const unexpected = node.logged.splice(0).filter((line) => line.includes('unexpected'))
  expect(unexpected, JSON.stringify(asked)?.slice(0, 2000)).toEqual([])
}
