/** Links, changes, delegations, requests and consents on the pages of the console, in a browser without scripts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dayBounds } from '../../../../src/server/pages/times.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { ask, share } from '../../../support/people/shares.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

const DAY = 86_400
const clock = fakeClock()
let node: TestNode
let people = 0
beforeAll(async () => {
  node = await startTestNode({}, { clock })
})
afterAll(() => node.stop())

interface Setup {
  node: TestNode
  username: string
  owner: string
  browser: Visitor
}

async function signedInOwner(): Promise<Setup> {
  people += 1
  const username = `friend-${people}`
  const owner = await registerUser(node, username)
  const setup: Setup = { node, username, owner, browser: visitor(node) }
  for (const [id, name] of [['heart', 'Heart'], ['diary', 'Diary']]) await ask(setup, owner, 'POST', '/streams', { id, name })
  await setup.browser.open('/web/sign-in')
  await setup.browser.submit({ name: username, password: 'correct horse' })
  return setup
}

interface AccessView {
  id: string
  name: string
  type: string
  token: string
  permissions: unknown[]
  expires?: number
  clientData?: unknown
  apiEndpoint: string
}

async function accessNamed(setup: Setup, name: string): Promise<AccessView | undefined> {
  const { body } = await ask(setup, setup.owner, 'GET', '/accesses')
  return (body['accesses'] as AccessView[]).find((access) => access.name === name)
}

describe('a new link', () => {
  it('opens the chosen streams until the chosen end, and is shown as text and QR code', async () => {
    const setup = await signedInOwner()
    await setup.browser.open('/web/access/link/new?stream=heart')
    expect(setup.browser.page.html).toMatch(/<input type="checkbox" name="stream" value="heart" checked/)
    const page = await setup.browser.submit({ name: 'Dr Weber', level: 'read', end: 'week', note: 'For the check' })
    const access = await accessNamed(setup, 'Dr Weber')
    expect(access).toMatchObject({ type: 'shared', permissions: [{ streamId: 'heart', level: 'read' }], clientData: { note: 'For the check' } })
    expect(access?.expires).toBeCloseTo(clock.now() + 7 * DAY, -2)
    expect(page.path).toBe(`/web/access/link?id=${access?.id}&done=made`)
    expect(page.path).not.toContain(String(access?.token))
    expect(page.text).toContain(String(access?.apiEndpoint))
    expect(page.html).toContain('class="qr"')
  })

  it('has a level of its own for each stream, chosen in a second step', async () => {
    const setup = await signedInOwner()
    await setup.browser.open('/web/access/link/new')
    const fields = { name: 'Coach', stream: ['heart', 'diary'], level: 'each', end: 'never' }
    const second = await setup.browser.submit(fields)
    expect(second.text).toContain('Choose for each stream:')
    await setup.browser.submit({ ...fields, 'level:heart': 'manage', 'level:diary': 'create-only' })
    const access = await accessNamed(setup, 'Coach')
    expect(access?.permissions).toEqual([{ streamId: 'heart', level: 'manage' }, { streamId: 'diary', level: 'create-only' }])
    expect(access?.expires).toBeUndefined()
  })

  it.each([
    ['name', { name: ' ' }, 'Enter a name.'],
    ['stream', { name: 'x', stream: null }, 'Choose what it opens.'],
    ['stream', { name: 'x', stream: 'gone' }, 'no longer exists'],
    ['level', { name: 'x', level: 'all' }, 'Choose what is possible'],
    ['until', { name: 'x', end: 'date', until: '2026-02-30' }, 'Enter the date'],
    ['until', { name: 'x', end: 'date', until: '2001-01-01' }, 'in the past'],
    ['note', { name: 'x', note: 'n'.repeat(1001) }, 'too long'],
  ])('reports a problem with %s %j, and shows the typed values again', async (_, fields, text) => {
    const setup = await signedInOwner()
    await setup.browser.open('/web/access/link/new')
    const page = await setup.browser.submit({ stream: 'heart', level: 'read', end: 'month', ...fields })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(text)])
    expect(await accessNamed(setup, 'x')).toBeUndefined()
  })

  it('needs a name that is not taken', async () => {
    const setup = await signedInOwner()
    await share(setup, { name: 'Anna', permissions: [{ streamId: 'heart', level: 'read' }] })
    await setup.browser.open('/web/access/link/new?stream=diary')
    const page = await setup.browser.submit({ name: 'Anna', level: 'read' })
    expect(page.text).toContain('already an access with this name')
    expect(page.html).toMatch(/id="name"[^>]*value="Anna"[^>]*aria-invalid="true"/)
  })

  it('can be a key for an app', async () => {
    const setup = await signedInOwner()
    await setup.browser.open('/web/access/link/new?kind=app')
    await setup.browser.submit({ name: 'my-script', device: 'NAS', everything: '1', level: 'manage' })
    expect(await accessNamed(setup, 'my-script')).toMatchObject({ type: 'app', deviceName: 'NAS', permissions: [{ streamId: '*', level: 'manage' }] })
  })
})

describe('a change of an access', () => {
  it('takes streams away, lowers levels, adds streams, and sets end, name and note', async () => {
    const setup = await signedInOwner()
    const { id, token } = await share(setup, { name: 'Coach', permissions: [{ streamId: 'heart', level: 'manage' }, { streamId: 'other', level: 'read' }], clientData: { mine: 1 } })
    await setup.browser.open(`/web/access/change?id=${id}`)
    const fields = { 'level-0': 'read', 'level-1': 'away', stream: 'diary', addLevel: 'create-only', end: 'day', name: 'Trainer', note: 'Hello' }
    const page = await setup.browser.submit(fields)
    expect(page.text).toContain('Access changed.')
    const access = await accessNamed(setup, 'Trainer')
    expect(access).toMatchObject({ token, permissions: [{ streamId: 'heart', level: 'read' }, { streamId: 'diary', level: 'create-only' }], clientData: { mine: 1, note: 'Hello' } })
    expect(access?.expires).toBeCloseTo(clock.now() + DAY, -2)
  })

  it('is refused when nothing would be left, or the access has changed meanwhile', async () => {
    const setup = await signedInOwner()
    const { id } = await share(setup, { name: 'Coach', permissions: [{ streamId: 'heart', level: 'read' }] })
    await setup.browser.open(`/web/access/change?id=${id}`)
    const fields = { 'level-0': 'away', name: 'Coach', end: 'keep' }
    expect((await setup.browser.submit(fields)).text).toContain('Nothing would be left.')
    await ask(setup, setup.owner, 'PUT', `/accesses/${id}`, { permissions: [{ streamId: 'heart', level: 'manage' }] })
    const page = await setup.browser.submit({ ...fields, 'level-0': 'create-only' })
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('changed in the meantime')])
  })
})

describe('delegations', () => {
  it('are offered, accepted and ended, each side on its page', async () => {
    const [ana, ben] = [await signedInOwner(), await signedInOwner()]
    const path = '/web/access/delegations'
    await ana.browser.open(path)
    const unknown = await ana.browser.submit({ username: 'nobody-here', do: 'invite' })
    expect(unknown.text).toContain('There is no account with this user name.')
    const invited = await ana.browser.submit({ username: ben.username, do: 'invite' })
    expect(invited.text).toContain(`${ben.username} is invited.`)
    await ben.browser.open('/web/access')
    expect(ben.browser.page.text).toContain('Delegations (1 waiting)')
    await ben.browser.open(path)
    expect(ben.browser.page.text).toContain(`${ana.username} invites you`)
    await ben.browser.submit({ do: 'accept', username: ana.username })
    expect(ben.browser.page.text).toContain(`You now act for ${ana.username}.`)
    expect((await ben.browser.open(`/web/access?as=${ana.username}`)).text).toContain('You share nothing by a link.')
    await ana.browser.open(`${path}/end?do=detach&name=${ben.username}`)
    expect(ana.browser.page.text).toContain(`${ben.username} can no longer open this account.`)
    await ana.browser.submit()
    expect(ana.browser.page.text).toContain('You have no delegates.')
    expect((await ben.browser.open(path)).text).toContain('You manage no other account.')
  })

  it('can be refused', async () => {
    const [ana, ben] = [await signedInOwner(), await signedInOwner()]
    await ask(ana, ana.owner, 'POST', '/delegations/attach-request', { delegateUsername: ben.username })
    await ben.browser.open(`/web/access/delegations/end?do=refuse&name=${ana.username}`)
    expect((await ben.browser.submit()).text).toContain('You manage no other account.')
  })
})

describe('requests of apps', () => {
  it('open by their key or address', async () => {
    const setup = await signedInOwner()
    const body = { requestingAppId: 'heart-watch', requestedPermissions: [{ streamId: 'heart', level: 'read', defaultName: 'Heart' }] }
    const { body: created } = await request(`${node.url}reg/access`, { method: 'POST', body })
    const { key, authUrl } = created as { key: string; authUrl: string }
    for (const code of [key, authUrl]) {
      await setup.browser.open('/web/access/requests')
      const page = await setup.browser.submit({ code })
      expect(page.path).toContain(`/web/authorize?key=${key}`)
      expect(page.text).toContain('heart-watch')
    }
    await setup.browser.open('/web/access/requests')
    for (const code of ['unknown-key-0000', 'https://example.org/', '<b>']) expect((await setup.browser.submit({ code })).status).toBe(404)
  })
})

describe('consents', () => {
  it('are given after reading the request, carry messages, and are withdrawn', async () => {
    const [ana, ben] = [await signedInOwner(), await signedInOwner()]
    const scope = ':_cmc:apps:study'
    await ask(ana, ana.owner, 'POST', '/streams', { id: scope, name: 'study', parentId: ':_cmc:apps' })
    const texts = (en: string) => ({ en })
    const offer = { title: texts('Sleep study'), description: texts('How people sleep'), consent: texts('I take part'), permissions: [{ streamId: 'diary', level: 'read' }] }
    const content = { to: null, capabilityRequested: true, capability: { mode: 'single-use' }, request: offer, requesterMeta: { displayName: 'Ana', appId: 'study' } }
    const { body } = await ask(ana, ana.owner, 'POST', '/events', { streamIds: [scope], type: 'consent/request-cmc', content })
    const { id, content: stored } = body['event'] as { id: string; content: { capabilityUrl: string } }
    expect((await ana.browser.open(`/web/access/consent?id=${id}`)).text).toContain('Your request')

    await ben.browser.open('/web/access/consent/answer')
    expect((await ben.browser.submit({ link: 'not a link' })).text).toContain('This is not a link to a request.')
    const shown = await ben.browser.submit({ link: stored.capabilityUrl })
    for (const part of ['Sleep study', 'How people sleep', 'I take part', 'Diary']) expect(shown.text).toContain(part)
    expect(shown.html).not.toContain(stored.capabilityUrl)
    const accepted = await ben.browser.submit({ do: 'accept' })
    expect(accepted.text).toContain('You accepted the request.')
    await ben.browser.submit({ message: 'Good morning' })
    expect(ben.browser.page.text).toContain('Good morning')

    expect((await ana.browser.open('/web/access/consents')).text).toContain('Given to you')
    const link = /\/web\/access\/consent\?id=[\w%]+/.exec(ana.browser.page.html.split('Given to you')[0] ?? '')?.[0] ?? ''
    expect((await ana.browser.open(link)).text).toContain('Good morning')

    await ben.browser.open(`${ben.browser.page.path.split('&')[0]}&do=withdraw`)
    expect(ben.browser.page.text).toContain('Withdraw this consent?')
    expect((await ben.browser.submit()).text).toContain('Consent withdrawn.')
    expect((await ben.browser.open('/web/access/consents')).text).toContain('ended')
  })
})

it.each([
  ['2026-11-27', 'UTC', '2026-11-28T00:00:00Z'],
  ['2026-11-27', 'Europe/Zurich', '2026-11-27T23:00:00Z'],
  ['2026-03-28', 'Europe/Zurich', '2026-03-28T23:00:00Z'],
  ['2026-03-29', 'Europe/Zurich', '2026-03-29T22:00:00Z'],
  ['2026-10-25', 'Europe/Zurich', '2026-10-25T23:00:00Z'],
])('the day %s in %s ends at %s', (day, timeZone, end) => {
  expect(dayBounds(day, timeZone)?.to).toBe(Date.parse(end) / 1000)
})
