/** Node started before the tests of a block, and stopped after them. */
import { afterAll, beforeAll } from 'vitest'
import { startTestNode, type TestNode } from './node.js'

type Options = Parameters<typeof startTestNode>[1]

/** Starts a node for the tests of a block; returns a function that returns it. */
export function withNode(settings: Record<string, unknown> = {}, options: Options = {}): () => TestNode {
  let node: TestNode | undefined
  beforeAll(async () => {
    node = await startTestNode(settings, options)
  })
  afterAll(() => node?.stop())
  return () => {
    if (node === undefined) throw new Error('the node has not started')
    return node
  }
}
