/** Pages of devices, with two nodes in browsers without scripts. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Account } from '../../../../src/store/engine/account.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

const USER = 'alice'
const SECONDS = { timeout: 20_000, interval: 50 }

interface Side {
  node: TestNode
  token: string
  browser: Visitor
  account: Account
}

let here: Side
let there: Side
beforeAll(async () => {
  here = await startSide('desk')
  there = await startSide('phone <b>')
})
afterAll(async () => {
  await here.node.stop()
  await there.node.stop()
})

async function startSide(name: string): Promise<Side> {
  const node = await startTestNode({ 'sync.name': name })
  const token = await registerUser(node, USER)
  const browser = visitor(node)
  await browser.open('/web/sign-in')
  await browser.submit({ name: USER, password: 'correct horse' })
  const account = (await node.node.accounts.find(USER))?.account
  if (account === undefined) throw new Error('no account')
  return { node, token, browser, account }
}

async function call({ node, token }: Side, method: string, path: string, body?: object): Promise<Record<string, Record<string, unknown>>> {
  const answer = await request(`${node.url}${USER}${path}`, { token, method, ...(body === undefined ? {} : { body }) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body as Record<string, Record<string, unknown>>
}

/** Opens a page until its text matches. */
const opens = ({ browser }: Side, path: string, text: RegExp): Promise<unknown> =>
  vi.waitFor(async () => expect((await browser.open(path)).text).toMatch(text), SECONDS)

const linkIn = ({ html }: Visitor['page']): string => /<pre class="code pair-link"[^>]*>([^<]+)<\/pre>/.exec(html)?.[1]?.trim() ?? ''

