/** Overview of the console, in a browser without scripts. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsOfDevices } from '../../../../src/server/pages/console/overview/needs.js'
import { sumOf } from '../../../../src/server/pages/console/overview/growthImage.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

const DAY = 86_400
const clock = fakeClock()
let node: TestNode
beforeAll(async () => {
  node = await startTestNode({}, { clock })
})
afterAll(() => node.stop())

type Call = (method: string, path: string, body?: object) => Promise<Record<string, Record<string, unknown>>>

/** Registers an account and signs in. */
async function signedIn(username: string): Promise<{ browser: Visitor; call: Call }> {
  const token = await registerUser(node, username)
  const browser = visitor(node)
  await browser.open('/web/sign-in')
  await browser.submit({ name: username, password: 'correct horse' })
  expect(browser.page.path).toBe('/web/overview')
  const call: Call = async (method, path, body) => {
    const answer = await request(`${node.url}${username}${path}`, { token, method, ...(body === undefined ? {} : { body }) })
    expect(answer.status).toBeLessThan(300)
    return answer.body as Record<string, Record<string, unknown>>
  }
  return { browser, call }
}

describe('the overview of a new account', () => {
  it.each([
    ['en', 'There is nothing here yet.', 'Nothing needs your attention.'],
    ['fr', 'Il n’y a encore rien ici.', 'Rien à régler.'],
    ['de', 'Hier ist noch nichts.', 'Nichts braucht Ihre Aufmerksamkeit.'],
  ])('shows what to do first in %s', async (language, nothing, attention) => {
    const { browser } = await signedIn(`newcomer-${language}`)
    await browser.open(`/web/overview?lang=${language}`)
    expect(browser.page.text).toContain(nothing)
    expect(browser.page.text).toContain(attention)
    for (const path of ['event/new', 'upload', 'access/link/new']) expect(browser.page.html).toContain(`href="/web/${path}?lang=${language}"`)
    expect(browser.page.html).not.toContain('/overview/growth')
  })
})

describe('the overview', () => {
  it('shows the latest entries with their streams, running ones marked, and the size', async () => {
    const { browser, call } = await signedIn('writer')
    await call('POST', '/streams', { id: 'body', name: 'Body <b>' })
    await call('POST', '/streams', { id: 'weight', name: 'Weight', parentId: 'body' })
    const { event } = await call('POST', '/events', { streamIds: ['weight'], type: 'mass/kg', content: 72.5 })
    await call('POST', '/events', { streamIds: ['body'], type: 'activity/plain', duration: null, time: clock.now() - 3600 })
    const { text, html } = await browser.open('/web/overview')
    expect(text).toMatch(/72\.5 kg Body <b> \/ Weight/)
    expect(text).toContain('Activity')
    expect(text).toContain('in progress · 1 hour ago')
    expect(html).toContain(`href="/web/event?id=${String(event?.['id'])}"`)
    expect(html).not.toContain('<b>')
    expect(text).toMatch(/Size of the account \d/)
    const image = await browser.open('/web/overview/growth')
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
    expect(image.html).toContain('max. 2')
  })

  it('shows at most 8 entries, and no accounts, messages or records of the node', async () => {
    const { browser, call } = await signedIn('scribe')
    await call('POST', '/streams', { id: 'diary', name: 'Diary' })
    for (let i = 0; i < 10; i++) await call('POST', '/events', { streamIds: ['diary'], type: 'note/txt', content: `note ${i}`, time: clock.now() - i })
    const { html } = await browser.open('/web/overview')
    expect([...html.matchAll(/note \d/g)].map(([note]) => note)).toEqual(Array.from({ length: 8 }, (_, i) => `note ${i}`))
    expect(html).not.toContain('scribe@example.org')
  })

  it('lists links that end soon or have just ended, with the name of whom they are for', async () => {
    const { browser, call } = await signedIn('sharer')
    await call('POST', '/streams', { id: 'diary', name: 'Diary' })
    const share = (name: string, days: number) =>
      call('POST', '/accesses', { name, permissions: [{ streamId: 'diary', level: 'read' }], expireAfter: days * DAY })
    await share('doctor', 3)
    await share('coach', 30)
    await share('plumber', 1)
    const before = await browser.open('/web/overview')
    expect(before.text).toContain('The access of plumber ends soon. tomorrow')
    expect(before.text.indexOf('plumber')).toBeLessThan(before.text.indexOf('The access of doctor ends soon.'))
    expect(before.text).not.toContain('coach')
    clock.pass(1.5 * DAY)
    await browser.open('/web/sign-in')
    const after = await browser.open('/web/overview')
    expect(after.text).toContain('The access of plumber has ended.')
    clock.pass(3 * DAY)
    expect((await browser.open('/web/overview')).text).not.toContain('plumber has ended')
  })

  it('names the accesses that were used last', async () => {
    const { browser, call } = await signedIn('keeper')
    await call('POST', '/streams', { id: 'diary', name: 'Diary' })
    const { access } = await call('POST', '/accesses', { name: 'doctor', permissions: [{ streamId: 'diary', level: 'read' }] })
    await request(`${node.url}keeper/events`, { token: String(access?.['token']) })
    const { text, html } = await browser.open('/web/overview')
    expect(text).toMatch(/Last used by.*doctor Link/)
    expect(html).toContain(`href="/web/access/one?id=${String(access?.['id'])}"`)
  })

  it('names requests for consent and delegations in words, not by the names that the node gave their accesses', async () => {
    const { browser, call } = await signedIn('researcher')
    const scope = ':_cmc:apps:study'
    await call('POST', '/streams', { id: scope, name: 'study', parentId: ':_cmc:apps' })
    const texts = (en: string) => ({ en })
    const offer = { title: texts('Sleep study'), description: texts('How people sleep'), consent: texts('I take part'), permissions: [{ streamId: 'diary', level: 'read' }] }
    const content = { to: null, capabilityRequested: true, capability: { mode: 'single-use' }, request: offer, requesterMeta: { displayName: 'Ana', appId: 'study' } }
    expect((await call('POST', '/events', { streamIds: [scope], type: 'consent/request-cmc', content })).event).toBeDefined()
    const { text } = await browser.open('/web/overview')
    expect(text).not.toMatch(/__cmc|__deleg/)
    expect(text).toContain('Nothing needs your attention.')
  })
})

