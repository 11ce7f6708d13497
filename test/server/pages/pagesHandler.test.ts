/** Handler of the pages, which loads their code with the first request. */
import type { HttpBindings } from '@hono/node-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pagesOf } from '../../../src/server/pages/pagesHandler.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

it('says what to do when the program was replaced under the running node, and tries again', async () => {
  let attempts = 0
  const pages = pagesOf(node.node, () => {
    attempts += 1
    if (attempts > 1) return Promise.resolve({ fetch: () => new Response('a page') })
    return Promise.reject(Object.assign(new Error('Cannot find module router-1.js'), { code: 'ERR_MODULE_NOT_FOUND' }))
  })
  const answer = async (): Promise<unknown> => {
    const response = await pages.fetch(new Request('http://127.0.0.1/web/sign-in'), {} as HttpBindings)
    return [response.status, await response.text()]
  }
  expect(await answer()).toEqual([503, 'The program of this node was replaced while it was running. Restart the node.\n'])
  expect(await answer()).toEqual([200, 'a page'])
})
