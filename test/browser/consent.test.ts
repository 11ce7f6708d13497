/** Browser tests of the consent page: the app, the access that it replaces, invites, and obstacles. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { grantAccess } from '../support/people/access.js'
import { APP, askAccess, diary, mood, pollOf, weight } from '../support/people/authorize.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { ask, share } from '../support/people/shares.js'
import { invite, newRequester, offering } from '../server/api/consents/consentFlow.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { isAt, signIn } from './support/steps.js'

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48"><rect width="48" height="48" rx="8" fill="#276"/></svg>`
const listed = {
  displayName: { en: 'My Diary', fr: 'Mon journal' },
  description: { en: 'Keeps what you write, and what you weigh.' },
  iconURL: `data:image/svg+xml,${encodeURIComponent(ICON)}`,
}
const message = 'We study how people sleep. Your diary stays with you; we read it for three months.'

inBrowser('the consent page', () => {
  const browser = withBrowser()
  let node: TestNode
  let owner: string
  beforeAll(async () => {
    node = await startTestNode({ appList: { [APP]: listed } })
    owner = await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  it('shows a listed app, its message and the access that it replaces, and the result of refusing', async () => {
    const alice = { node, username: 'alice', owner }
    await ask(alice, owner, 'POST', '/streams', { id: 'diary', name: 'Journal' })
    const old = await grantAccess(node, 'alice', [{ streamId: 'diary', level: 'manage' }], { name: APP })
    await share(alice, { type: 'shared', permissions: [{ streamId: 'diary', level: 'read' }] }, old.token)
    const accessRequest = await askAccess(node, {
      requestedPermissions: [diary, weight, mood],
      consent: { allowUserChoice: true, mandatory: ['diary'] },
      clientData: { 'app-web-auth:description': { type: 'note/txt', content: message } },
      expireAfter: 90 * 86_400,
    })
    const page = await browser.open(accessRequest.authUrl)
    await signIn(page, 'alice')
    await isAt(page, '/web/authorize')
    await page.getByRole('heading', { name: 'My Diary asks for access to the account alice' }).waitFor()
    for (const text of [listed.description.en, message, 'It ends when you accept', 'shared with one other', '90 days']) {
      await page.getByText(text).waitFor()
    }
    await expect.poll(() => page.evaluate<boolean>(`document.querySelector('.app img').naturalWidth === 48`), { timeout: 15_000 }).toBe(true)
    await inspect(page, 'consent-listed')
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('heading', { name: 'Access refused' }).waitFor()
    await inspect(page, 'consent-refused')
    expect((await pollOf(accessRequest)).body).toMatchObject({ status: 'REFUSED', reasonId: 'USER_DENIED' })
  })

  it('requires an answer to each consent to another account', async () => {
    const clinic = await newRequester(node)
    const choice = { allowUserChoice: true, permissions: [{ streamId: 'diary', level: 'read', mandatory: true }, { streamId: 'mood', level: 'read', optIn: true }] }
    const links = [await invite(clinic, offering({ title: { en: 'Sleep study' }, ...choice })), await invite(clinic, offering({ title: { en: 'Survey' } }))]
    const [study, survey] = links.map(({ content }) => content['capabilityUrl'])
    const accessRequest = await askAccess(node, { requestingAppId: 'study-app', cmcInvites: [{ capabilityUrl: study, mandatory: true }, { capabilityUrl: survey }] })
    const page = await browser.open(accessRequest.authUrl)
    await signIn(page, 'alice')
    await isAt(page, '/web/authorize')
    const [first, second] = [page.getByRole('region').nth(0), page.getByRole('region').nth(1)]
    await first.getByText('Sleep study').waitFor()
    await first.getByText('required by the app').waitFor()
    await inspect(page, 'consent-invites')
    // No option is preselected: the browser requires a choice.
    await first.getByRole('radio', { name: 'I agree', exact: true }).check()
    await page.getByRole('button', { name: 'Accept' }).click()
    expect(new URL(page.url()).pathname).toBe('/web/authorize')
    await first.getByRole('checkbox', { name: /mood/ }).check()
    await second.getByRole('radio', { name: 'I do not agree' }).check()
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('heading', { name: 'Access given' }).waitFor()
    await page.getByText('You gave one consent to another account.').waitFor()
    await inspect(page, 'consent-invites-done')
    const { status, cmcInvites } = (await pollOf(accessRequest)).body
    expect([status, cmcInvites]).toEqual(['ACCEPTED', [expect.objectContaining({ acceptEventId: expect.any(String) as string }), { declined: true }]])
  })

  it('explains why a request can only be refused', async () => {
    const accessRequest = await askAccess(node, {
      requestingAppId: 'unknown-app',
      cmcInvites: [{ capabilityUrl: 'https://study.example/consent', mandatory: true }],
    })
    const page = await browser.open(accessRequest.authUrl)
    await signIn(page, 'alice')
    await isAt(page, '/web/authorize')
    await page.getByRole('alert').getByText('requires a consent to another account').waitFor()
    expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0)
    await inspect(page, 'consent-obstacles')
  })
})
