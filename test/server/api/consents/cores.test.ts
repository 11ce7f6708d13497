/**
 * Accounts of one platform on two of its cores: they are called over HTTP, at the addresses of the platform
 * (docs/interface/messages.md#calls-between-accounts).
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Cores } from '../../../../src/server/httpClient/cores.js'
import { openGate, type Gate } from '../../../support/http/gate.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { accepting, inStream, invite, newRequester, relationsOf, SCOPE, write } from './agreeing.js'
import { quiet, seen } from './support.js'

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
    return holder === undefined ? undefined : { username, core: holder === nodes[at] ? 'here' : { url: holder.url } }
  },
  named: () => undefined,
})

/** Whose account is whose, for the gate. */
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

const placed = <S extends Stage>(stage: S): S => {
  ports.set(stage.username, stage.node.port)
  return stage
}
const slug = ({ username }: Stage): string => `${username}--127-0-0-1`

it('they agree, and message each other', async () => {
  const [one, two] = nodes as [TestNode, TestNode]
  const [alice, bob, carol] = [placed(await newRequester(one)), placed(await newStage(two)), placed(await newStage(one))]
  const { content } = await invite(alice)
  calls = []
  expect(await accepting(bob, content['capabilityUrl'])).toMatchObject({ status: 'completed', from: { username: alice.username } })
  await quiet(one, two)
  expect(calls).toEqual([
    expect.stringMatching(`^/${alice.username}/events\\?`),
    `/${alice.username}/events`,
    // The node calls the accepting account back before it takes the answer.
    `/${bob.username}/access-info`,
    `/${bob.username}/events`,
  ])
  expect([await relationsOf(alice), await relationsOf(bob)]).toMatchObject([[{}], [{}]])
  for (const [from, to] of [[alice, bob], [bob, alice]] as const) {
    const { id } = await write(from, 'message/chat-cmc', { content: from.username }, `${SCOPE}:chats:${slug(to)}`)
    await quiet(one, two)
    expect((await seen(from, id)).content).toMatchObject({ status: 'completed' })
    expect((await inStream(to, `${SCOPE}:chats:${slug(from)}`))[0]?.content).toMatchObject({ content: from.username })
  }
  expect(calls).toHaveLength(6)

  // Whoever is on the same core is called within it, and nobody by a name that nobody has.
  calls = []
  const second = await invite(alice)
  expect(await accepting(carol, second.content['capabilityUrl'])).toMatchObject({ status: 'completed' })
  const nobody = String(second.content['capabilityUrl']).replace(alice.username, 'nobody-at-all')
  expect(await accepting(carol, nobody)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-offer-read-failed', detail: { status: 404 } } })
  expect(calls).toEqual([])
})
