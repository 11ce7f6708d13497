/** Activity: audit records in words. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditableMethods } from '../../../../src/server/audit/filter.js'
import { methods } from '../../../../src/server/api/methods.js'
import { languages } from '../../../../src/server/base/words.js'
import { actionOf } from '../../../../src/server/pages/console/activity/actions.js'
import { activityWords } from '../../../../src/server/pages/console/activity/words.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { ask, share, type Share } from '../../../support/people/shares.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

const PASSWORD = 'correct horse'
const DAY = 86_400
const clock = fakeClock()
let node: TestNode
let owner: string
let doctor: Share
let app: Share
let ana: Share

const alice = () => ({ node, username: 'alice', owner })

beforeAll(async () => {
  node = await startTestNode({}, { clock })
  owner = await registerUser(node, 'alice')
  await ask(alice(), owner, 'POST', '/streams', { id: 'weight', name: 'Weight <kg>' })
  await ask(alice(), owner, 'POST', '/streams', { id: 'morning', name: 'Morning', parentId: 'weight' })
  await ask(alice(), owner, 'POST', '/streams', { id: 'diary', name: 'Diary' })
  doctor = await share(alice(), { name: 'doctor', permissions: [{ streamId: 'weight', level: 'read' }] })
  ana = await share(alice(), { name: 'Ana', permissions: [{ streamId: 'diary', level: 'read' }] })
  app = await share(alice(), { name: 'diary-app', type: 'app', permissions: [{ streamId: 'diary', level: 'contribute' }] })
  for (let count = 0; count < 3; count++) {
    await ask(alice(), app.token, 'POST', '/events', { streamIds: ['diary'], type: 'note/txt', content: String(count) })
  }
  clock.pass(60)
  for (let count = 0; count < 12; count++) await ask(alice(), doctor.token, 'GET', '/events')
  await ask(alice(), doctor.token, 'GET', '/streams')
  clock.pass(60)
  await ask(alice(), doctor.token, 'POST', '/events', { streamIds: ['weight'], type: 'mass/kg', content: 1 })
  await ask(alice(), 'unknown-token', 'GET', '/events')
  clock.pass(60)
  await ask(alice(), owner, 'DELETE', `/accesses/${ana.id}`)
})
afterAll(() => node.stop())

async function signedIn(language = 'en'): Promise<Visitor> {
  const browser = visitor(node, language)
  await browser.open('/web/sign-in')
  await browser.submit({ name: 'alice', password: PASSWORD })
  return browser
}

/** Opens Activity with a query, and returns its text without the marks that isolate names. */
async function shown(query = '', language = 'en'): Promise<string> {
  const browser = await signedIn(language)
  const { status, text } = await browser.open(`/web/activity${query}`)
  expect(status).toBe(200)
  return text.replace(/[\u2068\u2069]/g, '')
}

