/** A sequence of consents and messages between two nodes, with faults of the receiver (docs/interface/consents.md#acceptance). */
import { expect } from 'vitest'
import { Failure } from '../../../../src/store/model/failure.js'
import { listAccesses } from '../../../../src/store/accesses/accesses.js'
import type { Clock } from '../../../../src/server/base/clock.js'
import { openGate, type Gate, type Way } from '../../../support/http/gate.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { APP } from './consentFlow.js'
import { accountOf, inStream, deliverDue, storedEvent, type Content, type StoredEvent } from './support.js'

/** A node that other nodes call through a gate. */
export interface GatedNode {
  gate: Gate
  node: TestNode
}

/** Starts a node behind a gate: a new one, or one that was stopped. */
export async function startGatedNode(clock: Clock, { home, former }: { home?: string; former?: GatedNode } = {}): Promise<GatedNode> {
  const gate = former?.gate ?? (await openGate())
  const homeFolder = former?.node.places.home ?? home
  const node = await startTestNode({ 'dnsLess.publicUrl': gate.url }, { clock, ...(homeFolder === undefined ? {} : { home: homeFolder }) })
  gate.port = node.port
  return { gate, node }
}

/** Faults of a receiver: those of a gate, and `full`, a node that answers but cannot write. */
export type Fault = Exclude<Way, 'open'> | 'full'

/** Runs `work` while a receiver has a fault. */
async function withNodeFault({ gate, stage }: Party, fault: Fault, verb: 'GET' | 'POST', work: () => Promise<void>): Promise<void> {
  const account = await accountOf(stage)
  if (fault === 'full') account.write = () => Promise.reject(new Failure('storage-full'))
  else gate.way = { verb, way: fault }
  try {
    await work()
  } finally {
    Reflect.deleteProperty(account, 'write')
    gate.way = 'open'
  }
}

/** An account of the scenario. */
export interface Party extends GatedNode {
  stage: Stage
  slug: string
}

export async function newParty(gated: GatedNode): Promise<Party> {
  const stage = await newStage(gated.node)
  return { ...gated, stage, slug: `${stage.username}--127-0-0-1` }
}

export interface Scenario {
  /** Requester. */
  a: Party
  /** Accepter. */
  b: Party
  /** Fault of the receiver, once in each step. */
  fault: Fault | undefined
  clock: { pass(seconds: number): void }
}

/** Failures of a step that are caused by the receiver. */
const DELIVERY_FAILURES: readonly unknown[] = ['cmc-handler-delivery-failed', 'cmc-handler-offer-read-failed', 'cmc-revoke-delivery-failed']

/** Checks whether an event reports a failed delivery to the other account. */
export async function hasDeliveryFailure({ stage }: Party, id: string): Promise<boolean> {
  const { failure, deliveryFailure } = (await storedEvent(stage, id)).content as Record<string, { reason: string } | undefined>
  return DELIVERY_FAILURES.includes((failure ?? deliveryFailure)?.reason)
}

/** Runs `work` while calls of `verb` to the receiver have the fault of the scenario; returns the result of `work`. */
export async function withFault<T>({ fault }: Scenario, to: Party, verb: 'GET' | 'POST', work: () => Promise<T>): Promise<T> {
  const results: T[] = []
  const run = async (): Promise<void> => void results.push(await work())
  await (fault === undefined ? run() : withNodeFault(to, fault, verb, run))
  return results[0] as T
}

/** Runs the queues until no delivery is left to retry. */
export async function retryDeliveries({ a, b, clock }: Scenario): Promise<void> {
  for (let n = 0; n < 2; n++) {
    clock.pass(61)
    await deliverDue(a.node, b.node)
  }
}

/** Creates an event that is delivered to the other account; returns it as finally stored. */
export async function sendMessage(scenario: Scenario, by: Party, streamId: string, type: string, content: Content): Promise<StoredEvent> {
  const id = await withFault(scenario, by === scenario.a ? scenario.b : scenario.a, 'POST', async () => {
    const { event } = await by.stage.arrange('events.create', { streamIds: [streamId], type, content })
    await deliverDue(by.node)
    return (event as StoredEvent).id
  })
  expect([type, await hasDeliveryFailure(by, id)]).toEqual([type, scenario.fault !== undefined])
  await retryDeliveries(scenario)
  return storedEvent(by.stage, id)
}

/** Answers a link by the accepter. Each of the three calls that this requires meets the fault once. */
export async function answerOffer(scenario: Scenario, type: string, content: Content): Promise<StoredEvent> {
  const { a, b, fault, clock } = scenario
  const { consents } = a.node.node
  const { wake } = consents
  // Postpones the work of the requester until the answer is delivered.
  consents.wake = () => {}
  const id = await withFault(scenario, a, 'GET', async () => {
    const { event } = await b.stage.arrange('events.create', { streamIds: [APP], type, content })
    await deliverDue(b.node)
    return (event as StoredEvent).id
  })
  // A receiver that cannot write can still be read.
  if (fault !== undefined && fault !== 'full') expect(await hasDeliveryFailure(b, id)).toBe(true)
  clock.pass(2)
  await withFault(scenario, a, 'POST', () => deliverDue(b.node))
  if (fault !== undefined) expect(await hasDeliveryFailure(b, id)).toBe(true)
  clock.pass(61)
  await deliverDue(b.node)
  consents.wake = wake
  await withFault(scenario, b, 'POST', () => deliverDue(a.node))
  await retryDeliveries(scenario)
  return storedEvent(b.stage, id)
}

/** Matches ids and tokens: no other word of an account is as long. */
const IDS = /\b[a-z][a-z0-9]{23,24}\b/g
/** Keys that differ between runs of the scenario. */
const IGNORED_KEYS = new Set(['integrity', 'created', 'modified', 'lastUsed'])

/** Returns the consents and messages of an account, with placeholders for ids, times and names that differ between runs. */
export async function snapshotOf({ a, b }: Pick<Scenario, 'a' | 'b'>, of: Party): Promise<unknown> {
  const { account, node } = { account: await accountOf(of.stage), node: of.node.node }
  const events = [...(await inStream(of.stage, ':_cmc:apps')), ...(await inStream(of.stage, ':_cmc:inbox'))]
  const accesses = (await listAccesses(account, node.store.seal)).filter(({ access }) => access.clientData?.['cmc'] !== undefined)
  const streams = account.tree.subtree(APP, { trashed: true }).sort()
  const normalised = (value: unknown): string =>
    JSON.stringify(value, (key, each: unknown) => {
      if (IGNORED_KEYS.has(key)) return undefined
      return typeof each === 'number' && each > 1_600_000_000 ? 'when' : each
    })
      .replaceAll(a.stage.username, 'alice')
      .replaceAll(b.stage.username, 'ben')
      .replace(/__cmc-cap-[a-z0-9]+/, 'the link')
  const withoutIds = (text: string): string => text.replace(IDS, 'id')
  const items: { created: number }[] = [...events, ...accesses.map(({ access, token }) => ({ ...access, token: token.reveal() }))]
  const texts = items.sort((one, other) => one.created - other.created).map(normalised)
  texts.sort((one, other) => (withoutIds(one) < withoutIds(other) ? -1 : 1))
  const names = new Map<string, string>()
  const named = texts.join('\n').replace(IDS, (id) => {
    if (!names.has(id)) names.set(id, `id ${names.size}`)
    return names.get(id) ?? ''
  })
  return { streams: JSON.parse(normalised(streams)) as unknown, items: named.split('\n').map((text) => JSON.parse(text) as unknown) }
}
