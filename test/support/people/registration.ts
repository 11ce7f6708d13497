/** Registrations that succeed by default. */
import { request, type Answer, type TestNode } from '../nodes/node.js'

let users = 0

/** Returns a registration of a new user, with some fields replaced; `undefined` omits one. */
export function registration(more: Record<string, unknown> = {}): Record<string, unknown> {
  users += 1
  const username = `person-${users}`
  return { username, password: 'correct horse', email: `${username}@example.org`, appId: 'test-app', ...more }
}

export const register = (node: Pick<TestNode, 'url'>, body: unknown, path = 'users'): Promise<Answer> =>
  request(`${node.url}${path}`, { body })
