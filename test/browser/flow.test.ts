/** Browser tests of the access request of an app with the published client `pryv`, until the app reads data. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeClock } from '../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../support/nodes/node.js'
import { codeAt } from '../support/people/totp.js'
import { serveApp, stateOf, statusesOf, withApp, type AppState } from './support/app.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { isAt, keyOn, PASSWORD, signIn, typeCode } from './support/steps.js'

const APP = 'heart-watch'
const entry = (streamId: string, level: string): Record<string, string> => ({ streamId, level, defaultName: `Stream ${streamId}` })
const authRequest = {
  requestingAppId: APP,
  requestedPermissions: [entry('diary', 'read'), entry('weight', 'contribute'), entry('mood', 'manage')],
  consent: { allowUserChoice: true, mandatory: ['diary'] },
}

inBrowser('an app that requests access', () => {
  const browser = withBrowser()
  const app = withApp()
  const clock = fakeClock()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({}, { clock })
    for (const name of ['bobby', 'carol', 'diane', 'edgar']) await registerUser(node, name)
  })
  afterAll(() => node.stop())

  const origin = (): string => new URL(node.url).origin
  const contextFor = (more: object = {}): Promise<BrowserContext> =>
    browser.context({ origins: [origin()], apps: [app().otherSite], ...more })

  /** Opens the page of the app, on another site than the node. */
  async function openApp(context: BrowserContext, more: object = {}): Promise<Page> {
    await serveApp(app(), `${node.url}service/info`, { ...authRequest, ...more })
    const page = await context.newPage()
    await page.goto(app().otherSite + app().path)
    await stateOf(page, 'INITIALIZED')
    return page
  }

  /** Clicks the login button of the app; returns the pop-up once it shows a page of the node. */
  async function popUpOf(page: Page): Promise<Page> {
    const opened = page.waitForEvent('popup')
    await page.getByRole('button').click()
    const popUp = await opened
    await isAt(popUp, '/web/sign-in')
    return popUp
  }

  /** Reads a stream in the page of the app with its endpoint; returns the HTTP status. */
  const read = (page: Page, { apiEndpoint }: AppState, streamId: string): Promise<number> =>
    page.evaluate<number>(`(() => {
      const { endpoint, token } = pryv.utils.extractTokenAndAPIEndpoint('${apiEndpoint ?? ''}')
      return pryv.utils.fetchGet(endpoint + 'events', { streams: '${streamId}' }, { Authorization: token })
    })().then(({ response }) => response.status)`)

  /** Creates a stream as the owner of an account without a second factor. */
  async function createStream(username: string, id: string): Promise<void> {
    const body = { username, password: PASSWORD, appId: 'owner' }
    const login = await request(`${node.url}${username}/auth/login`, { body, headers: { origin: origin() } })
    const created = await request(`${node.url}${username}/streams`, { token: String(login.body['token']), body: { id, name: `Stream ${id}` } })
    expect(created.status).toBe(201)
  }

  it('gets exactly the selected permissions, after registration, second factor and consent', async () => {
    const context = await contextFor()
    const page = await openApp(context)
    const popUp = await popUpOf(page)
    await inspect(popUp, 'flow-1-sign-in')
    await popUp.getByRole('link', { name: 'Create an account' }).click()
    await isAt(popUp, '/web/register')
    await inspect(popUp, 'flow-2-register')
    await popUp.getByLabel('User name').fill('alice')
    await popUp.getByText('This user name is free.').waitFor()
    await popUp.getByLabel('E-mail address').fill('alice@example.org')
    await popUp.getByLabel('Choose a password').fill(PASSWORD)
    await popUp.getByLabel('Repeat the password').fill(PASSWORD)
    await popUp.getByRole('button', { name: 'Create the account' }).click()
    await isAt(popUp, '/web/authorize')

    await createStream('alice', 'weight')
    // Before answering, the new owner sets up a second factor in another window.
    const otherPage = await context.newPage()
    await otherPage.goto(`${node.url}web/second-factor/set-up`)
    await otherPage.getByRole('button', { name: 'Continue' }).click()
    const secret = await keyOn(otherPage)
    await typeCode(otherPage, codeAt(secret, clock.now()))
    await otherPage.getByRole('heading', { name: 'The second factor is on' }).waitFor()
    clock.pass(30)
    // The offer includes the new stream only after a reload.
    await popUp.reload()
    await popUp.getByRole('button', { name: 'Use another account' }).click()
    await isAt(popUp, '/web/sign-in')
    await signIn(popUp, 'alice')
    await isAt(popUp, '/web/second-factor')
    await typeCode(popUp, codeAt(secret, clock.now()))

    await isAt(popUp, '/web/authorize')
    await popUp.getByRole('heading', { name: `${APP} asks for access to the account alice` }).waitFor()
    await inspect(popUp, 'flow-3-consent')
    expect(await popUp.getByRole('checkbox').count()).toBe(3)
    expect(await popUp.getByLabel('read “Stream diary”').isDisabled()).toBe(true)
    await popUp.getByLabel('read, add to and modify “Stream weight”').uncheck()
    expect(await statusesOf(page)).not.toContain('ACCEPTED')
    const closed = popUp.waitForEvent('close')
    await popUp.getByRole('button', { name: 'Accept' }).click()
    await closed

    const state = await stateOf(page, 'ACCEPTED')
    expect(state).toMatchObject({ username: 'alice', apiEndpoint: expect.stringContaining('@') as string })
    expect([await read(page, state, 'diary'), await read(page, state, 'mood'), await read(page, state, 'weight')]).toEqual([200, 200, 403])
    expect(await page.getByRole('button').textContent()).toContain('alice')
    // The log contains no token.
    const token = /\/\/([^@]+)@/.exec(state.apiEndpoint ?? '')?.[1] ?? 'no token'
    expect(node.logged.join('\n')).not.toContain(token)
  })

  it('receives a refusal', async () => {
    const page = await openApp(await contextFor())
    const popUp = await popUpOf(page)
    await signIn(popUp, 'bobby')
    await isAt(popUp, '/web/authorize')
    const closed = popUp.waitForEvent('close')
    await popUp.getByRole('button', { name: 'Refuse' }).click()
    await closed
    await page.waitForFunction('states.length > 3 && states.at(-1).status === "INITIALIZED"')
    expect(await statusesOf(page)).toEqual(['LOADING', 'INITIALIZED', 'NEED_SIGNIN', 'INITIALIZED'])
  })

  it('gets nothing when its request has expired, which the page reports', async () => {
    const page = await openApp(await contextFor())
    const popUp = await popUpOf(page)
    await signIn(popUp, 'bobby')
    await isAt(popUp, '/web/authorize')
    clock.pass(3601)
    await popUp.getByRole('button', { name: 'Accept' }).click()
    await popUp.getByRole('heading', { name: 'This request has expired' }).waitFor()
    await inspect(popUp, 'flow-expired')
    expect(await statusesOf(page)).not.toContain('ACCEPTED')
    await popUp.goBack()
    await popUp.reload()
    await popUp.getByRole('heading', { name: 'This request has expired' }).waitFor()
  })

  it('gets one access despite double clicks, reloads and going back', async () => {
    const context = await contextFor()
    const page = await openApp(context)
    const popUp = await popUpOf(page)
    await popUp.reload()
    await signIn(popUp, 'carol')
    await isAt(popUp, '/web/authorize')
    await popUp.goBack()
    await isAt(popUp, '/web/authorize')
    await popUp.reload()
    const address = popUp.url()
    const closed = popUp.waitForEvent('close')
    await popUp.getByRole('button', { name: 'Accept' }).dblclick()
    await closed
    await stateOf(page, 'ACCEPTED')
    const again = await context.newPage()
    await again.goto(address)
    await again.getByRole('heading', { name: 'Access given' }).waitFor()
    await inspect(again, 'flow-4-done')
    await again.goto(`${node.url}web/access/apps`)
    expect(await again.getByRole('link', { name: /^Details/ }).filter({ hasText: APP }).count()).toBe(1)
  })

  it('is accepted without changes when it has the access already', async () => {
    const context = await contextFor()
    const page = await openApp(context)
    const popUp = await popUpOf(page)
    await signIn(popUp, 'carol')
    await popUp.getByText('The app has this access already').waitFor()
    await inspect(popUp, 'flow-3-consent-again')
    const closed = popUp.waitForEvent('close')
    await popUp.getByRole('button', { name: 'Accept' }).click()
    await closed
    await stateOf(page, 'ACCEPTED')
  })

  it('gets the user back with the token by a redirect instead of a pop-up', async () => {
    const page = await openApp(await contextFor(), { returnURL: 'self#' })
    await page.getByRole('button').click()
    await isAt(page, '/web/sign-in')
    await signIn(page, 'diane')
    await isAt(page, '/web/authorize')
    await page.getByRole('button', { name: 'Accept' }).click()
    await isAt(page, app().path)
    expect(page.url()).not.toMatch(/token|apiEndpoint/i)
    const state = await stateOf(page, 'ACCEPTED')
    expect(state.username).toBe('diane')
    expect(await read(page, state, 'diary')).toBe(200)
  })

  it('retrieves its token once by a shared secret', async () => {
    const page = await openApp(await contextFor(), { credentialHandoff: 'shared-secret', requestingAppId: 'handed-app' })
    const popUp = await popUpOf(page)
    await signIn(popUp, 'bobby')
    await isAt(popUp, '/web/authorize')
    const closed = popUp.waitForEvent('close')
    await popUp.getByRole('button', { name: 'Accept' }).click()
    await closed
    const state = await stateOf(page, 'ACCEPTED')
    expect(state).toMatchObject({ apiEndpoint: `${node.url}bobby/`, handoff: { type: 'shared-secret' } })
    expect(state).not.toHaveProperty('token')
    const { key } = state['handoff'] as { key: string }
    const redeem = (): Promise<{ status: number; body: Record<string, unknown> }> =>
      page.evaluate(`fetch('${state.apiEndpoint ?? ''}shared-secrets/retrieve', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ key: '${key}' }),
      }).then(async (answer) => ({ status: answer.status, body: await answer.json() }))`)
    const first = await redeem()
    const secret = first.body['secret'] as AppState
    expect([first.status, secret.username]).toEqual([200, 'bobby'])
    expect(await read(page, secret, 'diary')).toBe(200)
    const second = await redeem()
    expect([second.status, second.body]).toEqual([403, expect.not.objectContaining({ secret: expect.anything() as unknown })])
  })

  it.each(['Accept', 'Refuse'])('gets an answer without scripts: %s', async (answer) => {
    const { body } = await request(`${node.url}reg/access`, { body: { ...authRequest, languageCode: 'en' } })
    const context = await browser.context({ origins: [origin()], javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(String(body['authUrl']))
    await signIn(page, 'edgar')
    await page.getByRole('button', { name: answer }).click()
    await page.getByText('You can close this window.').waitFor()
    const poll = await request(String(body['poll']))
    expect(poll.body['status']).toBe(answer === 'Accept' ? 'ACCEPTED' : 'REFUSED')
  })

  it.each([
    ['fr', 'Accepter'],
    ['de', 'Annehmen'],
  ])('selects the language of the pages: %s', async (languageCode, accept) => {
    const { body } = await request(`${node.url}reg/access`, { body: { ...authRequest, languageCode } })
    const page = await browser.open(String(body['authUrl']))
    expect(await page.locator('html').getAttribute('lang')).toBe(languageCode)
    await page.locator('input[name=name]').fill('edgar')
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await isAt(page, '/web/authorize')
    expect(await page.locator('html').getAttribute('lang')).toBe(languageCode)
    await page.getByRole('button', { name: accept }).waitFor()
    await inspect(page, `flow-3-consent-${languageCode}`)
  })
})
