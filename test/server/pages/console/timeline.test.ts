/** Timeline of the section of data: order, pages, filters and search, in a browser without scripts. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

interface NewEvent {
  streamIds: string[]
  type: string
  time?: number
  duration?: number | null | undefined
  content?: unknown
  trashed?: boolean
  description?: string
}

interface Owner {
  browser: Visitor
  call(method: string, path: string, body?: object): Promise<Record<string, Record<string, unknown>>>
  /** Creates events; returns their ids. */
  add(events: readonly NewEvent[]): Promise<string[]>
}

let owners = 0

async function signedIn(): Promise<Owner> {
  owners += 1
  const username = `reader${owners}`
  const token = await registerUser(node, username)
  const browser = visitor(node)
  await browser.open('/web/sign-in')
  await browser.submit({ name: username, password: 'correct horse' })
  const call: Owner['call'] = async (method, path, body) => {
    const answer = await request(`${node.url}${username}${path}`, { token, method, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body as Record<string, Record<string, unknown>>
  }
  const add: Owner['add'] = async (events) => {
    const { results } = await call('POST', '', events.map((params) => ({ method: 'events.create', params })))
    return (results as unknown as { event: { id: string } }[]).map(({ event }) => event.id)
  }
  await call('POST', '/streams', { id: 'body', name: 'Body' })
  await call('POST', '/streams', { id: 'weight', name: 'Weight', parentId: 'body' })
  await call('POST', '/streams', { id: 'diary', name: 'Diary' })
  return { browser, call, add }
}

const idsIn = (html: string): string[] => [...html.matchAll(/\/web\/event\?id=([\w-]+)"/g)].map(([, id = '']) => id)

function linkNamed(html: string, text: string): string | undefined {
  for (const [, href = '', content] of html.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)) if (content === text) return href.replaceAll('&amp;', '&')
  return undefined
}

/** Follows a link from page to page; returns the ids of each page. */
async function pagesBy(browser: Visitor, text: string): Promise<string[][]> {
  const pages = [idsIn(browser.page.html)]
  for (let at = linkNamed(browser.page.html, text); at !== undefined; at = linkNamed(browser.page.html, text)) {
    await browser.open(at)
    expect(browser.page.status).toBe(200)
    pages.push(idsIn(browser.page.html))
    expect(pages.length).toBeLessThan(100)
  }
  return pages
}

describe('pages of the timeline', () => {
  it('show each event once, newest first, also when many begin at the same time', async () => {
    const { browser, add, call } = await signedIn()
    const time = fc.constantFrom(0, -0, 5, 5, 5, 5, 1e9, 1e9 + 0.1, 1e9 + 0.25, -1e12, 4e9)
    const duration = fc.constantFrom(null, undefined, undefined, 10, 1e10)
    const event = fc.record({ time, duration }).map((members) => ({ streamIds: ['weight'], type: 'mass/kg', content: 1, ...members }))
    const [events = []] = fc.sample(fc.array(event, { minLength: 290, maxLength: 310 }), { numRuns: 1, seed: Number(process.env['SEED'] ?? 7) })
    await add(events)
    const { events: found } = await call('GET', '/events?limit=1000&streams=weight')
    const expected = (found as unknown as { id: string }[]).map(({ id }) => id)
    expect(expected).toHaveLength(events.length)
    for (const query of ['', '?stream=weight', '?stream=body&type=mass/*', '?text=1']) {
      await browser.open(`/web/data${query}`)
      const down = await pagesBy(browser, 'Older')
      expect(down.flat(), query).toEqual(expected)
      expect(down.slice(0, -1).every(({ length }) => length === 50)).toBe(true)
      const up = await pagesBy(browser, 'Newer')
      // The first page is always full.
      expect([...new Set(up.reverse().flat())]).toEqual(expected)
    }
  })

  it('do not shift when events are added', async () => {
    const { browser, add } = await signedIn()
    const event = (time: number): NewEvent => ({ streamIds: ['diary'], type: 'note/txt', content: `n${time}`, time })
    const ids = await add(Array.from({ length: 80 }, (_, place) => event(place)))
    await browser.open('/web/data')
    await add(Array.from({ length: 30 }, (_, place) => event(1000 + place)))
    await browser.open(linkNamed(browser.page.html, 'Older') ?? '')
    expect(idsIn(browser.page.html)).toEqual(ids.slice(0, 30).reverse())
  })

  it('ignore positions and filters that are not valid', async () => {
    const { browser, add } = await signedIn()
    const ids = await add([{ streamIds: ['diary'], type: 'note/txt', content: 'one' }])
    for (const query of ['before=x', 'before=1e999~a', 'after=5', 'before=~', 'type=x&state=y', 'from=2026-02-31', 'before=NaN~a', `text=${' '.repeat(50)}`]) {
      const { status, html } = await browser.open(`/web/data?${query}`)
      expect([status, idsIn(html)], query).toEqual([200, ids])
    }
    expect((await browser.open('/web/data?stream=unknown')).status).toBe(404)
    expect((await browser.open('/web/data?stream=:_system:account')).status).toBe(404)
    expect((await browser.open(`/web/data?stream=${'x'.repeat(5000)}`)).status).toBe(200)
  })
})

describe('the timeline', () => {
  it('groups by day in the zone of the reader, with values, paths and marks', async () => {
    const { browser, add } = await signedIn()
    browser.cookies.set('coffer_zone', 'Asia/Tokyo')
    const at = (text: string): number => Date.parse(text) / 1000
    await add([
      { streamIds: ['weight', 'diary'], type: 'mass/kg', content: 72.5, time: at('2026-01-01T14:59:00Z') },
      { streamIds: ['diary'], type: 'note/txt', content: '<script>alert(1)</script>', time: at('2026-01-01T15:00:00Z') },
      { streamIds: ['diary'], type: 'activity/plain', duration: null, time: at('2026-01-01T16:00:00Z') },
      { streamIds: ['diary'], type: 'activity/plain', duration: 5400, time: at('2026-01-02T01:00:00Z') },
    ])
    const { text, html } = await browser.open('/web/data')
    expect([...html.matchAll(/<h2 class="day">([^<]*)/g)].map(([, day]) => day)).toEqual(['Jan 2, 2026', 'Jan 1, 2026'])
    expect(text).toContain('11:59 PM 72.5 kg Body / Weight, Diary · Mass (kilogram)')
    expect(text).toContain('10:00 AM – 11:30 AM')
    expect(text).toContain('in progress')
    expect(html).not.toContain('<script>alert')
  })

  it('filters by stream, type, days and trash', async () => {
    const { browser, add, call } = await signedIn()
    browser.cookies.set('coffer_zone', 'Europe/Zurich')
    const at = (text: string): number => Date.parse(text) / 1000
    const [first = '', second = '', third = '', fourth = ''] = await add([
      { streamIds: ['weight'], type: 'mass/kg', content: 1, time: at('2026-03-28T22:59:59Z') },
      { streamIds: ['weight'], type: 'mass/kg', content: 2, time: at('2026-03-28T23:00:00Z') },
      { streamIds: ['diary'], type: 'note/txt', content: 'x', time: at('2026-03-29T21:59:59Z') },
      { streamIds: ['diary'], type: 'note/html', content: 'y', time: at('2026-03-29T22:00:00Z') },
    ])
    const found = async (query: string): Promise<string[]> => idsIn((await browser.open(`/web/data?${query}`)).html)
    expect(await found('from=2026-03-29&to=2026-03-29')).toEqual([third, second])
    expect(await found('to=2026-03-28')).toEqual([first])
    expect(await found('from=2026-03-30')).toEqual([fourth])
    expect(await found('stream=body')).toEqual([second, first])
    expect(await found('type=note/txt')).toEqual([third])
    expect(await found('type=note/*')).toEqual([fourth, third])
    expect(await found('type=note/html,mass/kg')).toEqual([fourth, second, first])
    expect(browser.page.text).toContain('Clear the filters')
    await call('DELETE', `/events/${third}`)
    expect(await found('')).toEqual([fourth, second, first])
    expect(await found('state=trashed')).toEqual([third])
    expect(await found('state=all')).toEqual([fourth, third, second, first])
    expect(await found('type=activity/plain')).toEqual([])
    expect(browser.page.text).toContain('No entry matches these filters. Clear the filters')
  })

  it('finds words in values, texts, kinds and file names, regardless of case', async () => {
    const { browser, add } = await signedIn()
    const [note = '', weight = '', nested = ''] = await add([
      { streamIds: ['diary'], type: 'note/txt', content: 'Long walk in ZÜRICH' },
      { streamIds: ['weight'], type: 'mass/kg', content: 72.5, description: 'after the walk' },
      { streamIds: ['diary'], type: 'note/webclip', content: { url: 'https://walks.example', title: 'hills' } },
    ])
    const found = async (text: string): Promise<string[]> => idsIn((await browser.open(`/web/data?text=${encodeURIComponent(text)}`)).html).sort()
    expect(await found('walk')).toEqual([note, weight, nested].sort())
    expect(await found('zürich WALK')).toEqual([note])
    expect(await found('72.5')).toEqual([weight])
    expect(await found('hills')).toEqual([nested])
    expect(await found('absent')).toEqual([])
  })

  it('says what to do first, in an account and in a stream without entries', async () => {
    const { browser } = await signedIn()
    const { text, html } = await browser.open('/web/data')
    expect(text).toContain('There are no entries yet.')
    for (const path of ['event/new', 'upload', 'event/several']) expect(html).toContain(`href="/web/${path}"`)
    await browser.open('/web/data?stream=diary')
    expect(browser.page.text).toContain('There are no entries in this stream.')
    for (const path of ['event/new', 'event/several', 'upload', 'charts', 'access/link/new']) {
      expect(browser.page.html).toContain(`href="/web/${path}?stream=diary"`)
    }
  })
})