describe('activity', () => {
  it('says what was done, by whom, and folds similar actions', async () => {
    const text = await shown()
    expect(text).toContain('3 entries were added to “Diary” by the app “diary-app”')
    expect(text).toMatch(/“Weight <kg>” was read through the link “doctor” 12 times The list of streams was read/)
    expect(text).toContain('The access of “Ana” was withdrawn by you, in “')
    expect(text).toContain('Access was given to “doctor” by you')
    expect(text).toContain('You signed in')
    expect(text).not.toMatch(/:_audit|undefined|\[object/)
    // The latest first.
    expect(text.indexOf('was withdrawn')).toBeLessThan(text.indexOf('entries were added'))
  })

  it('shows refused calls with the reason', async () => {
    const text = await shown('?kind=refused')
    expect(text).toContain('Refused An attempt to change data was refused through the link “doctor” It is not allowed, or the access has ended.')
    expect(text).toContain('An attempt to read data was refused with an unknown or ended key The key is unknown or has ended.')
    expect(text).not.toContain('entries were added')
  })

  it.each([
    ['an access', () => `?access=${app.id}`, '3 entries were added', 'was read'],
    ['changes', () => '?kind=writing', '3 entries were added', 'was read through'],
    ['reading', () => '?kind=reading', 'was read through the link “doctor”', 'entries were added'],
    ['sharing', () => '?kind=sharing', 'was withdrawn', 'entries were added'],
    ['sign-ins', () => '?kind=signIn', 'You signed in', 'entries were added'],
    ['the past', () => '?to=2000-01-01', 'Nothing matches this filter.', 'You signed in'],
    ['the future', () => '?from=2100-01-01', 'Nothing matches this filter.', 'You signed in'],
    ['an unknown access', () => '?access=c0000000000000000000000000', 'Nothing matches this filter.', 'You signed in'],
    ['no valid access', () => '?access=%22%5B', 'You signed in', 'Nothing matches'],
  ])('filters by %s', async (_, query, isThere, isAbsent) => {
    const text = await shown(query())
    expect(text).toContain(isThere)
    expect(text).not.toContain(isAbsent)
  })

  it('leaves out what the pages read, unless it is wanted', async () => {
    const browser = await signedIn()
    await browser.open('/web/activity')
    const { text } = await browser.open('/web/activity')
    expect(text).not.toContain('read by you')
    expect((await browser.open('/web/activity?own=1')).text).toContain('The list of links and apps was read')
  })

  it('refuses malformed dates and keeps what was typed', async () => {
    const browser = await signedIn()
    const { status, text, html } = await browser.open('/web/activity?from=yesterday&kind=writing')
    expect(status).toBe(400)
    expect(text).toContain('Enter dates as year-month-day')
    expect(html).toContain('value="yesterday"')
    expect(html).toMatch(/<option value="writing" selected/)
  })

  it.each([
    ['fr', 'Ajout de 3 entrées dans « Diary » par l’app « diary-app »'],
    ['de', '3 Einträge wurden in „Diary“ hinzugefügt durch die App „diary-app“'],
  ])('is in the language of the reader (%s)', async (language, sentence) => {
    expect(await shown(`?lang=${language}`, language)).toContain(sentence)
  })

  it('pages by time without leaving out or repeating records', async () => {
    const bob = await registerUser(node, 'bobby')
    const target = { node, username: 'bobby', owner: bob }
    await ask(target, bob, 'POST', '/streams', { id: 'a', name: 'A' })
    const one = await share(target, { name: 'one', permissions: [{ streamId: 'a', level: 'read' }] })
    const two = await share(target, { name: 'two', permissions: [{ streamId: 'a', level: 'read' }] })
    // Several records have the same time, across the end of a page.
    for (let count = 0; count < 250; count++) {
      if (count % 7 === 0) clock.pass(1)
      await ask(target, count % 2 === 0 ? one.token : two.token, 'GET', '/events')
    }
    const browser = visitor(node)
    await browser.open('/web/sign-in')
    await browser.submit({ name: 'bobby', password: PASSWORD })
    let path: string | undefined = '/web/activity?kind=reading'
    let found = 0
    let pages = 0
    while (path !== undefined && pages < 100) {
      const { html } = await browser.open(path)
      found += (html.match(/was read through the link/g) ?? []).length
      path = /href="([^"]*until=[^"]*)">Older/.exec(html)?.[1]?.replaceAll('&amp;', '&')
      pages += 1
    }
    expect(found).toBe(250)
    expect(pages).toBeGreaterThanOrEqual(3)
  })

  it('groups by the day of the reader', async () => {
    clock.pass(DAY)
    await ask(alice(), doctor.token, 'GET', '/events')
    const browser = await signedIn()
    const { html } = await browser.open('/web/activity')
    expect((html.match(/<h2 class="day">/g) ?? []).length).toBe(2)
  })

  it('requires a session', async () => {
    expect((await visitor(node).open('/web/activity')).path).toMatch(/^\/web\/sign-in/)
  })
})

describe('the words of methods', () => {
  /** Groups of methods of the node itself, described together. */
  const general = /^(assets|service|openapi|invitations|oauth|system|reg|delegations|webhooks|followedSlices)\b/

  it.each([...new Set([...methods.map(({ id }) => id), ...auditableMethods])])('exist in each language: %s', (id) => {
    const { phrase, kind } = actionOf(id)
    if (!general.test(id)) expect(phrase).not.toBe('other')
    for (const language of languages) {
      const words = activityWords[language]
      const text = words.phrases[phrase]({ streams: '', isPlural: false, isAll: false, name: '', count: 1 })
      expect(text).toMatch(/^\p{Lu}.{4,}/u)
      expect(words.attempts[kind]).toMatch(/^\p{Lu}/u)
    }
  })

  it('are general for names that objects inherit, and for unknown methods', () => {
    for (const id of ['constructor', '__proto__', 'toString.x', 'new.method', '']) expect(actionOf(id).phrase).toBe('other')
  })
})
