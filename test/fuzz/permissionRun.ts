/** Random account with random accesses, whose calls are each checked by the naive evaluator. */
import { expect } from 'vitest'
import { grantAccess } from '../support/people/access.js'
import { registerUser, request, type TestNode } from '../support/nodes/node.js'
import { callThrough } from '../support/http/methodTable.js'
import { flattened, newModel, type Model, type View } from './permissionModel.js'
import { randomCall, type CheckedCall } from './permissionCalls.js'
import { randomPermissions } from './permissionDraws.js'
import { pick, type Next } from './oddJson.js'
import type { Grant } from '../support/oracles/naivePermissions.js'

const ACCESSES = 6
const CALLS = 40
const STREAMS = 9
const EVENTS = 24

export interface Counts {
  /** Events and streams in results. */
  shown: number
  /** Successful changes. */
  accepted: number
  /** Refused calls. */
  refused: number
}

interface Caller {
  grant: Grant
  token: string
}

/** Common part of `callThrough` and a batch. */
export interface Answer {
  status: number
  body: Record<string, unknown>
}

/** Runs calls on one account; throws for a response that the specification does not allow. */
export async function runAccount(node: TestNode, next: Next, seed: number): Promise<Counts> {
  const username = `maze-${String(seed).padStart(6, '0')}-${next(10 ** 6)}`
  const owner = await registerUser(node, username)
  const stage = { node, username }
  const model = newModel()
  await fillAccount(stage, owner, model, next)
  const callers: Caller[] = [{ grant: { accessId: 'owner', permissions: undefined }, token: owner }]
  for (let i = 0; i < ACCESSES; i++) {
    const permissions = randomPermissions(next, [...model.streams.keys()])
    const type = pick(next, ['app', 'app', 'shared'] as const)
    const { id, token } = await grantAccess(node, username, permissions, { type })
    callers.push({ grant: { accessId: id, permissions }, token })
  }
  const counts: Counts = { shown: 0, accepted: 0, refused: 0 }
  for (let i = 0; i < CALLS * ACCESSES; i++) {
    const caller = next(25) === 0 ? callers[0] : pick(next, callers.slice(1))
    if (caller === undefined) continue
    const calls = Array.from({ length: next(4) === 0 ? 1 + next(4) : 1 }, () => randomCall(next, model, seed, i))
    const answers = calls.length === 1 ? [await direct(stage, caller, calls[0])] : await batch(stage, caller, calls)
    for (const [at, call] of calls.entries()) {
      const answer = answers[at] ?? { status: 0, body: {} }
      try {
        checkAnswer(call, caller, answer, model, counts)
      } catch (error) {
        const asked = `SEED=${seed}, call ${i}: ${call.method} ${JSON.stringify(call.params)}`
        const state = `${JSON.stringify(caller.grant)}\n${JSON.stringify(answer.body)}\n${model.toText()}`
        throw new Error(`${asked}\n${error instanceof Error ? error.message : String(error)}\n${state}`, { cause: error })
      }
    }
  }
  await compareWithOwner(stage, owner, model)
  return counts
}

type Stage = { node: TestNode; username: string }

/** Checks one response, and applies its changes to the model. */
function checkAnswer(call: CheckedCall, { grant }: Caller, answer: Answer, model: Model, counts: Counts): void {
  expect(answer.status).toBeLessThan(500)
  const isDone = answer.status < 300
  if (!isDone) {
    counts.refused += 1
    // A refusal reveals no protected content.
    expect(JSON.stringify(answer.body)).not.toContain('kept-')
  }
  const verdict = call.verdict(grant, model)
  if (verdict.expected !== undefined) {
    expect(isDone ? 'done' : 'refused', verdict.why).toBe(verdict.expected)
  }
  if (!isDone) return
  const { shown, accepted } = call.apply(answer.body, grant, model)
  counts.shown += shown
  counts.accepted += accepted
}

async function direct(stage: Stage, { token }: Caller, call: CheckedCall | undefined): Promise<Answer> {
  if (call === undefined) throw new Error('no call')
  return callThrough('http', stage, token, call.method, call.params)
}

async function batch({ node, username }: Stage, { token }: Caller, calls: readonly CheckedCall[]): Promise<Answer[]> {
  const body = calls.map(({ method, params }) => ({ method, params }))
  const answer = await request(`${node.url}${username}`, { token, body })
  expect(answer.status).toBe(200)
  const results = answer.body['results'] as Record<string, unknown>[]
  expect(results).toHaveLength(calls.length)
  return results.map((result) => ({ status: 'error' in result ? 403 : 200, body: result }))
}

/** Creates streams and events, some in the trash. */
async function fillAccount(stage: Stage, owner: string, model: Model, next: Next): Promise<void> {
  const { node, username } = stage
  const made = async (method: string, params: unknown): Promise<Record<string, unknown>> => {
    const { status, body } = await callThrough('http', stage, owner, method, params)
    if (status >= 300) throw new Error(`${method} of ${username} at ${node.url}: ${JSON.stringify(body)}`)
    return body
  }
  const ids = Array.from({ length: STREAMS }, (_, i) => `s${i}`)
  for (const [i, id] of ids.entries()) {
    const parentId = i === 0 || next(3) === 0 ? null : `s${next(2) === 0 ? i - 1 : next(i)}`
    await made('streams.create', { id, name: id, parentId })
    model.streams.set(id, { parentId, trashed: false })
  }
  for (let i = 0; i < EVENTS; i++) {
    const streamIds = [...new Set(Array.from({ length: 1 + next(3) }, () => pick(next, ids)))]
    const tags = next(3) === 0 ? [pick(next, ['t', 'u'])] : []
    const params = { streamIds, type: 'note/txt', content: `kept-${i}`, tags, trashed: next(6) === 0 }
    const { event } = await made('events.create', params)
    model.events.set((event as { id: string }).id, { streamIds, tags, trashed: params.trashed })
  }
  for (const id of ids) {
    if (next(8) !== 0) continue
    await made('streams.delete', { id })
    model.streams.set(id, { parentId: model.streams.get(id)?.parentId ?? null, trashed: true })
  }
}

/** Expects that the account has all accepted changes, and no others. */
async function compareWithOwner(stage: Stage, owner: string, model: Model): Promise<void> {
  const events = await callThrough('http', stage, owner, 'events.get', { state: 'all', limit: 10000 })
  const found = (events.body['events'] as { id: string; streamIds: string[]; trashed?: boolean }[])
    .filter(({ id }) => !id.startsWith(':'))
    .map(({ id, streamIds, trashed }): [string, unknown] => [id, { streamIds, trashed: trashed === true }])
  const meant = [...model.events].map(([id, { streamIds, trashed }]): [string, unknown] => [id, { streamIds, trashed }])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(meant))
  const { body } = await callThrough('http', stage, owner, 'streams.get', { state: 'all' })
  const streams = flattened(body['streams'] as View[]).filter(({ id }) => !id.startsWith(':'))
  expect(new Map(streams.map(({ id, parentId, trashed }) => [id, { parentId, trashed: trashed === true }]))).toEqual(
    new Map(model.streams),
  )
}
