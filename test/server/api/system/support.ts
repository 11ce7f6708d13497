/** Nodes with a known admin key. */
import { afterAll, beforeAll } from 'vitest'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'

export const KEY = 'the admin key of the operator'

type Options = Parameters<typeof startTestNode>[1]

/** Starts a node for the tests of a block. */
export function withNode(settings: Record<string, unknown> = {}, options: Options = {}): () => TestNode {
  let node: TestNode | undefined
  beforeAll(async () => {
    node = await startTestNode({ 'auth.adminAccessKey': KEY, ...settings }, options)
  })
  afterAll(() => node?.stop())
  return () => {
    if (node === undefined) throw new Error('the node has not started')
    return node
  }
}

/** Calls a method with the admin key. */
export const operator = (node: TestNode, path: string, options: { method?: string; body?: unknown } = {}): Promise<Answer> =>
  request(node.url + path, { token: KEY, ...options })

/** Returns status and body of a response without `meta`. */
export function resultOf({ status, body }: Answer): [number, Record<string, unknown>] {
  const { meta: _, ...result } = body
  return [status, result]
}
