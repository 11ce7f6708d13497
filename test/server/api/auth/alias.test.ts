/**
 * Calls by an alias, which do not reveal its owner: docs/interface/auth.md#login,
 * docs/interface/auth.md#failed-attempts, docs/interface/mfa.md#removal.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request, type Answer } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { share } from '../../../support/people/shares.js'
import { withNode } from '../../../support/nodes/started.js'

const { compared } = vi.hoisted(() => ({ compared: { times: 0 } }))
vi.mock('../../../../src/server/auth/password.js', async (original) => {
  const real = await original<typeof import('../../../../src/server/auth/password.js')>()
  return {
    ...real,
    isPassword: (...args: Parameters<typeof real.isPassword>) => {
      compared.times += 1
      return real.isPassword(...args)
    },
  }
})

const clock = fakeClock()
const node = withNode({ 'auth.trustedApps': '*@*', 'auth.passwordAttempts.freeFailures': 2, 'services.mfa.active': true }, { clock })

let ana: Stage
let ben: Stage
beforeEach(async () => {
  ;[ana, ben] = [await newStage(node()), await newStage(node())]
  compared.times = 0
})

const aliasOf = async (stage: Stage): Promise<string> => (await share(stage, { permissions: [{ streamId: '*', level: 'read' }], randomAlias: true })).alias ?? ''
/** Numbers the clients: each call uses another address, so no limit per client applies. */
let clients = 0
const post = (address: string, path: string, body: object): Promise<Answer> => {
  clients += 1
  const headers = { 'x-forwarded-for': `203.0.113.${clients % 250}` }
  return request(`${node().url}${address}${path}`, { body, headers })
}
const RIGHT = 'correct horse'
const login = (address: string, username: string, password = 'wrong'): Promise<Answer> =>
  post(address, '/auth/login', { username, password, appId: 'test-app' })
const recover = (address: string, username: string, password = 'wrong'): Promise<Answer> =>
  post(address, '/mfa/recover', { username, password, recoveryCode: 'none' })
const outcome = ({ status, body }: Answer): unknown => [status, body['error']]

describe.each([
  ['auth.login', login],
  ['mfa.recover', recover],
])('%s by an alias', (_method, call) => {
  it('gives the same answers to correct and wrong names, with the same work and the same limit', async () => {
    const answersTo = async (username: string): Promise<[number, unknown[]]> => {
      const alias = await aliasOf(ana)
      compared.times = 0
      const answers = []
      for (let n = 0; n < 5; n++) answers.push(outcome(await call(alias, username)))
      return [compared.times, answers]
    }
    const right = await answersTo(ana.username)
    expect(right).toEqual([3, [...Array<unknown>(3).fill([401, expect.objectContaining({ id: 'invalid-credentials' })]), expect.any(Array), expect.any(Array)]])
    expect(right[1][3]).toMatchObject([429, { id: 'too-many-attempts' }])
    expect(await answersTo(ben.username)).toEqual(right)
    expect(await answersTo('nobody-at-all')).toEqual(right)
  })

  it('refuses the password of another name, and counts that as a failure', async () => {
    const alias = await aliasOf(ana)
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await call(alias, ben.username, RIGHT)).status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })

  it('counts failures separately from those by the user name', async () => {
    const alias = await aliasOf(ana)
    for (let n = 0; n < 4; n++) await call(alias, ana.username)
    expect((await login(ana.username, ana.username, RIGHT)).status).toBe(200)
    const other = await aliasOf(ana)
    for (let n = 0; n < 4; n++) await call(ana.username, ana.username)
    expect((await call(ana.username, ana.username)).status).toBe(429)
    expect((await call(other, ana.username)).status).toBe(401)
  })
})

it('a login by an alias is accepted for its owner, and resets the failures', async () => {
  const alias = await aliasOf(ana)
  for (const password of ['wrong', 'wrong', RIGHT, 'wrong', 'wrong', RIGHT]) {
    expect((await login(alias, ana.username, password)).status).toBe(password === RIGHT ? 200 : 401)
  }
  for (let n = 0; n < 3; n++) await login(alias, ana.username)
  expect((await login(alias, ana.username, RIGHT)).status).toBe(429)
  clock.pass(3)
  expect((await login(alias, ana.username, RIGHT)).status).toBe(200)
})

it('password resets requested by an alias are limited separately from those by the user name', async () => {
  const alias = await aliasOf(ana)
  const ask = async (address: string): Promise<number> => (await post(address, '/account/request-password-reset', { appId: 'test-app' })).status
  expect([await ask(alias), await ask(alias), await ask(ana.username), await ask(ana.username)]).toEqual([200, 429, 200, 429])
  expect(await ask(await aliasOf(ana))).toBe(200)
})