describe('what needs attention', () => {
  it('includes devices that refuse, are behind, or were not reached for a day, but not paused ones', () => {
    const now = 1_000_000
    const devices = [
      { name: 'phone', state: 'in-sync', paused: false, lastContact: now },
      { name: 'tablet', state: 'behind', paused: false, lastContact: now },
      { name: 'cellar', state: 'refused', paused: false, lastContact: null },
      { name: 'boat', state: 'offline', paused: false, lastContact: now - 2 * DAY },
      { name: 'car', state: 'offline', paused: false, lastContact: now - 60 },
      { name: 'attic', state: 'behind', paused: true, lastContact: now },
    ] as const
    expect(needsOfDevices(devices, now, 'en').map(({ text, at }) => [text, at])).toEqual([
      ['tablet and this device do not have the same data yet.', undefined],
      ['cellar refuses to exchange changes with this device.', undefined],
      ['boat was not reached for a long time.', now - 2 * DAY],
    ])
  })

  it('includes a missing backup where backups are set up', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coffer-backups-'))
    const own = await startTestNode({ 'backup.to': folder }, { clock })
    try {
      await registerUser(own, 'alice')
      const browser = visitor(own)
      await browser.open('/web/sign-in')
      await browser.submit({ name: 'alice', password: 'correct horse' })
      expect(browser.page.text).toContain('There is no backup of this node yet.')
    } finally {
      await own.stop()
      await rm(folder, { recursive: true })
    }
  })
})

describe('the entries per week', () => {
  const group = (type: string, field: string, index: number[], count: number[]) => ({ type, field, count: count.reduce((a, b) => a + b, 0), buckets: { index, count } })

  it('count an event with several numbers once', () => {
    const counts = sumOf([
      group('blood-pressure/mmhg-bpm', 'systolic', [0, 11], [2, 1]),
      group('blood-pressure/mmhg-bpm', 'rate', [0], [1]),
      group('note/txt', '', [0], [4]),
    ])
    expect([counts[0], counts[11], counts.length]).toEqual([6, 1, 12])
  })
})
