/**
 * Consents between accounts on two cores of a platform, which call each other over HTTP at the addresses of the platform
 * (docs/interface/messages.md#calls-between-accounts).
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Cores } from '../../../../src/server/platform/cores/cores.js'
import { openGate, type Gate } from '../../../support/http/gate.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { acceptLink, inStream, invite, newRequester, relationsOf, SCOPE, write } from './consentFlow.js'
import { deliverDue, storedEvent } from './support.js'

let gate: Gate
let nodes: TestNode[]
let calls: string[] = []

const holderOf = async (username: string): Promise<TestNode | undefined> => {
  for (const node of nodes) if ((await node.node.accounts.find(username)) !== undefined) return node
  return undefined
}
const coresAt = (at: number): Cores => ({
  async ofAccount(name) {
    const username = name.toLowerCase()
    const holder = await holderOf(username)
    return holder === undefined ? undefined : { username, core: holder === nodes[at] ? 'here' : { url: gate.url } }
  },
  named: () => undefined,
})

/** Port of the core of each account, for the gate. */
const ports = new Map<string, number>()

beforeAll(async () => {
  gate = await openGate()
  gate.port = (path) => {
    calls.push(path)
    return ports.get(path.split('/')[1] ?? '') ?? 1
  }
  const settings = { 'dnsLess.publicUrl': gate.url }
  nodes = []
  for (const at of [0, 1]) nodes.push(await startTestNode(settings, { cores: coresAt(at) }))
})
afterAll(async () => {
  for (const node of nodes) await node.stop()
  await gate.stop()
})

const registerPort = <S extends Stage>(stage: S): S => {
  ports.set(stage.username, stage.node.port)
  return stage
}
const slug = ({ username }: Stage): string => `${username}--127-0-0-1`

it('accounts on different cores agree on a consent and exchange messages', async () => {
  const [one, two] = nodes as [TestNode, TestNode]
  const [alice, bob, carol] = [registerPort(await newRequester(one)), registerPort(await newStage(two)), registerPort(await newStage(one))]
  const { content } = await invite(alice)
  calls = []
  expect(await acceptLink(bob, content['capabilityUrl'])).toMatchObject({ status: 'completed', from: { username: alice.username } })
  await deliverDue(one, two)
  expect(calls).toEqual([
    expect.stringMatching(`^/${alice.username}/events\\?`),
    `/${alice.username}/events`,
    // The node calls the accepting account back before it accepts the answer.
    `/${bob.username}/access-info`,
    `/${bob.username}/events`,
  ])
  expect([await relationsOf(alice), await relationsOf(bob)]).toMatchObject([[{}], [{}]])
  for (const [from, to] of [[alice, bob], [bob, alice]] as const) {
    const { id } = await write(from, 'message/chat-cmc', { content: from.username }, `${SCOPE}:chats:${slug(to)}`)
    await deliverDue(one, two)
    expect((await storedEvent(from, id)).content).toMatchObject({ status: 'completed' })
    expect((await inStream(to, `${SCOPE}:chats:${slug(from)}`))[0]?.content).toMatchObject({ content: from.username })
  }
  expect(calls).toHaveLength(6)

  // Accounts of the same core are called without HTTP, and unknown names are not called.
  calls = []
  const second = await invite(alice)
  expect(await acceptLink(carol, second.content['capabilityUrl'])).toMatchObject({ status: 'completed' })
  const unknown = String(second.content['capabilityUrl']).replace(alice.username, 'nobody-at-all')
  expect(await acceptLink(carol, unknown)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-offer-read-failed', detail: { status: 404 } } })
  expect(calls).toEqual([])
})
