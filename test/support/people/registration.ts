/** Registrations that succeed, unless something in them is replaced. */
import { request, type Answer, type TestNode } from '../nodes/node.js'

let users = 0

/** A registration of somebody new, with some fields replaced; `undefined` leaves one out. */
export function registration(more: Record<string, unknown> = {}): Record<string, unknown> {
  users += 1
  const username = `person-${users}`
  return { username, password: 'correct horse', email: `${username}@example.org`, appId: 'test-app', ...more }
}

export const register = (node: Pick<TestNode, 'url'>, body: unknown, path = 'users'): Promise<Answer> =>
  request(`${node.url}${path}`, { body })
