/** Browser tests of OAuth with a strict client, from the authorize endpoint until the app reads data. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../support/nodes/node.js'
import { addClient, publishOffer } from '../support/people/oauth.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { BACK, oauthResult, serveOAuthApp, START } from './support/oauthApp.js'
import { withSite } from './support/site.js'
import { isAt, signIn } from './support/steps.js'

const entry = (streamId: string, more: object = {}): object => ({ streamId, level: 'read', defaultName: `Stream ${streamId}`, ...more })

inBrowser('an OAuth client', () => {
  const browser = withBrowser()
  const site = withSite()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
    const [lab, alice] = await Promise.all([registerUser(node, 'heart-lab'), registerUser(node, 'alice')])
    const capabilityUrl = await publishOffer(node, 'heart-lab', lab, {
      title: { en: 'The heart study' },
      description: { en: 'How hearts beat at night.' },
      consent: { en: 'I take part in the study.' },
      permissions: [entry('heart', { mandatory: true }), entry('diary'), entry('mood', { optIn: true })],
      allowUserChoice: true,
    })
    const redirectUris = [site().otherSite + BACK]
    await addClient(node, 'heart-app', { clientName: 'Heart App', username: 'heart-lab', cmcOffers: { study: { capabilityUrl } }, redirectUris })
    await request(`${node.url}alice/streams`, { token: alice, body: { id: 'heart', name: 'Heart' } })
    await request(`${node.url}alice/events`, { token: alice, body: { streamId: 'heart', type: 'frequency/bpm', content: 61 } })
    const issuer = node.url.slice(0, -1)
    const app = { issuer, client_id: 'heart-app', redirect_uri: redirectUris[0] ?? '', scope: 'cmc:study', reads: ['heart', 'diary', 'mood'] }
    await serveOAuthApp(site(), app)
  })
  afterAll(() => node.stop())

  /** Opens the app, which redirects to the node, and signs in there. */
  async function signInByApp(button: string): Promise<Page> {
    const page = await (await browser.context({ origins: [new URL(node.url).origin], apps: [site().otherSite] })).newPage()
    await page.goto(site().otherSite + START)
    await page.getByRole('button', { name: button, exact: true }).click()
    await isAt(page, '/web/sign-in')
    await signIn(page, 'alice')
    await isAt(page, '/web/oauth-consent')
    return page
  }

  const ticks = async (page: Page): Promise<[checked: boolean, disabled: boolean][]> => {
    const boxes = await page.getByRole('checkbox').all()
    return Promise.all(boxes.map(async (box): Promise<[boolean, boolean]> => [await box.isChecked(), await box.isDisabled()]))
  }

  it('gets the selected permissions by a bearer token', async () => {
    const page = await signInByApp('Connect')
    for (const text of ['The heart study', 'How hearts beat at night.', 'I take part in the study.', 'For the account alice.', new URL(site().otherSite).host]) {
      await page.getByText(text).first().waitFor()
    }
    // Mandatory permissions are locked, opt-in permissions are not checked.
    expect(await ticks(page)).toEqual([[true, true], [true, false], [false, false]])
    // The page lists the other rights of acceptance, and explains how they end.
    for (const text of ['write messages to you', 'send you alerts', 'ask you for more access', 'write to your inbox of consents', 'Both accesses end together']) {
      await page.getByText(text).waitFor()
    }
    await inspect(page, 'oauth-consent')
    await page.getByLabel('read “Stream diary”').uncheck()
    await page.getByLabel('read “Stream mood”').check()
    await page.getByRole('button', { name: 'Accept' }).click()
    // The deselected stream was not created; the others exist.
    expect(await oauthResult(page)).toEqual({
      token: { token_type: 'bearer', scope: 'cmc:study', expires_in: 3600 },
      reads: { heart: [200, 1], diary: [400, 0], mood: [200, 0] },
      bare: 200,
      refreshed: ['bearer', 200],
    })
    expect(new URL(page.url()).searchParams.get('iss')).toBe(node.url.slice(0, -1))
  })

  it('gets a token that is valid only with its key', async () => {
    const page = await signInByApp('Connect with a key')
    await page.getByRole('button', { name: 'Accept' }).click()
    // The stream that this consent adds exists too; the token covers only the current selection.
    expect(await oauthResult(page)).toEqual({
      token: { token_type: 'dpop', scope: 'cmc:study', expires_in: 3600 },
      reads: { heart: [200, 1], diary: [200, 0], mood: [403, 0] },
      bare: 403,
      refreshed: ['dpop', 200],
    })
  })

  it('receives a refusal, and no token', async () => {
    const page = await signInByApp('Connect')
    await page.getByRole('button', { name: 'Refuse' }).click()
    expect(await oauthResult(page)).toEqual({ error: 'access_denied' })
    const query = new URL(page.url()).searchParams
    expect([...query.keys()].sort()).toEqual(['error', 'iss', 'state'])
  })
})
