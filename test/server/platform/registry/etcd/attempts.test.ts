/** Attempts of calls at members that answer by a script, and the circuit breaker. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { EtcdError } from '../../../../../src/server/platform/registry/etcd/api.js'
import { attemptCall, createBreaker, createMembers, type Members } from '../../../../../src/server/platform/registry/etcd/attempts.js'
import { CallError, type Connection } from '../../../../../src/server/platform/registry/etcd/wire.js'
import { collectingLog, failureOf } from './clients.js'

const connectionOf = (endpoint: string): Connection => ({
  endpoint,
  call: () => Promise.reject(new Error('not expected')),
  open: () => Promise.reject(new Error('not expected')),
  close: () => {},
})
const membersOf = (...endpoints: string[]): Members => createMembers(endpoints.map(connectionOf))

const unreachable = new CallError('No connection established', 14, false)
const noLeader = new CallError('etcdserver: no leader', 14, true)
const silent = new CallError('No answer within 10 ms', 4, true)
const invalid = new CallError('etcdserver: key is not provided', 3, true)
const closed = new CallError('The client is closed', 1, false)

type Step = CallError | string

/** Runs a call against members whose answers are listed: each attempt takes the next one. Resolves with the members that were asked. */
function runCall(members: Members, steps: Step[], { isRepeatable = false, timeoutMs = 2000 } = {}): { asked: string[]; call: Promise<string> } {
  const asked: string[] = []
  const call = attemptCall(members, { timeoutMs, attemptMs: 100, isRepeatable }, ({ endpoint }) => {
    asked.push(endpoint)
    const step = steps.shift()
    if (step === undefined) return Promise.reject(new Error('more attempts than expected'))
    return typeof step === 'string' ? Promise.resolve(step) : Promise.reject(step)
  })
  return { asked, call }
}

describe('attempts of a call', () => {
  it.each<[string, CallError[]]>([
    ['was not sent', [unreachable]],
    ['was refused for lack of a leader', [noLeader, noLeader]],
    ['was not sent for some time', [unreachable, unreachable, unreachable, unreachable]],
  ])('go on at the next member when a change %s', async (_, errors) => {
    const { asked, call } = runCall(membersOf('a', 'b', 'c'), [...errors, 'answer'])
    expect(await call).toBe('answer')
    expect(asked).toEqual(['a', 'b', 'c', 'a', 'b', 'c'].slice(0, errors.length + 1))
  })

  it('end when a change may have been applied', async () => {
    const { asked, call } = runCall(membersOf('a', 'b', 'c'), [unreachable, silent])
    expect(await failureOf(call)).toEqual({ message: expect.stringContaining('b: No answer'), applied: 'maybe', isUnavailable: true })
    expect(asked).toEqual(['a', 'b'])
  })

  it('go on after an unknown outcome of what may be repeated', async () => {
    const { asked, call } = runCall(membersOf('a', 'b', 'c'), [silent, silent, 'answer'], { isRepeatable: true })
    expect(await call).toBe('answer')
    expect(asked).toEqual(['a', 'b', 'c'])
  })

  it('end at a rejection', async () => {
    const { asked, call } = runCall(membersOf('a', 'b'), [unreachable, invalid])
    expect(await failureOf(call)).toEqual({ message: 'etcdserver: key is not provided', applied: 'none', isUnavailable: false })
    expect(asked).toEqual(['a', 'b'])
  })

  it('leave the outcome open when a rejection follows an unknown outcome', async () => {
    const { call } = runCall(membersOf('a', 'b'), [silent, invalid], { isRepeatable: true })
    expect(await failureOf(call)).toMatchObject({ applied: 'maybe', isUnavailable: false })
  })

  it('end when the client is closed', async () => {
    const { call } = runCall(membersOf('a', 'b'), [closed])
    expect(await failureOf(call)).toMatchObject({ message: 'The client is closed', applied: 'none' })
  })

  it.each<[CallError, 'none' | 'maybe']>([[unreachable, 'none'], [silent, 'maybe']])('end when the time is over, after %s', async (error, applied) => {
    const start = performance.now()
    const { call } = runCall(membersOf('a', 'b'), Array.from({ length: 1000 }, () => error), { isRepeatable: true, timeoutMs: 300 })
    expect(await failureOf(call)).toEqual({ message: expect.stringContaining('etcd does not answer'), applied, isUnavailable: true })
    expect(performance.now() - start).toBeLessThan(1300)
  })

  it('begin at the member that answered last', async () => {
    const members = membersOf('a', 'b', 'c')
    await runCall(members, [unreachable, 'answer']).call
    const { asked, call } = runCall(members, ['answer'])
    await call
    expect(asked).toEqual(['b'])
  })
})

