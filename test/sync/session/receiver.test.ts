/** Acknowledgement of groups, in any order of steps. */
import { describe, expect, it } from 'vitest'
import type { Group, Message } from '../../../src/sync/wire/message.js'
import type { Replica } from '../../../src/sync/session/replica.js'
import { createStatusKeeper } from '../../../src/sync/session/status.js'
import { createReceiver } from '../../../src/sync/session/receiver.js'

const group: Group = { type: 'group', entries: [], offers: [], lacking: [], aside: [], answers: false, reconciled: false, left: 0 }

/** Lets a number of steps of other promises pass. */
async function steps(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await Promise.resolve()
}

const STEPS = Array.from({ length: 10 }, (_, n) => n)

describe('applied groups', () => {
  it.each(STEPS)('are all acknowledged when sending an acknowledgement takes %i steps', async (takes) => {
    const acknowledged: Message[] = []
    const receiver = createReceiver({
      replica: { scope: { is: 'mirror' }, merge: () => Promise.resolve([]) } as unknown as Replica,
      link: { send: (message) => (acknowledged.push(message), steps(takes)), messages: () => expect.unreachable() },
      status: createStatusKeeper(() => ({ sent: 0, received: 0 })),
      requested: () => undefined,
      onReceived: () => {},
      onFault: (error) => expect.unreachable(String(error)),
    })
    receiver.receive(group)
    receiver.receive(group)
    await new Promise((resolve) => setImmediate(resolve))
    expect(acknowledged.at(-1)).toEqual({ type: 'acknowledgement', groups: 2, refused: 0, refusals: [] })
  })
})
