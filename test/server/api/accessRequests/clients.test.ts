/** Access requests by releases of the published client, as its login button makes them. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { approve, refuse } from '../../../../src/server/api/accessRequests/approval.js'
import { terminalCall } from '../../../../src/server/dispatch/terminalCaller.js'
import { heart } from '../../../support/people/accessRequests.js'
import { connect, releases, serviceOf, soon, type AuthController, type Release } from '../../../support/http/pryvClient.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'

type State = Record<string, unknown> & { status: string }

const node = withNode()

interface AuthSession {
  key: string
  first: State
  /** Waits until the client reports a status, after its request was created. */
  stateWith(status: string): Promise<State>
}

async function startAuth(release: Release, requestedPermissions: unknown, more: object = {}): Promise<AuthSession> {
  const states: State[] = []
  let notify: (() => void) | undefined
  const onStateChange = (state: State): void => {
    states.push(state)
    notify?.()
  }
  const service = serviceOf(node(), release)
  await service.info()
  const authRequest = { requestingAppId: 'client-test', requestedPermissions, languageCode: 'fr', ...more }
  const controller = new release.library.Auth.AuthController({ authRequest, onStateChange }, service)
  await controller.init()
  expect(states.map(({ status }) => status)).toEqual(['LOADING', 'INITIALIZED'])
  const stateWith = async (status: string): Promise<State> => {
    for (;;) {
      const requested = states.findIndex((state) => state.status === 'NEED_SIGNIN')
      const found = states.find((state, at) => requested >= 0 && at >= requested && state.status === status)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (notify = resolve))
    }
  }
  // The controller polls until the request is decided or stopped.
  onTestFinished(() => controller.stopAuthRequest('the test is over'))
  void controller.startAuthRequest()
  const first = await stateWith('NEED_SIGNIN')
  return { key: String(first['key']), first, stateWith }
}

async function approveAs(s: Stage, key: string): Promise<void> {
  const loaded = await node().node.accounts.find(s.username)
  if (loaded === undefined) throw new Error('no user')
  await approve(terminalCall(node().node, loaded), key, [])
}

describe.each(releases)('$name', (release) => {
  it('receives a token with the granted permissions', async () => {
    const s = await newStage(node())
    const { key, stateWith } = await startAuth(release, [heart])
    await approveAs(s, key)
    const { username, apiEndpoint, token } = await stateWith('ACCEPTED')
    expect(username).toBe(s.username)
    const app = connect(String(apiEndpoint), release)
    expect(app.token).toBe(token)
    expect(await app.username()).toBe(s.username)
    const [streams] = await app.api([{ method: 'streams.get', params: {} }])
    expect(streams?.['streams']).toContainEqual(expect.objectContaining({ id: 'heart' }))
    const [refused] = await app.api([{ method: 'streams.create', params: { name: 'x' } }])
    expect(refused).toMatchObject({ error: { id: 'forbidden' } })
  })

  it('receives the sign-in URL and the parameters of its request', async () => {
    const clientData = { 'app-web-auth:description': { type: 'note/txt', content: 'This is a consent message.' } }
    const returnURL = 'https://app.example/back?'
    const { first, key } = await startAuth(release, [heart], { clientData, returnURL, referer: 'an advertisement' })
    expect(first).toMatchObject({ status: 'NEED_SIGNIN', id: 'NEED_SIGNIN', poll: `${node().url}reg/access/${key}`, poll_rate_ms: expect.any(Number) as number })
    expect(first['url']).toBe(first['authUrl'])
    expect(first).toMatchObject({ clientData, returnURL, requestedPermissions: [heart] })
  })

  it('returns to its initial state after a refusal', async () => {
    const { key, stateWith } = await startAuth(release, [])
    await refuse(node().node, key)
    expect(await stateWith('INITIALIZED')).not.toHaveProperty('key')
  })

  it('requests access with a custom login button, restores the stored authorization, and signs out', async () => {
    const s = await newStage(node())
    const states: State[] = []
    let stored: State | undefined
    let auth: AuthController | undefined
    class Button {
      constructor(readonly settings: unknown, readonly service: unknown) {}
      async init(): Promise<void> {
        auth = new release.library.Auth.AuthController(this.settings, this.service, this)
        await auth.init()
      }
      getAuthorizationData(): State | undefined {
        return stored
      }
      onStateChange(state: State): void {
        states.push({ ...state })
        if (state.status === 'ACCEPTED') stored = state
        if (state.status === 'SIGNOUT') stored = undefined
      }
    }
    const settings = (): object => ({ authRequest: { requestingAppId: 'client-test', requestedPermissions: [heart] } })
    const setUp = (): Promise<unknown> => release.library.Auth.setupAuth(settings(), `${node().url}service/info`, undefined, Button)
    const status = (): string | undefined => states.at(-1)?.status
    await setUp()
    expect(status()).toBe('INITIALIZED')
    void auth?.handleClick()
    await soon(status).toBe('NEED_SIGNIN')
    await approveAs(s, String(states.at(-1)?.['key']))
    await soon(status).toBe('ACCEPTED')
    await setUp()
    expect(states.at(-1)).toMatchObject({ status: 'ACCEPTED', username: s.username })
    await auth?.handleClick()
    expect([status(), stored]).toEqual(['SIGNOUT', undefined])
  })
})
