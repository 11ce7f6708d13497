import { expect, it, beforeAll, afterAll } from 'vitest'
import { startTestNode, type TestNode } from '../../support/node.js'
import { newStage } from '../../support/scenario.js'
import { newHolder, pointsOf, stored, values } from './support.js'
let node: TestNode
beforeAll(async () => { node = await startTestNode() })
afterAll(() => node.stop())
it('stores and reads', async () => {
  const stage = await newStage(node)
  const id = await newHolder(stage)
  await stored(stage, id, values([2, 3], [1, 2]))
  expect(await pointsOf(stage, id)).toEqual({ fields: ['deltaTime', 'value'], points: [[1, 2], [2, 3]] })
})