/** Creates a link on one side, and uses it on the other; both then show the words. */
async function meet(): Promise<{ offer: string; answer: string }> {
  await here.browser.open('/web/devices/pair')
  await here.browser.submit({ do: 'create' })
  const offer = here.browser.page.path
  const link = linkIn(here.browser.page)
  expect(link).toMatch(/^coffer:pair\//)
  await there.browser.open('/web/devices/pair')
  await there.browser.submit({ do: 'accept', link: `coffer sync accept --user ${USER} --create '${link}'` }, 1)
  return { offer, answer: there.browser.page.path }
}

const wordsIn = ({ html }: Visitor['page']): string[] => [...(/<ol class="pair-words"[\s\S]*?<\/ol>/.exec(html)?.[0] ?? '').matchAll(/<li>([^<]+)/g)].map(([, word = '']) => word)

describe('the pages of devices', () => {
  it('show an account without devices', async () => {
    await here.browser.open('/web/devices')
    expect(here.browser.page.text).toContain('This device: desk')
    expect(here.browser.page.text).toContain('This account is on this device only.')
    expect((await here.browser.open('/web/devices/conflicts')).text).toContain('No conflicting changes.')
  })

  it('cancel a link, which then no longer works', async () => {
    await here.browser.open('/web/devices/pair')
    await here.browser.submit({ do: 'create' })
    const { page } = here.browser
    expect(page.html).toContain('<svg class="qr"')
    expect(page.path).not.toContain('coffer')
    await here.browser.open('/web/devices')
    expect(here.browser.page.text).toContain('Waiting for the other device to use the link')
    await here.browser.open(page.path)
    await here.browser.submit({ do: 'cancel' })
    expect(here.browser.page.text).toContain('The pairing is cancelled.')
    await there.browser.open('/web/devices/pair')
    await there.browser.submit({ do: 'accept', link: linkIn(page) }, 1)
    expect(there.browser.page.status).toBe(400)
    expect(there.browser.page.html).toContain(linkIn(page))
  })

  it('refuse a text that is no link, and show it again', async () => {
    await here.browser.open('/web/devices/pair')
    for (const link of ['hello <i>', 'coffer:pair/nothing']) {
      await here.browser.submit({ do: 'accept', link }, 1)
      expect(here.browser.page.status).toBe(400)
      expect(here.browser.page.html).toContain(link.replace('<i>', '&lt;i&gt;'))
    }
  })

  it('pair nothing when one side finds different words', async () => {
    const { offer, answer } = await meet()
    await there.browser.open(answer)
    await there.browser.submit({ do: 'cancel' })
    await opens(here, offer, /The devices are not paired\. .*declined/)
    expect((await here.browser.open('/web/devices')).text).toContain('This account is on this device only.')
  })

  it('pair two nodes once both confirm the same words', async () => {
    await call(here, 'POST', '/streams', { id: 'weight', name: 'Weight' })
    const { offer, answer } = await meet()
    await here.browser.open(offer)
    const words = wordsIn(here.browser.page)
    expect(words).toHaveLength(3)
    expect(wordsIn(await there.browser.open(answer))).toEqual(words)
    await there.browser.submit({ do: 'confirm' })
    expect(there.browser.page.text).toContain('Confirm on the other device, too.')
    expect(there.browser.page.html).not.toContain('value="confirm"')
    await here.browser.submit({ do: 'confirm' })
    await opens(here, offer, /Paired with phone <b>\./)
    await opens(there, answer, /Paired with desk\./)
    await opens(there, '/web/devices', /desk In sync Both devices compared their copies/)
    await opens(here, '/web/devices', /phone <b> In sync/)
    expect(here.browser.page.html).not.toContain('<b>')
  })

  it('pause, resume and rename a device', async () => {
    await open(here)
    const { path } = here.browser.page
    await here.browser.submit({ do: 'pause' })
    expect(here.browser.page.text).toMatch(/The exchange is paused\. .*Paused/)
    expect(here.browser.page.text).not.toContain('In sync Both')
    await here.browser.submit({ name: '' }, 1)
    expect(here.browser.page.status).toBe(400)
    await here.browser.submit({ name: 'phone' }, 1)
    expect(here.browser.page.text).toContain('The device has a new name.')
    await here.browser.submit({ do: 'resume' })
    await opens(here, path, /In sync/)
  })

  it('show both versions of a concurrent change, and take the other one on both nodes', async () => {
    const { event } = await call(here, 'POST', '/events', { streamIds: ['weight'], type: 'mass/kg', content: 70 })
    const path = `/events/${String(event?.['id'])}`
    await vi.waitFor(async () => expect((await request(`${there.node.url}${USER}${path}`, { token: there.token })).status).toBe(200), SECONDS)
    await open(here)
    await here.browser.submit({ do: 'pause' })
    await call(here, 'PUT', path, { content: 71 })
    await call(there, 'PUT', path, { content: 72 })
    await open(here)
    await here.browser.submit({ do: 'resume' })
    await opens(here, '/web/devices/conflicts', /Weight/)
    const contentAt = async (side: Side): Promise<unknown> => (await call(side, 'GET', path))['event']?.['content']
    const before = await contentAt(here)
    const other = before === 71 ? 72 : 71
    expect(here.browser.page.text).toContain(`In effect ${String(before)} kg Changed`)
    expect(here.browser.page.text).toContain(`Other version ${other} kg Changed`)
    expect((await here.browser.open('/web/devices')).text).toContain('Conflicting changes: 1')
    const stale = await here.browser.open('/web/devices/conflicts')
    await here.browser.submit({ mark: 'x' })
    expect(here.browser.page.status).toBe(409)
    expect(stale.html).toContain('value="content"')
    await here.browser.submit()
    expect(here.browser.page.text).toContain('The chosen version is in effect.')
    expect(here.browser.page.text).toContain('No conflicting changes.')
    expect(await contentAt(here)).toBe(other)
    await vi.waitFor(async () => expect(await contentAt(there)).toBe(other), SECONDS)
    await opens(there, '/web/devices/conflicts', /No conflicting changes\./)
  })

  it('remove a device after stating what that means, and notify it', async () => {
    await open(here)
    const id = new URLSearchParams(here.browser.page.path.split('?')[1]).get('id') ?? ''
    await here.browser.open(`/web/devices/remove?id=${id}`)
    expect(here.browser.page.text).toContain('phone keeps its copy, as it is now.')
    await here.browser.submit()
    expect(here.browser.page.text).toContain('The device is removed. It was notified.')
    expect(here.browser.page.text).toContain('This account is on this device only.')
    expect((await here.browser.open(`/web/devices/one?id=${id}`)).status).toBe(404)
    await opens(there, '/web/devices', /desk Stopped The other node has ended the pairing\./)
  })

  it('show a delegate the devices, and offer no pairing', async () => {
    await call(here, 'POST', '/delegations/controlled', { username: 'granny-may' })
    await here.browser.open('/web/devices?as=granny-may')
    expect(here.browser.page.text).toContain('Only its owner pairs, pauses or removes devices.')
    expect(here.browser.page.html).not.toContain('/web/devices/pair?')
    await here.browser.open('/web/devices/pair?as=granny-may')
    expect(here.browser.page.html).not.toContain('name="link"')
    expect((await here.browser.open('/web/devices/pairing?as=granny-may&id=x')).status).toBe(404)
  })

  it('are available in French and German', async () => {
    expect((await here.browser.open('/web/devices?lang=fr')).text).toContain('Cet appareil : desk')
    expect((await here.browser.open('/web/devices/pair?lang=de')).text).toContain('Hier einen Link erstellen')
  })
})

/** Opens the page of the only device. */
async function open({ browser }: Side): Promise<void> {
  const { html } = await browser.open('/web/devices')
  const [, href = ''] = /href="(\/web\/devices\/one\?id=[^"]+)"/.exec(html) ?? []
  await browser.open(href)
}