describe('the circuit breaker', () => {
  const members = membersOf('a', 'b')
  const probed: string[] = []
  let answers: Record<string, Step> = {}
  const { log, lines } = collectingLog()
  const breaker = createBreaker(members, log, ({ endpoint }) => {
    probed.push(endpoint)
    const step = answers[endpoint] ?? unreachable
    return typeof step === 'string' ? Promise.resolve(step) : Promise.reject(step)
  })
  const call = (...steps: Step[]): Promise<string> => breaker.run(2000, (timeoutMs) => runCall(members, steps, { timeoutMs }).call)
  const refused = { message: 'etcd does not answer', applied: 'none', isUnavailable: true }
  /** Advances the monotonic clock that the breaker reads. */
  let offset = 0
  const now = performance.now.bind(performance)
  beforeAll(() => void vi.spyOn(performance, 'now').mockImplementation(() => now() + offset))
  afterAll(() => vi.mocked(performance.now).mockRestore())
  const advance = (ms: number): void => void (offset += ms)

  it('lets calls through while a member may answer', async () => {
    expect(await failureOf(call(silent))).toMatchObject({ applied: 'maybe' })
    expect(await call('answer')).toBe('answer')
    expect(probed).toEqual([])
  })

  it('refuses calls when none has answered', async () => {
    expect(await failureOf(call(silent))).toMatchObject({ applied: 'maybe' })
    expect(await failureOf(call(silent))).toMatchObject({ applied: 'maybe' })
    expect(await failureOf(call('answer'))).toEqual(refused)
    expect(await failureOf(call('answer'))).toEqual(refused)
    expect(probed).toEqual([])
    expect(lines.map(({ message }) => message)).toEqual(['etcd does not answer'])
  })

  it('asks all members after a while, once for all calls', async () => {
    advance(2100)
    expect(await Promise.all([failureOf(call('answer')), failureOf(call('answer'))])).toEqual([refused, refused])
    expect(probed).toEqual(['a', 'b'])
    expect(await failureOf(call('answer'))).toEqual(refused)
  })

  it('lets calls through again when a member answers', async () => {
    advance(2100)
    answers = { b: 'answer' }
    const [first, second] = await Promise.allSettled([call('answer'), call('answer')])
    expect(first).toEqual({ status: 'fulfilled', value: 'answer' })
    expect(second.status).toBe('rejected')
    expect(members.preferred().endpoint).toBe('b')
    expect(lines.at(-1)?.message).toBe('etcd answers again')
    expect(await call('answer')).toBe('answer')
  })

  it('takes a rejection for an answer', async () => {
    await failureOf(call(silent))
    await failureOf(call(silent))
    expect(await failureOf(call('answer'))).toEqual(refused)
    advance(2100)
    answers = { a: new CallError('etcdserver: permission denied', 7, true) }
    expect(await call('answer')).toBe('answer')
  })

  it('is no concern of rejections', async () => {
    for (let count = 0; count < 5; count++) await expect(call(invalid)).rejects.toThrow(EtcdError)
    expect(await call('answer')).toBe('answer')
  })
})
