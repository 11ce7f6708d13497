/** Credentials after a kill have the state of their responses: a used token is used, a wrong password is counted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { registerUser, request, startTestNode, type Answer } from '../support/nodes/node.js'
import { testMailer } from '../support/services/mail.js'
import { nodeProcesses, type NodeProcess } from './process.js'

const settings = {
  'auth.trustedApps': '*@*',
  'auth.passwordResetPageURL': 'https://example.org/reset',
  // Longer than a process takes to start.
  'auth.passwordAttempts.baseSeconds': 300,
}
const users = process.env['LONG'] === '1' ? ['alice', 'bobby', 'carol'] : ['alice']
const { home } = homes()
const startProcess = nodeProcesses()
const mail = testMailer()
const { sent } = mail
let places: HomePlaces
/** The next process, started during the one before. */
let spare: Promise<NodeProcess>

beforeAll(async () => {
  places = await home()
  const node = await startTestNode(settings, { home: places.home, mail })
  for (const user of users) {
    await registerUser(node, user)
    await request(`${node.url}${user}/account/request-password-reset`, { body: { appId: 'test-app' } })
  }
  await node.stop()
  spare = startProcess(places.home, settings)
})
afterAll(async () => (await spare).kill())

async function opened(): Promise<{ url: string; node: NodeProcess }> {
  const node = await spare
  spare = startProcess(places.home, settings)
  return { url: (await node.open()).url ?? '', node }
}

const post = (url: string, user: string, path: string, body: object): Promise<Answer> =>
  request(`${url}${user}/${path}`, { body: { appId: 'test-app', ...body } })
const tokenOf = (user: string): string => {
  const mailed = sent.find(({ kind, to }) => kind === 'resetPassword' && to.startsWith(user))
  return String(mailed?.substitutions['RESET_TOKEN'])
}

describe('a node that is killed right after a response', () => {
  it('has stored that a token was used, and the new password', { timeout: 60_000 }, async () => {
    for (const user of users) {
      const first = await opened()
      const body = { resetToken: tokenOf(user), newPassword: 'battery staple' }
      expect((await post(first.url, user, 'account/reset-password', body)).status).toBe(200)
      await first.node.kill()
      const second = await opened()
      expect((await post(second.url, user, 'account/reset-password', body)).status).toBe(401)
      const login = { username: user, password: 'battery staple' }
      expect((await post(second.url, user, 'auth/login', login)).status).toBe(200)
      await second.node.kill()
    }
    await expectSound(places)
  })

  it('has counted wrong passwords', { timeout: 60_000 }, async () => {
    const login = { username: 'alice', password: 'wrong' }
    for (let n = 0; n < 2; n++) {
      const { url, node } = await opened()
      for (let times = 0; times < 3; times++) expect((await post(url, 'alice', 'auth/login', login)).status).toBe(401)
      await node.kill()
    }
    const { url, node } = await opened()
    expect((await post(url, 'alice', 'auth/login', login)).status).toBe(429)
    await node.kill()
    await expectSound(places)
  })
})
