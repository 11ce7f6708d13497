/** View of a shared link in a browser: what it opens, its token, its end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask, share, type Share } from '../../support/people/shares.js'
import { visitor, type Page, type Visitor } from '../../support/people/visitor.js'

const DAY = 86_400
const clock = fakeClock()
const now = (): number => clock.now()
let node: TestNode
let owner: string
let doctor: Share
let reporter: Share
const alice = () => ({ node, username: 'alice', owner })

/** Base64 of a picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function create(body: Record<string, unknown>, token = owner): Promise<{ id: string; attachments?: { id: string }[] }> {
  const { status, body: answer } = await ask(alice(), token, 'POST', '/events', body)
  expect(status).toBe(201)
  return answer['event'] as { id: string }
}

async function attach(streamId: string, type: string, fileName: string, mediaType: string, bytes: Uint8Array<ArrayBuffer>): Promise<{ id: string; fileId: string }> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: [streamId], type }))
  form.append('file', new Blob([bytes], { type: mediaType }), fileName)
  const response = await fetch(`${node.url}alice/events`, { method: 'POST', headers: { authorization: owner }, body: form })
  const { event } = (await response.json()) as { event: { id: string; attachments: { id: string }[] } }
  return { id: event.id, fileId: event.attachments[0]?.id ?? '' }
}

beforeAll(async () => {
  node = await startTestNode({}, { clock })
  owner = await registerUser(node, 'alice')
  await ask(alice(), owner, 'POST', '/streams', { id: 'weight', name: 'Weight <kg>' })
  await ask(alice(), owner, 'POST', '/streams', { id: 'morning', name: 'Morning', parentId: 'weight' })
  await ask(alice(), owner, 'POST', '/streams', { id: 'diary', name: 'Secret diary' })
  for (let day = 0; day < 120; day++) await create({ streamIds: [day % 2 === 0 ? 'weight' : 'morning'], type: 'mass/kg', content: 70 + day / 10, time: now() - day * DAY })
  await create({ streamIds: ['diary'], type: 'note/txt', content: 'nobody reads this' })
  doctor = await share(alice(), {
    ...{ name: 'Dr <b>Weber', permissions: [{ streamId: 'weight', level: 'read' }], expireAfter: 30 * DAY },
    clientData: { note: 'Please look at <i>March</i>.' },
  })
  reporter = await share(alice(), { name: 'reporter', permissions: [{ streamId: 'diary', level: 'create-only' }] })
})
afterAll(() => node.stop())

async function opened(link: Pick<Share, 'token'>, browser: Visitor = visitor(node)): Promise<Visitor> {
  const page = await browser.open(`/alice/?auth=${link.token}`)
  // Pages of an account are for browsers, which ask for HTML.
  expect(page.path).toMatch(/^\/web\/shared\?view=/)
  return browser
}

const viewOf = ({ path }: Page): string => new URL(path, node.url).searchParams.get('view') ?? ''
const links = (html: string): string[] => [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = '']) => path.replaceAll('&amp;', '&'))
const linkNamed = (html: string, text: string): string => new RegExp(`href="([^"]+)"[^>]*>\\s*${text}`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''

describe('the view of a link', () => {
  it('shows the owner, the note, the name, the end and the data', async () => {
    const { page } = await opened(doctor)
    expect(page.status).toBe(200)
    expect(page.text).toContain('alice shares data with you')
    expect(page.text).toContain('Please look at <i>March</i>.')
    expect(page.text).toContain('Dr <b>Weber')
    expect(page.html).toMatch(/<time datetime="[^"]+">[^<]+<\/time> \((next|in 1) month\)/)
    expect(page.text).toContain('Weight <kg>')
    expect(page.text).toContain('70\u00a0kg'.replace('\u00a0', ' '))
    expect(page.text).toContain('It does not work on other computers')
    // Neither other streams nor those of the node.
    expect(page.text).not.toMatch(/diary|nobody reads|:_/)
  })

  it('contains the token in no address, text or cookie', async () => {
    const browser = await opened(doctor)
    const { html, headers } = await browser.open(browser.page.path)
    expect(html).not.toContain(doctor.token)
    expect(JSON.stringify([...headers])).not.toContain(doctor.token)
    expect(JSON.stringify([...browser.cookies])).not.toContain(doctor.token)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('pages through all events by time', async () => {
    const browser = await opened(doctor)
    let path = browser.page.path
    let found = 0
    let pages = 0
    while (path !== '' && pages < 10) {
      const { html } = await browser.open(path)
      found += (html.match(/class="value"/g) ?? []).length
      path = linkNamed(html, 'Older')
      pages += 1
    }
    expect({ found, pages }).toEqual({ found: 120, pages: 3 })
  })

  it('pages through events of one time and events in progress', async () => {
    await ask(alice(), owner, 'POST', '/streams', { id: 'stays', name: 'Stays' })
    const at = now() - 500 * DAY
    for (let count = 0; count < 120; count++) await create({ streamIds: ['stays'], type: 'note/txt', content: `n${count}`, time: at })
    await create({ streamIds: ['stays'], type: 'activity/plain', time: at, duration: null })
    const link = await share(alice(), { name: 'stays', permissions: [{ streamId: 'stays', level: 'read' }] })
    const browser = await opened(link)
    expect(browser.page.text).toMatch(/since [^<]* In progress/)
    const seen = new Set<string>()
    let path = browser.page.path
    for (let pages = 0; path !== '' && pages < 10; pages++) {
      const { html } = await browser.open(path)
      for (const [, value = ''] of html.matchAll(/class="value"[^>]*>\s*(n\d+)/g)) {
        expect(seen.has(value)).toBe(false)
        seen.add(value)
      }
      path = linkNamed(html, 'Older')
    }
    expect(seen.size).toBe(120)
  })

  it('shows one stream', async () => {
    const browser = await opened(doctor)
    const { html } = await browser.open(linkNamed(browser.page.html, 'Morning'))
    expect(html).toMatch(/aria-current="true"[^>]*>Morning/)
    expect((html.match(/class="value"/g) ?? []).length).toBe(50)
    // A stream that the link does not open is as one that does not exist.
    const other = await browser.open(`${browser.page.path.replace(/stream=\w+/, 'stream=diary')}`)
    expect(other.status).toBe(200)
    expect(other.text).not.toContain('nobody reads')
  })

  it('draws numbers, with a description and a table', async () => {
    const browser = await opened(doctor)
    const ready = async (path: string): Promise<Page> => {
      await expect.poll(async () => (await browser.open(path)).text, { timeout: 10_000 }).not.toContain('being prepared')
      return browser.page
    }
    const { html, text } = await ready(linkNamed(browser.page.html, 'Charts'))
    expect(html).toMatch(/<svg [^>]*role="img" aria-labelledby="chart-0-title chart-0-desc"/)
    expect(html).toContain('<title id="chart-0-title">Weight &lt;kg&gt; · Mass (kilogram)</title>')
    expect(text).toMatch(/60 values · latest: 70 kg/)
    expect(html).toContain('<th scope="col">Mean</th>')
    const week = await ready(linkNamed(html, '7 days'))
    expect(week.text).toContain('4 values')
  })

  it('shows pictures and offers files, by addresses without a token', async () => {
    const picture = await attach('weight', 'picture/attached', 'scale.png', 'image/png', Uint8Array.from(Buffer.from(PIXEL, 'base64')))
    const file = await attach('weight', 'file/attached', 'page.html', 'text/html', new TextEncoder().encode('<script>alert(1)</script>'))
    const secret = await attach('diary', 'file/attached', 'secret.txt', 'text/plain', new TextEncoder().encode('nobody reads this'))
    const browser = await opened(doctor)
    const { html } = browser.page
    const image = links(html).find((path) => path.includes(picture.fileId) && path.includes('preview=256')) ?? ''
    expect(image).toMatch(/^\/web\/shared\/file\?view=/)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const shown = await fetch(new URL(image, node.url), { headers: { cookie } })
    expect([shown.status, shown.headers.get('content-type')?.startsWith('image/')]).toEqual([200, true])
    await shown.arrayBuffer()
    const download = await fetch(new URL(links(html).find((path) => path.includes(file.fileId)) ?? '', node.url), { headers: { cookie } })
    expect(download.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(download.headers.get('content-security-policy')).toMatch(/^sandbox/)
    expect(await download.text()).toBe('<script>alert(1)</script>')
    // Without the cookie, and for files of other streams, there is nothing.
    expect((await fetch(new URL(image, node.url))).status).toBe(404)
    const other = await fetch(new URL(`/web/shared/file?view=${viewOf(browser.page)}&event=${secret.id}&file=${secret.fileId}`, node.url), { headers: { cookie } })
    expect(other.status).toBe(403)
    expect(await other.text()).not.toContain('nobody reads')
  })

  it('lists the files that it opens, page by page, and nothing else', async () => {
    await ask(alice(), owner, 'POST', '/streams', { id: 'scans', name: 'Scans' })
    for (let at = 0; at < 50; at++) await attach('scans', 'file/attached', `scan-${at}.txt`, 'text/plain', new TextEncoder().encode('x'))
    const picture = await attach('scans', 'picture/attached', 'front.png', 'image/png', Uint8Array.from(Buffer.from(PIXEL, 'base64')))
    await attach('diary', 'file/attached', 'private.txt', 'text/plain', new TextEncoder().encode('x'))
    await create({ streamIds: ['scans'], type: 'note/txt', content: 'not a file' })
    const { token } = await share(alice(), { name: 'archive', permissions: [{ streamId: 'scans', level: 'read' }] })
    const browser = await opened({ token })
    const first = await browser.open(linkNamed(browser.page.html, 'Files'))
    const second = await browser.open(linkNamed(first.html, 'Older'))
    // All files have the same time, so the picture may be on either page.
    expect(first.text + second.text).toContain('front.png')
    expect(first.text + second.text).not.toMatch(/private\.txt|not a file/)
    expect(first.html + second.html).toMatch(new RegExp(`<img[^>]+src="/web/shared/file\\?view=[^"]+file=${picture.fileId}&amp;preview=256"`))
    const namesIn = ({ text }: Page): string[] => text.match(/scan-\d+\.txt/g) ?? []
    expect([...namesIn(first), ...namesIn(second)].length).toBe(50)
    expect(new Set([...namesIn(first), ...namesIn(second)]).size).toBe(50)
  })

  it('draws series, in the bounds of the chosen time', async () => {
    await ask(alice(), owner, 'POST', '/streams', { id: 'pulse', name: 'Pulse' })
    const { id } = await create({ streamIds: ['pulse'], type: 'series:frequency/bpm', time: now() - 3 * DAY })
    const points = Array.from({ length: 300 }, (_, at) => [at * 600, 60 + (at % 20)])
    expect((await ask(alice(), owner, 'POST', `/events/${id}/series`, { format: 'flatJSON', fields: ['deltaTime', 'value'], points })).status).toBe(200)
    const { token } = await share(alice(), { name: 'cardiologist', permissions: [{ streamId: 'pulse', level: 'read' }] })
    const browser = await opened({ token })
    const ready = async (path: string): Promise<Page> => {
      await expect.poll(async () => (await browser.open(path)).text, { timeout: 10_000 }).not.toContain('being prepared')
      return browser.page
    }
    const { html, text } = await ready(linkNamed(browser.page.html, 'Charts'))
    expect(text).toContain('300 values')
    expect(html).toMatch(/<title id="chart-0-title">Pulse · [^<]+<\/title>/)
    const week = await ready(linkNamed(html, '7 days'))
    expect(week.text).toContain('300 values')
    const { status } = await browser.open(linkNamed(html, '30 days').replace('span=30', 'span=1e9&stream=nothing'))
    expect(status).toBe(200)
  })

  it('is audited as the link', async () => {
    await opened(doctor)
    const { body } = await ask(alice(), owner, 'GET', `/events?streams[]=:_audit:access-${doctor.id}&limit=100`)
    const actions = (body['events'] as { content: { action: string } }[]).map(({ content }) => content.action)
    expect(actions).toEqual(expect.arrayContaining(['getAccessInfo', 'streams.get', 'events.get', 'events.summary', 'events.getAttachment']))
  })

  it('keeps several links in a browser apart', async () => {
    const browser = await opened(doctor)
    const first = browser.page
    const notes = await share(alice(), { name: 'notes', permissions: [{ streamId: 'diary', level: 'read' }] })
    await opened(notes, browser)
    const second = browser.page
    expect(viewOf(second)).not.toBe(viewOf(first))
    expect(second.text).toContain('nobody reads this')
    expect((await browser.open(first.path)).text).not.toContain('nobody reads this')
    // A cookie is bound to the view of its name.
    const [one = '', two = ''] = [...browser.cookies.keys()].filter((name) => name.includes('_view-'))
    browser.cookies.set(one, browser.cookies.get(two) ?? '')
    const statuses = [(await browser.open(first.path)).status, (await browser.open(second.path)).status]
    expect(statuses).toEqual([404, 200])
  })

  it('forgets the oldest of many links', async () => {
    const browser = visitor(node)
    for (let count = 0; count < 12; count++) {
      await opened(await share(alice(), { permissions: [{ streamId: 'diary', level: 'read' }] }), browser)
    }
    expect([...browser.cookies.keys()].filter((name) => name.includes('_view-'))).toHaveLength(10)
  })

  it('is in the language of the reader', async () => {
    expect((await opened(doctor, visitor(node, 'de'))).page.text).toContain('alice teilt Daten mit Ihnen')
    expect((await opened(doctor, visitor(node, 'fr-CH'))).page.text).toContain('alice partage des données avec vous')
  })

  it('shows the alias, not the user name', async () => {
    const link = await share(alice(), { name: 'hidden', permissions: [{ streamId: 'diary', level: 'read' }], randomAlias: true })
    const browser = visitor(node)
    const { text, html } = await browser.open(`/${String(link.alias)}/?auth=${link.token}`)
    expect(text).toContain(`${String(link.alias)} shares data with you`)
    expect(html).not.toContain('alice')
  })

  it('finds a stream among many', async () => {
    const bob = await registerUser(node, 'bobby')
    const target = { node, username: 'bobby', owner: bob }
    for (let count = 0; count < 130; count++) await ask(target, bob, 'POST', '/streams', { id: `s${count}`, name: `Stream ${count}!` })
    const { token } = await share(target, { permissions: [{ streamId: '*', level: 'read' }] })
    const browser = visitor(node)
    const { text } = await browser.open(`/bobby/?auth=${token}`)
    expect(text).toMatch(/and 30 more/)
    const found = await browser.open(`${browser.page.path}&find=m+129!`)
    expect(found.text).toContain('Stream 129!')
    expect(found.text).not.toContain('Stream 128!')
  })
})

describe('a link that only adds', () => {
  it('says so, and adds a note', async () => {
    const browser = await opened(reporter)
    expect(browser.page.text).toContain('You can add data with this link, but not see any.')
    expect(browser.page.text).not.toContain('nobody reads')
    const added = await browser.submit({ text: 'seen\r\non Monday', stream: 'diary' })
    expect(added.text).toContain('Your note was added.')
    const { body } = await ask(alice(), owner, 'GET', '/events?streams[]=diary&types[]=note/txt')
    expect(body['events']).toContainEqual(expect.objectContaining({ content: 'seen\non Monday', createdBy: reporter.id }))
  })

  it.each([
    ['no text', { text: ' ', stream: 'diary' }, 'Write a note first.'],
    ['a long text', { text: 'x'.repeat(10_001), stream: 'diary' }, 'The note is too long.'],
    ['another stream', { text: 'a <b>', stream: 'weight' }, 'Choose a stream to which this link can add.'],
  ])('refuses %s, and keeps what was typed', async (_, fields, problem) => {
    const browser = await opened(reporter)
    const { status, text, html } = await browser.submit(fields)
    expect(status).toBe(400)
    expect(text).toContain(problem)
    if (fields.text.startsWith('a')) expect(html).toMatch(/<textarea[^>]*>\s*a &lt;b&gt;/)
  })

  it('offers no form to links that only read', async () => {
    expect((await opened(doctor)).page.html).not.toContain('<textarea')
  })
})

describe('a view that cannot be shown', () => {
  it.each(['', '?view=', '?view=AAAAAAAAAAAA', '?view=../../x'])('asks for the link again (%s)', async (query) => {
    const { status, text } = await visitor(node).open(`/web/shared${query}`)
    expect(status).toBe(404)
    expect(text).toContain('Open the complete link, as you received it.')
  })

  it('says that a link was withdrawn, and nothing else', async () => {
    const link = await share(alice(), { name: 'Ana', permissions: [{ streamId: 'weight', level: 'read' }] })
    const browser = await opened(link)
    await ask(alice(), owner, 'DELETE', `/accesses/${link.id}`)
    const { status, text } = await browser.open(browser.page.path)
    expect(status).toBe(403)
    expect(text).toContain('This link is no longer valid')
    expect(text).not.toMatch(/Ana|alice|Weight/)
    const { body } = await ask(alice(), owner, 'GET', '/events?streams[]=:_audit:access-invalid')
    expect(body['events']).toContainEqual(expect.objectContaining({ type: 'log/user-api-error', content: expect.objectContaining({ action: 'getAccessInfo' }) as unknown }))
  })

  it('says that a link has expired', async () => {
    const link = await share(alice(), { name: 'short', permissions: [{ streamId: 'weight', level: 'read' }], expireAfter: 60 })
    const browser = await opened(link)
    clock.pass(61)
    const { status, text } = await browser.open(browser.page.path)
    expect([status, text.includes('This link is no longer valid')]).toEqual([403, true])
  })
})
