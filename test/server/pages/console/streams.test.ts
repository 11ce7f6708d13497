/** Tree of streams and the pages that change streams, in a browser without scripts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

type Json = Record<string, unknown>

interface Owner {
  browser: Visitor
  call(method: string, path: string, body?: object): Promise<Json>
  /** Creates streams, written as `id` or `child<parent`; names are ids in capitals. */
  streams(...texts: string[]): Promise<void>
}

let owners = 0

async function signedIn(): Promise<Owner> {
  owners += 1
  const username = `planter${owners}`
  const token = await registerUser(node, username)
  const browser = visitor(node)
  await browser.open('/web/sign-in')
  await browser.submit({ name: username, password: 'correct horse' })
  const call: Owner['call'] = async (method, path, body) => {
    const answer = await request(`${node.url}${username}${path}`, { token, method, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  const streams: Owner['streams'] = async (...texts) => {
    const calls = texts.map((text) => {
      const [id = '', parentId] = text.split('<')
      return { method: 'streams.create', params: { id, name: id.toUpperCase(), ...(parentId === undefined ? {} : { parentId }) } }
    })
    await call('POST', '', calls)
  }
  return { browser, call, streams }
}

const pad = (n: number): string => String(n).padStart(3, '0')

/** Returns the streams of the tree on a page. */
const shownIn = (html: string): string[] => [...html.matchAll(/data-stream="([^"]*)"/g)].map(([, id = '']) => id)
const currentIn = (html: string): string[] => [...html.matchAll(/data-stream="([^"]*)" aria-current="page"/g)].map(([, id = '']) => id)

async function streamById(owner: Owner, id: string): Promise<Json | undefined> {
  const { streams } = (await owner.call('GET', '/streams?state=all')) as { streams: (Json & { children: Json[] })[] }
  const waiting: Json[] = [...streams]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next['id'] === id) return next
    waiting.push(...(next['children'] as Json[]))
  }
  return undefined
}

describe('the tree of streams', () => {
  it('shows numbers and latest values, marks the chosen stream, and escapes names', async () => {
    const owner = await signedIn()
    await owner.streams('body', 'weight<body', 'diary')
    await owner.call('PUT', '/streams/diary', { name: '<b>Tagebuch</b> 📓' })
    await owner.call('POST', '/events', { streamIds: ['weight'], type: 'mass/kg', content: 70, time: 1 })
    await owner.call('POST', '/events', { streamIds: ['weight'], type: 'mass/kg', content: 72.5, time: 2 })
    await owner.browser.open('/web/data?stream=weight')
    // The first count of an account may take longer than a page waits.
    while (owner.browser.page.html.includes('data-later')) await owner.browser.open('/web/data?stream=weight')
    const { text, html } = owner.browser.page
    expect(shownIn(html)).toEqual(['diary', 'body', 'weight'])
    expect(currentIn(html)).toEqual(['weight'])
    expect(text).toContain('BODY 2 Streams in BODY WEIGHT 2 72.5 kg')
    expect(text).toContain('<b>Tagebuch</b> 📓')
    expect(html).not.toContain('<b>')
    expect(html).toMatch(/<details data-branch="body" open/)
    expect(html).toContain('<h1>WEIGHT</h1>')
  })

  it('is bounded in an account with many streams, and finds the others by name', async () => {
    const owner = await signedIn()
    await owner.streams(...Array.from({ length: 300 }, (_, n) => `top${pad(n)}`))
    await owner.streams(...Array.from({ length: 250 }, (_, n) => `leaf${pad(n)}<top280`), 'deep<leaf240', 'deeper<deep')
    const shown = async (query: string): Promise<string[]> => shownIn((await owner.browser.open(`/web/data${query}`)).html)
    expect(await shown('')).toEqual(Array.from({ length: 200 }, (_, n) => `top${pad(n)}`))
    expect(owner.browser.page.text).toContain('100 more: search for a stream by its name.')
    // The chosen stream is among its siblings, with the streams below it.
    const atTop = await shown('?stream=top280')
    expect([atTop.length, atTop.includes('top280'), atTop.includes('leaf199'), atTop.includes('leaf200')]).toEqual([401, true, true, false])
    expect(await shown('?stream=deep')).toEqual(['top280', 'leaf240', 'deep', 'deeper'])
    expect(await shown('?find=top280+LEAF24')).toEqual(['leaf240', 'deep', 'deeper', ...Array.from({ length: 9 }, (_, n) => `leaf${241 + n}`)])
    expect(await shown('?find=leaf')).toHaveLength(100)
    expect(owner.browser.page.text).toContain('The first 100 are shown.')
    expect(await shown('?find=absent&stream=deep')).toEqual([])
    expect(owner.browser.page.text).toContain('No stream has this name.')
  })
})

describe('a stream', () => {
  it('is created at the top and in another one; problems are shown at the name', async () => {
    const owner = await signedIn()
    const { browser } = owner
    await browser.open('/web/data/stream/new')
    await browser.submit({ name: '  Health 💙 ' })
    expect(browser.page.text).toContain('The stream was created.')
    const id = new URLSearchParams(browser.page.path.split('?')[1]).get('stream') ?? ''
    expect(await streamById(owner, id)).toMatchObject({ name: 'Health 💙', parentId: null })
    await browser.open(`/web/data/stream/new?parent=${id}`)
    expect(browser.page.text).toContain('Health 💙')
    await browser.submit({ name: 'Sleep' })
    const child = new URLSearchParams(browser.page.path.split('?')[1]).get('stream') ?? ''
    expect(await streamById(owner, child)).toMatchObject({ name: 'Sleep', parentId: id })
    for (const [name, status, text] of [
      ['', 400, 'Enter a name.'],
      ['x'.repeat(1001), 400, 'A name has at most 1000 characters.'],
      ['Sleep', 409, 'There is already a stream with this name at this place'],
    ] as const) {
      await browser.open(`/web/data/stream/new?parent=${id}`)
      await browser.submit({ name })
      expect([browser.page.status, browser.page.text.includes(text)]).toEqual([status, true])
      expect(browser.page.html).toContain('aria-invalid="true"')
      expect(browser.page.html).toContain(`value="${name}"`)
    }
    await browser.submit({ name: 'Long '.repeat(200).trim() })
    expect(browser.page.status).toBe(200)
    expect((await browser.open('/web/data/stream/new?parent=unknown')).status).toBe(404)
  })

  it('is renamed, with the problem at its field', async () => {
    const owner = await signedIn()
    const { browser } = owner
    await owner.streams('one', 'two')
    await browser.open('/web/data/stream?id=one')
    await browser.submit({ name: 'TWO' })
    expect([browser.page.status, browser.page.text.includes('already a stream with this name')]).toEqual([409, true])
    await browser.submit({ name: 'Eins' })
    expect(browser.page.path).toMatch(/^\/web\/data\?stream=one&done=renamed/)
    expect(await streamById(owner, 'one')).toMatchObject({ name: 'Eins' })
  })

  it('is moved with the streams in it; a search finds the new place', async () => {
    const owner = await signedIn()
    const { browser } = owner
    await owner.streams('a', 'b<a', 'c<b', 'target', ...Array.from({ length: 130 }, (_, n) => `other${pad(n)}`))
    await browser.open('/web/data/stream?id=b')
    expect(browser.page.html).not.toContain('value="c"')
    expect(browser.page.html).not.toContain('value="other129"')
    await browser.submit({ find: 'OTHER129', search: '1' }, 1)
    expect(browser.page.html).toContain('value="other129"')
    await browser.submit({ parent: 'other129', search: null }, 1)
    expect(browser.page.text).toContain('The stream was moved.')
    expect(await streamById(owner, 'b')).toMatchObject({ parentId: 'other129' })
    await browser.open('/web/data/stream?id=b')
    await browser.submit({ parent: '*' }, 1)
    expect(await streamById(owner, 'b')).toMatchObject({ parentId: null })
    await browser.open('/web/data/stream?id=b')
    for (const [parent, text] of [
      ['c', 'A stream cannot be moved into itself or a stream in it.'],
      ['b', 'A stream cannot be moved into itself or a stream in it.'],
      ['unknown', 'This stream does not exist, or no longer.'],
      [':_system:account', 'Streams cannot be moved there.'],
    ] as const) {
      await browser.submit({ parent }, 1)
      expect([browser.page.status, browser.page.text.includes(text)], parent).toEqual([expect.any(Number), true])
      expect(browser.page.status).toBeGreaterThanOrEqual(400)
      expect(browser.page.status).toBeLessThan(500)
    }
    await browser.submit({ parent: null }, 1)
    expect(browser.page.text).toContain('Choose where to move the stream.')
    expect(await streamById(owner, 'b')).toMatchObject({ parentId: null })
  })

  it('is moved by the form of the tree, which a script submits', async () => {
    const owner = await signedIn()
    const { browser } = owner
    await owner.streams('a', 'b', 'c<b')
    const forms = (html: string): number => [...html.matchAll(/<form\b[^>]*>/g)].findIndex(([form]) => form.includes('id="move-stream"'))
    await browser.open('/web/data')
    await browser.submit({ id: 'c', parent: 'a' }, forms(browser.page.html))
    expect(await streamById(owner, 'c')).toMatchObject({ parentId: 'a' })
    await browser.submit({ id: 'c', parent: '' }, forms(browser.page.html))
    expect(await streamById(owner, 'c')).toMatchObject({ parentId: null })
  })

  it('goes to the trash and comes back, with those in it', async () => {
    const owner = await signedIn()
    const { browser } = owner
    await owner.streams('a', 'b<a')
    await owner.call('POST', '/events', { streamIds: ['b'], type: 'note/txt', content: 'hello' })
    await browser.open('/web/data/stream?id=a')
    expect(browser.page.text).toMatch(/disappear, with (1|their) entries/)
    await browser.submit({}, 2)
    expect(browser.page.text).toContain('The stream is in the trash now.')
    expect(await streamById(owner, 'a')).toMatchObject({ trashed: true })
    expect(shownIn((await browser.open('/web/data')).html)).toEqual([])
    expect(shownIn((await browser.open('/web/data?state=all')).html)).toEqual(['a', 'b'])
    expect((await browser.open('/web/data?stream=b')).text).toContain('hello')
    expect((await browser.open('/web/data/stream?id=b')).text).toContain('A stream above it is in the trash.')
    await browser.open('/web/data/stream?id=a')
    await browser.submit()
    expect(browser.page.text).toContain('The stream was restored.')
    expect(shownIn((await browser.open('/web/data')).html)).toEqual(['a', 'b'])
  })

  it.each([
    ['merge', ['parent']],
    ['delete', []],
  ])('is deleted from the trash: %s its entries', async (choice, left) => {
    const owner = await signedIn()
    const { browser } = owner
    await owner.streams('parent', 'a<parent', 'b<a')
    const { event } = (await owner.call('POST', '/events', { streamIds: ['b'], type: 'note/txt', content: 'hello' })) as { event: { id: string } }
    await browser.open('/web/data/stream/delete?id=a')
    expect(browser.page.path).toMatch(/^\/web\/data\/stream\?id=a/)
    await browser.submit({}, 2)
    await browser.open('/web/data/stream/delete?id=a')
    while (browser.page.html.includes('data-later')) await browser.open('/web/data/stream/delete?id=a')
    expect(browser.page.text).toContain('deleted with all streams in it (1). This cannot be undone. Entries in it: 1. In the trash: 0.')
    expect(browser.page.text).toContain('Move them to PARENT')
    await browser.submit()
    expect([browser.page.status, browser.page.text.includes('Choose what happens to the entries.')]).toEqual([400, true])
    expect(await streamById(owner, 'b')).toBeDefined()
    await browser.submit({ events: choice })
    expect(browser.page.text).toContain('The stream was deleted.')
    expect(browser.page.path).toContain('stream=parent')
    expect(await streamById(owner, 'a')).toBeUndefined()
    const { events } = (await owner.call('GET', '/events?state=all')) as { events: { id: string; streamIds: string[] }[] }
    expect(events.filter(({ id }) => id === event.id).flatMap(({ streamIds }) => streamIds)).toEqual(left)
  })

  it('without entries is deleted without a choice; the area of the node is not shown', async () => {
    const owner = await signedIn()
    const { browser } = owner
    await owner.streams('a')
    await owner.call('DELETE', '/streams/a')
    await browser.open('/web/data/stream/delete?id=a')
    while (browser.page.html.includes('data-later')) await browser.open('/web/data/stream/delete?id=a')
    expect(browser.page.html).not.toContain('type="radio"')
    await browser.submit()
    expect(browser.page.text).toContain('The stream was deleted.')
    for (const path of ['stream', 'stream/delete']) {
      for (const id of ['a', '', ':_cmc:apps', ':_system:account', 'x'.repeat(2000)]) expect((await browser.open(`/web/data/${path}?id=${id}`)).status, id).toBe(404)
    }
  })
})
