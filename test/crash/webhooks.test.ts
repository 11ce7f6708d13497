/** Pending webhook messages and results of calls survive a kill at any time. */
import { expect, it } from 'vitest'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { runWebhookStory, storySettings } from '../support/services/webhookStory.js'
import { nodeProcesses, type NodeProcess } from './process.js'

const { home } = homes()
const startNode = nodeProcesses()

it('after a kill, webhooks continue where they were', async () => {
  const places = await home()
  let child: NodeProcess | undefined
  await runWebhookStory({
    async start() {
      child = await startNode(places.home, storySettings)
      return (await child.open()).url ?? ''
    },
    end: async () => child?.kill(),
  })
  expect((await expectSound(places)).checked['webhooks']).toBe(1)
}, 180_000)
