/** Browser tests of an app with the published client `pryv`, and a delegate who grants access to a managed account. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { APP, askAccess, pollOf } from '../support/people/authorize.js'
import { attach, inviteDelegate, type Person } from '../support/people/delegations.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { serveApp, stateOf, withApp, type AppState } from './support/app.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { isAt, signIn } from './support/steps.js'

const authRequest = {
  requestingAppId: APP,
  requestedPermissions: [{ streamId: 'diary', level: 'manage', defaultName: 'Diary' }],
}

inBrowser('a delegate of other accounts', () => {
  const browser = withBrowser()
  const app = withApp()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
    const people: Person[] = []
    for (const username of ['alice', 'mother', 'father']) people.push({ username, token: await registerUser(node, username) })
    const [alice, mother, father] = people
    if (alice === undefined || mother === undefined || father === undefined) throw new Error('missing account')
    await attach(node, mother, alice)
    await inviteDelegate(node, father, alice)
  })
  afterAll(() => node.stop())

  async function openApp(context: BrowserContext, more: object): Promise<Page> {
    await serveApp(app(), `${node.url}service/info`, { ...authRequest, ...more })
    const page = await context.newPage()
    await page.goto(app().otherSite + app().path)
    await stateOf(page, 'INITIALIZED')
    return page
  }

  const contextFor = (): Promise<BrowserContext> =>
    browser.context({ origins: [new URL(node.url).origin], apps: [app().otherSite] })

  async function popUpOf(page: Page): Promise<Page> {
    const opened = page.waitForEvent('popup')
    await page.getByRole('button').click()
    const popUp = await opened
    await isAt(popUp, '/web/sign-in')
    return popUp
  }

  /** Returns the access info that the app receives in its page. */
  const accessInfo = (page: Page, { apiEndpoint = '' }: AppState): Promise<Record<string, unknown>> =>
    page.evaluate<Record<string, unknown>>(`new pryv.Connection('${apiEndpoint}').accessInfo()`)

  it('selects a managed account, and the app gets a working access to it', async () => {
    const page = await openApp(await contextFor(), {})
    const popUp = await popUpOf(page)
    await signIn(popUp, 'alice')
    await isAt(popUp, '/web/act-for')
    await popUp.getByRole('heading', { name: 'Who is this for?' }).waitFor()
    await popUp.getByText('invited you to manage this account').waitFor()
    await inspect(popUp, 'act-for-1-question')
    // No option is preselected: the browser requires a choice.
    await popUp.getByRole('button', { name: 'Continue' }).click()
    expect(new URL(popUp.url()).pathname).toBe('/web/act-for')
    await popUp.getByRole('radio', { name: /^mother/ }).check()
    await popUp.getByRole('button', { name: 'Continue' }).click()
    await isAt(popUp, '/web/authorize')
    await popUp.getByRole('heading', { name: `${APP} asks for access to the account mother` }).waitFor()
    await popUp.getByText('You are answering for the account mother').waitFor()
    await inspect(popUp, 'act-for-2-consent')
    const closed = popUp.waitForEvent('close')
    await popUp.getByRole('button', { name: 'Accept' }).click()
    await closed
    const state = await stateOf(page, 'ACCEPTED')
    expect(state).toMatchObject({ username: 'mother', apiEndpoint: expect.stringMatching(/@.*\/mother\/$/) as string })
    expect(await accessInfo(page, state)).toMatchObject({
      user: { username: 'mother' },
      delegation: { isDelegatedAccess: true, delegate: { username: 'alice' }, grantedVia: 'app' },
    })
    const created = await page.evaluate<{ status: number }[]>(
      `new pryv.Connection('${state.apiEndpoint ?? ''}').api([{ method: 'events.create', params: { streamIds: ['diary'], type: 'note/txt', content: 'x' } }])`,
    )
    expect(created).toMatchObject([{ event: { content: 'x' } }])
  })

  it('creates a managed account for an app that requires one', async () => {
    const page = await openApp(await contextFor(), { actAs: 'allow', actAsManagedOnly: true })
    const popUp = await popUpOf(page)
    await signIn(popUp, 'father')
    await isAt(popUp, '/web/act-for')
    await popUp.getByRole('alert').getByText('you manage none').waitFor()
    await inspect(popUp, 'act-for-3-none')
    await popUp.getByRole('link', { name: 'Create an account for someone else' }).click()
    await isAt(popUp, '/web/act-for/new')
    await popUp.getByLabel('User name').fill('little-one')
    await popUp.getByText('This user name is free.').waitFor()
    await inspect(popUp, 'act-for-4-create')
    await popUp.getByRole('button', { name: 'Create the account' }).click()
    await popUp.getByRole('heading', { name: `${APP} asks for access to the account little-one` }).waitFor()
    const closed = popUp.waitForEvent('close')
    await popUp.getByRole('button', { name: 'Accept' }).click()
    await closed
    const state = await stateOf(page, 'ACCEPTED')
    expect(await accessInfo(page, state)).toMatchObject({ user: { username: 'little-one' }, delegation: { grantedVia: 'app' } })
  })

  it('is informed when an app requires an account that they do not manage', async () => {
    const request = await askAccess(node, { actAs: 'father' })
    const page = await browser.open(request.authUrl)
    await signIn(page, 'alice')
    await page.getByRole('alert').getByText('wants access to the account father, which you do not manage').waitFor()
    await inspect(page, 'act-for-5-unavailable')
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('heading', { name: 'Access refused' }).waitFor()
    expect((await pollOf(request)).body).toMatchObject({ status: 'REFUSED', reasonId: 'MANAGED_ACCOUNT_UNAVAILABLE' })
  })

  it.each([
    ['fr', 'Pour qui est-ce ?', 'Continuer', 'Accepter'],
    ['de', 'Für wen ist das?', 'Weiter', 'Annehmen'],
  ])('answers in the language of the request, without scripts: %s', async (languageCode, title, go, accept) => {
    const request = await askAccess(node, { languageCode, requestingAppId: `app-in-${languageCode}` })
    const context = await browser.context({ origins: [new URL(node.url).origin], javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(request.authUrl)
    await page.locator('input[name=name]').fill('alice')
    await page.locator('input[name=password]').fill('correct horse')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: title }).waitFor()
    await page.getByRole('radio', { name: /^mother/ }).check()
    await page.getByRole('button', { name: go }).click()
    await page.getByRole('button', { name: accept }).click()
    await isAt(page, '/web/done')
    expect((await pollOf(request)).body).toMatchObject({ status: 'ACCEPTED', username: 'mother' })
  })
})
