/** A used MFA code stays used after a kill at any time after the response. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { initialise } from '../../src/server/launch/init.js'
import { expectSound } from '../support/store/check.js'
import { placesOf, request, type TestNode } from '../support/nodes/node.js'
import { callsOf, codeAt, trusting, wrongCodeAt } from '../support/people/totp.js'
import { nodeProcesses, type NodeProcess } from './process.js'

const startNode = nodeProcesses()
const homes: string[] = []
afterAll(() => Promise.all(homes.map((home) => rm(home, { recursive: true, force: true }))))

const now = (): number => Date.now() / 1000
const codeNow = (secret: string, step = 0): string => codeAt(secret, now() + 30 * step)

describe('after a kill', () => {
  it('codes of the app, wrong codes and recovery codes have the state of their responses', async () => {
    const home = await mkdtemp(join(tmpdir(), 'coffer-mfa-'))
    homes.push(home)
    await initialise(placesOf(home))
    let child: NodeProcess | undefined
    let url = ''
    let token = ''
    const calls = (): ReturnType<typeof callsOf> => callsOf({ url } as TestNode, { username: 'alice', token })
    const begin = async (): Promise<void> => {
      child = await startNode(home, { ...trusting, 'services.mfa.attempts.backoff.baseSeconds': 300 })
      url = (await child.open()).url ?? ''
    }
    const killed = async (): Promise<void> => {
      await child?.kill()
      await begin()
    }
    const waiting = async (): Promise<string> => String((await calls().login()).body['mfaToken'])

    await begin()
    const account = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
    token = String((await request(`${url}users`, { body: account })).body['token'])
    const { body } = await calls().activate()
    const secret = String(body['secret'])
    const first = codeNow(secret, -1)
    const confirmed = await calls().confirm(String(body['mfaToken']), first)
    expect(confirmed.status).toBe(200)
    await killed()
    expect((await calls().verify(await waiting(), first)).status).toBe(400)

    const code = codeNow(secret)
    expect((await calls().verify(await waiting(), code)).status).toBe(200)
    await killed()
    const again = await waiting()
    expect(await calls().verify(again, code)).toMatchObject({ status: 400, body: { error: { data: { id: 'invalid-mfa-code' } } } })
    for (let n = 0; n < 3; n++) expect((await calls().verify(again, wrongCodeAt(secret, now()))).status).toBe(400)
    await killed()
    expect((await calls().verify(again, code)).status).toBe(403)
    expect((await calls().verify(await waiting(), codeNow(secret, 1))).status).toBe(429)

    const [recoveryCode] = confirmed.body['recoveryCodes'] as string[]
    expect((await calls().recover(recoveryCode)).status).toBe(200)
    await killed()
    expect((await calls().login()).status).toBe(200)
    expect((await calls().recover(recoveryCode)).status).toBe(400)
    await child?.kill()
    await expectSound(placesOf(home))
  }, 60_000)
})
