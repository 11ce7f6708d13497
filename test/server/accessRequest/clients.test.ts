/** The published client asks for access, as its log-in button does, and gets what somebody grants. */
import pryv from 'pryv'
import { describe, expect, it } from 'vitest'
import { approve, refuse } from '../../../src/server/accessRequest/approval.js'
import { ownerCall } from '../../../src/server/owner.js'
import { heart } from '../../support/accessRequests.js'
import { connect, serviceOf } from '../../support/pryvClient.js'
import { newStage } from '../../support/scenario.js'
import { withNode } from '../../support/started.js'

type State = Record<string, unknown> & { status: string }

interface Controller {
  init(): Promise<unknown>
  startAuthRequest(): Promise<void>
}

const { AuthController } = (pryv as unknown as { Auth: { AuthController: new (settings: unknown, service: unknown) => Controller } }).Auth

const node = withNode()

/** Asks by the client; answers the key, and how to wait for a state that it has from then on. */
async function asking(requestedPermissions: unknown): Promise<{ key: string; last(status: string): Promise<State> }> {
  const states: State[] = []
  let tell: (() => void) | undefined
  const onStateChange = (state: State): void => {
    states.push(state)
    tell?.()
  }
  const service = serviceOf(node())
  await service.info()
  const authRequest = { requestingAppId: 'client-test', requestedPermissions, languageCode: 'fr' }
  const controller = new AuthController({ authRequest, onStateChange }, service)
  await controller.init()
  const last = async (status: string): Promise<State> => {
    for (;;) {
      const asked = states.findIndex((state) => state.status === 'NEED_SIGNIN')
      const found = states.find((state, at) => asked >= 0 && at >= asked && state.status === status)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (tell = resolve))
    }
  }
  void controller.startAuthRequest()
  const { key } = await last('NEED_SIGNIN')
  return { key: String(key), last }
}

describe('the published client', () => {
  it('gets a token that does what was granted', async () => {
    const s = await newStage(node())
    const loaded = await node().node.accounts.find(s.username)
    if (loaded === undefined) throw new Error('no user')
    const { key, last } = await asking([heart])
    await approve(ownerCall(node().node, loaded), key, [])
    const { username, apiEndpoint } = await last('ACCEPTED')
    expect(username).toBe(s.username)
    const [streams] = await connect(String(apiEndpoint)).api([{ method: 'streams.get', params: {} }])
    expect(streams?.['streams']).toContainEqual(expect.objectContaining({ id: 'heart' }))
    const [refused] = await connect(String(apiEndpoint)).api([{ method: 'streams.create', params: { name: 'x' } }])
    expect(refused).toMatchObject({ error: { id: 'forbidden' } })
  })

  it('is back where it began after a refusal', async () => {
    const { key, last } = await asking([])
    refuse(node().node, key)
    expect(await last('INITIALIZED')).not.toHaveProperty('key')
  })
})
