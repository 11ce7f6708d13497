/** The worked sequence between two nodes, and trouble with whoever receives in it (docs/interface/consents.md#acceptance). */
import { expect } from 'vitest'
import { Failure } from '../../../../src/store/model/failure.js'
import { listAccesses } from '../../../../src/store/accesses/accesses.js'
import type { Clock } from '../../../../src/server/base/clock.js'
import { openGate, type Gate, type Way } from '../../../support/http/gate.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { APP } from './agreeing.js'
import { accountOf, inStream, quiet, seen, type Content, type Seen } from './support.js'

/** A node that others reach through a gate. */
export interface Gated {
  gate: Gate
  node: TestNode
}

/** Starts a node behind a gate: a new one, or one that was stopped. */
export async function startGated(clock: Clock, { home, former }: { home?: string; former?: Gated } = {}): Promise<Gated> {
  const gate = former?.gate ?? (await openGate())
  const place = former?.node.places.home ?? home
  const node = await startTestNode({ 'dnsLess.publicUrl': gate.url }, { clock, ...(place === undefined ? {} : { home: place }) })
  gate.port = node.port
  return { gate, node }
}

/** What goes wrong with who receives: also `full`, a node that answers and cannot write. */
export type Trouble = Exclude<Way, 'open'> | 'full'

/** Runs `work` while a receiver is in trouble. */
async function troubled({ gate, stage }: Party, trouble: Trouble, verb: 'GET' | 'POST', work: () => Promise<void>): Promise<void> {
  const account = await accountOf(stage)
  if (trouble === 'full') account.write = () => Promise.reject(new Failure('storage-full'))
  else gate.way = { verb, way: trouble }
  try {
    await work()
  } finally {
    Reflect.deleteProperty(account, 'write')
    gate.way = 'open'
  }
}

/** One account of the story. */
export interface Party extends Gated {
  stage: Stage
  slug: string
}

export async function newParty(gated: Gated): Promise<Party> {
  const stage = await newStage(gated.node)
  return { ...gated, stage, slug: `${stage.username}--127-0-0-1` }
}

export interface Story {
  /** Asks. */
  a: Party
  /** Agrees. */
  b: Party
  /** Meets whoever receives, once in each step. */
  trouble: Trouble | undefined
  clock: { pass(seconds: number): void }
}

/** What can go wrong with a step because of who receives. */
const STUCK: readonly unknown[] = ['cmc-handler-delivery-failed', 'cmc-handler-offer-read-failed', 'cmc-revoke-delivery-failed']

/** Whether an event says that the other account could not be told. */
export async function isStuck({ stage }: Party, id: string): Promise<boolean> {
  const { failure, deliveryFailure } = (await seen(stage, id)).content as Record<string, { reason: string } | undefined>
  return STUCK.includes((failure ?? deliveryFailure)?.reason)
}

/** Does `work` while `to` is in the trouble of the story, which `verb` meets; answers what `work` does. */
export async function hindered<T>({ trouble }: Story, to: Party, verb: 'GET' | 'POST', work: () => Promise<T>): Promise<T> {
  const results: T[] = []
  const run = async (): Promise<void> => void results.push(await work())
  await (trouble === undefined ? run() : troubled(to, trouble, verb, run))
  return results[0] as T
}

/** Lets the queues run until nothing is left to be sent again. */
export async function healed({ a, b, clock }: Story): Promise<void> {
  for (let n = 0; n < 2; n++) {
    clock.pass(61)
    await quiet(a.node, b.node)
  }
}

/** Writes an event that the other account is told of; answers it as it is in the end. */
export async function tell(story: Story, by: Party, streamId: string, type: string, content: Content): Promise<Seen> {
  const id = await hindered(story, by === story.a ? story.b : story.a, 'POST', async () => {
    const { event } = await by.stage.arrange('events.create', { streamIds: [streamId], type, content })
    await quiet(by.node)
    return (event as Seen).id
  })
  expect([type, await isStuck(by, id)]).toEqual([type, story.trouble !== undefined])
  await healed(story)
  return seen(by.stage, id)
}

/** Has the second account answer a link; each of the three calls that this takes meets the trouble once. */
export async function answer(story: Story, type: string, content: Content): Promise<Seen> {
  const { a, b, trouble, clock } = story
  const { consents } = a.node.node
  const { wake } = consents
  // What the first account does about the answer begins when this is over.
  consents.wake = () => {}
  const id = await hindered(story, a, 'GET', async () => {
    const { event } = await b.stage.arrange('events.create', { streamIds: [APP], type, content })
    await quiet(b.node)
    return (event as Seen).id
  })
  // Whoever cannot write can be read.
  if (trouble !== undefined && trouble !== 'full') expect(await isStuck(b, id)).toBe(true)
  clock.pass(2)
  await hindered(story, a, 'POST', () => quiet(b.node))
  if (trouble !== undefined) expect(await isStuck(b, id)).toBe(true)
  clock.pass(61)
  await quiet(b.node)
  consents.wake = wake
  await hindered(story, b, 'POST', () => quiet(a.node))
  await healed(story)
  return seen(b.stage, id)
}

/** Ids and tokens; no word that an account has is as long. */
const IDS = /\b[a-z][a-z0-9]{23,24}\b/g
/** Of what the store keeps beside what was said. */
const UNTOLD = new Set(['integrity', 'created', 'modified', 'lastUsed'])

/** All that an account has of consents and messages, with names in place of what differs from story to story. */
export async function tracesOf({ a, b }: Pick<Story, 'a' | 'b'>, of: Party): Promise<unknown> {
  const { account, node } = { account: await accountOf(of.stage), node: of.node.node }
  const events = [...(await inStream(of.stage, ':_cmc:apps')), ...(await inStream(of.stage, ':_cmc:inbox'))]
  const accesses = (await listAccesses(account, node.store.seal)).filter(({ access }) => access.clientData?.['cmc'] !== undefined)
  const streams = account.tree.subtree(APP, { trashed: true }).sort()
  const told = (value: unknown): string =>
    JSON.stringify(value, (key, each: unknown) => {
      if (UNTOLD.has(key)) return undefined
      return typeof each === 'number' && each > 1_600_000_000 ? 'when' : each
    })
      .replaceAll(a.stage.username, 'alice')
      .replaceAll(b.stage.username, 'ben')
      .replace(/__cmc-cap-[a-z0-9]+/, 'the link')
  const withoutIds = (text: string): string => text.replace(IDS, 'id')
  const items: { created: number }[] = [...events, ...accesses.map(({ access, token }) => ({ ...access, token: token.reveal() }))]
  const texts = items.sort((one, other) => one.created - other.created).map(told)
  texts.sort((one, other) => (withoutIds(one) < withoutIds(other) ? -1 : 1))
  const names = new Map<string, string>()
  const named = texts.join('\n').replace(IDS, (id) => {
    if (!names.has(id)) names.set(id, `id ${names.size}`)
    return names.get(id) ?? ''
  })
  return { streams: JSON.parse(told(streams)) as unknown, items: named.split('\n').map((text) => JSON.parse(text) as unknown) }
}
