/** Events in the console, in a browser without scripts: view, add, edit, trash, delete, versions, tables. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commonKinds } from '../../../../src/server/pages/console/event/kinds.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

type Json = Record<string, unknown>

const clock = fakeClock()
let node: TestNode
let browser: Visitor
let call: (method: string, path: string, body?: object) => Promise<{ status: number; body: Json }>
beforeAll(async () => {
  node = await startTestNode({ 'versioning.forceKeepHistory': true }, { clock })
  const token = await registerUser(node, 'alice')
  call = async (method, path, body) => {
    const { status, body: answer } = await request(`${node.url}alice${path}`, { token, method, ...(body === undefined ? {} : { body }) })
    return { status, body: answer as Json }
  }
  browser = visitor(node)
  await browser.open('/web/sign-in')
  await browser.submit({ name: 'alice', password: 'correct horse' })
  for (const id of ['body', 'weight']) await call('POST', '/streams', { id, name: `The ${id}` })
})
afterAll(() => node.stop())

const createEvent = async (event: object): Promise<Json> => (await call('POST', '/events', { streamIds: ['weight'], type: 'mass/kg', content: 72.5, ...event })).body['event'] as Json
const eventAt = async (id: unknown): Promise<Json> => (await call('GET', `/events/${String(id)}`)).body['event'] as Json
const shownId = (): string => new URL(browser.page.path, node.url).searchParams.get('id') ?? ''
const formWith = (text: string): number => [...browser.page.html.matchAll(/<form\b[^>]*>([\s\S]*?)<\/form>/g)].findIndex(([, content = '']) => content.includes(text))

describe('the page of an event', () => {
  it('shows all fields in words, escaped, and no token', async () => {
    const { id } = await createEvent({ description: '<b>bold</b>', tags: ['one & two'], clientData: { app: { x: '<i>' } }, duration: 5400, time: clock.now() - 86_400 })
    const { text, html } = await browser.open(`/web/event?id=${String(id)}`)
    for (const shown of ['Weight', '72.5 kg', 'From', 'Until', '1 hour, 30 minutes', 'The weight', '<b>bold</b>', 'one & two', 'mass/kg', 'by test-app']) expect(text).toContain(shown)
    expect(html).not.toMatch(/<b>|<i>|readToken/)
    expect(html).toContain('href="/web/data?stream=weight"')
    expect(html).toContain('href="/web/access/link/new?stream=weight"')
  })

  it('answers 404 for events that do not exist, with a link', async () => {
    for (const id of ['', 'nothing', 'x'.repeat(3000), '%00', ':dummy:x']) {
      const { status, text, html } = await browser.open(`/web/event?id=${id}`)
      expect({ id, status }).toEqual({ id, status: 404 })
      expect(text).toContain('This entry does not exist')
      expect(html).toContain('href="/web/data"')
    }
    expect((await browser.open('/web/event/edit?id=nothing')).status).toBe(404)
    expect((await browser.open('/web/event/new?copy=nothing')).status).toBe(404)
  })

  it('ends a running event, once', async () => {
    const { id } = await createEvent({ type: 'activity/plain', content: null, duration: null, time: clock.now() - 600 })
    await browser.open(`/web/event?id=${String(id)}`)
    expect(browser.page.text).toContain('in progress')
    await browser.submit({}, formWith('value="stop"'))
    expect(browser.page.text).toContain('The entry has ended.')
    const { duration } = await eventAt(id)
    expect(duration).toBeCloseTo(600, 0)
  })

  it('trashes, restores and deletes, after a page that says what is deleted', async () => {
    const { id } = await createEvent({})
    await browser.open(`/web/event?id=${String(id)}`)
    await browser.submit({}, formWith('value="trash"'))
    expect(browser.page.text).toContain('This entry is in the trash.')
    await browser.submit({}, formWith('value="restore"'))
    expect((await eventAt(id))['trashed']).toBeUndefined()
    // Deleting needs the trash first.
    expect((await browser.open(`/web/event?id=${String(id)}&do=delete`)).text).not.toContain('deleted for good')
    await browser.submit({ do: 'delete' }, formWith('value="trash"'))
    expect((await eventAt(id))['id']).toBe(id)
    await browser.open(`/web/event?id=${String(id)}`)
    await browser.submit({}, formWith('value="trash"'))
    await browser.open(`/web/event?id=${String(id)}&do=delete`)
    expect(browser.page.text).toContain('This cannot be undone.')
    await browser.submit({}, formWith('value="delete"'))
    expect((await browser.open(`/web/event?id=${String(id)}`)).status).toBe(404)
  })

  it('links to the entries before and after it in its stream', async () => {
    await call('POST', '/streams', { id: 'walks', name: 'Walks' })
    const ids: string[] = []
    for (const [time, more] of [[100, { duration: 5000 }], [200, {}], [200, {}], [300, { duration: null }], [400, { trashed: true }], [500, {}]] as const) {
      ids.push(String((await createEvent({ streamIds: ['walks'], time, ...more })).id))
    }
    await createEvent({ time: 250 })
    const links = async (id: string): Promise<{ newer?: string | undefined; older?: string | undefined }> => {
      const { html } = await browser.open(`/web/event?id=${id}`)
      const link = (rel: string): string | undefined => new RegExp(`rel="${rel}" href="/web/event\\?id=([^"]+)"`).exec(html)?.[1]
      return { newer: link('prev'), older: link('next') }
    }
    const walked: string[] = []
    for (let id = ids[0]; id !== undefined; id = (await links(id)).newer) walked.push(id)
    expect(walked.map((id) => ids.indexOf(id))).toEqual([0, expect.any(Number), expect.any(Number), 3, 5])
    expect([...walked.slice(1, 3)].sort()).toEqual([...ids.slice(1, 3)].sort())
    for (const [at, id] of walked.entries()) expect((await links(id)).older).toBe(walked[at - 1])
    expect(await links(ids[4] ?? '')).toEqual({ newer: undefined, older: undefined })
  })

  it('is shown for an event of a stream in the trash', async () => {
    await call('POST', '/streams', { id: 'former', name: 'Former' })
    const { id } = await createEvent({ streamIds: ['former'] })
    await createEvent({ streamIds: ['former'] })
    await call('DELETE', '/streams/former')
    const { status, text } = await browser.open(`/web/event?id=${String(id)}`)
    expect(status).toBe(200)
    expect(text).toContain('72.5 kg')
    expect((await browser.open('/web/event?id=:_system:email')).status).toBeLessThan(500)
  })

  it('lists versions with their changes, and restores one', async () => {
    const { id } = await createEvent({ description: 'before', clientData: { a: 1 } })
    await call('PUT', `/events/${String(id)}`, { content: 71, description: null, duration: 60, clientData: { a: null, b: 2 } })
    await call('PUT', `/events/${String(id)}`, { content: 70, streamIds: ['weight', 'body'] })
    const { text } = await browser.open(`/web/event?id=${String(id)}`)
    expect(text).toMatch(/Value: 71 kg → 70 kg .*Streams: The weight → The weight, The body .*Value: 72\.5 kg → 71 kg .*Description: before → none.*As it was added: 72\.5 kg/)
    const first = formWith('name="version" value="0"')
    await browser.submit({}, first)
    expect(browser.page.text).toContain('The earlier version was restored.')
    const event = await eventAt(id)
    expect(event).toMatchObject({ content: 72.5, description: 'before', streamIds: ['weight'], clientData: { a: 1 } })
    expect(event['duration']).toBeUndefined()
    await browser.open(`/web/event?id=${String(id)}`)
    await browser.submit({ version: '77', modified: '1' }, formWith('name="version" value="0"'))
    expect((await eventAt(id))['content']).toBe(72.5)
  })
})

describe('the form of a new event', () => {
  it.each(commonKinds.map(({ type }) => type))('has fields for %s', async (type) => {
    const { status, html } = await browser.open(`/web/event/new?stream=weight&type=${type}`)
    expect(status).toBe(200)
    expect(html).toContain(`value="${type}"`)
    if (type !== 'activity/plain') expect(html).toContain('name="content')
    expect(html).not.toContain('class="code"')
  })

  it.each([
    ['mass/kg', { content: '72.5' }, 72.5],
    ['mass/kg', { content: '72,5', type: 'mass/lb' }, 72.5],
    ['note/txt', { content: 'one\r\ntwo <b>' }, 'one\ntwo <b>'],
    ['boolean/bool', { content: 'false' }, false],
    ['mood/rating', { content: '0.75' }, 0.75],
    ['activity/plain', {}, null],
    ['position/wgs84', { 'content.latitude': '46.5', 'content.longitude': '-6', 'content.altitude': '' }, { latitude: 46.5, longitude: -6 }],
    ['blood-pressure/mmhg-bpm', { 'content.systolic': '121', 'content.diastolic': '79' }, { systolic: 121, diastolic: 79 }],
    ['sleep/analysis', { 'content.analysis': 'asleep' }, { analysis: 'asleep' }],
    ['my-app/thing', { content: '{"a":[1,2]}' }, { a: [1, 2] }],
    ['my-app/thing', { content: '' }, null],
  ])('creates %s from %j', async (type, fields, content) => {
    await browser.open(`/web/event/new?stream=weight&type=${type}`)
    await browser.submit({ ...fields, time: '2026-03-01T10:20:30', description: 'typed', tags: 'a, b,,a' })
    expect(browser.page.text).toContain('The entry was saved.')
    const event = await eventAt(shownId())
    expect(event).toMatchObject({ type: 'type' in fields ? fields.type : type, streamIds: ['weight'], description: 'typed', tags: ['a', 'b'], time: Date.parse('2026-03-01T10:20:30Z') / 1000 })
    expect(event['content'] ?? null).toEqual(content)
  })

  it('creates periods, running ones too', async () => {
    await browser.open('/web/event/new?stream=weight&type=activity/plain')
    await browser.submit({ time: '2026-03-01T10:00', period: 'yes', until: '2026-03-01T11:30' })
    expect((await eventAt(shownId()))['duration']).toBe(5400)
    await browser.open('/web/event/new?stream=weight&type=activity/plain')
    await browser.submit({ period: 'yes', running: 'yes' })
    expect((await eventAt(shownId()))['duration']).toBeNull()
  })

  it.each([
    ['mass/kg', { content: 'heavy' }, 'Enter a number.'],
    ['mass/kg', { content: '' }, 'This field is required.'],
    ['mass/kg', { content: '1', streams: null }, 'Choose at least one stream.'],
    ['mass/kg', { content: '1', streams: 'nowhere' }, 'nowhere'],
    ['mass/kg', { content: '1', time: 'soon' }, 'Enter a date and a time.'],
    ['mass/kg', { content: '1', period: 'yes' }, 'Enter the end'],
    ['mass/kg', { content: '1', period: 'yes', time: '2026-03-01T10:00', until: '2026-03-01T09:00' }, 'The end must be after the begin.'],
    ['url/http', { content: 'not a link' }, 'Some fields need a correction.'],
    ['mood/rating', { content: '7' }, 'Some fields need a correction.'],
    ['my-app/thing', { content: '{"a":' }, 'This is not valid JSON.'],
    ['my-app/thing', { content: '['.repeat(15_000) }, 'This is not valid JSON.'],
    ['blood-pressure/mmhg-bpm', { 'content.systolic': '121' }, 'This field is required.'],
  ])('shows the problem of %s with %j at its field, and what was typed', async (type, fields, problem) => {
    await browser.open(`/web/event/new?stream=weight&type=${type}`)
    await browser.submit({ ...fields, description: 'still <here>' })
    expect(browser.page.status).toBe(400)
    expect(browser.page.text).toContain(problem)
    expect(browser.page.text).toContain('still <here>')
    expect(browser.page.path).toMatch(/^\/web\/event\/new/)
  })

  it('refuses types that are no types, made by apps, or files', async () => {
    for (const type of ['<script>', 'mass', 'a/b/c', 'x'.repeat(3000), 'encrypted/aes-text-base64', 'consent/request-cmc', 'series:mass/kg']) {
      const { status, html } = await browser.open(`/web/event/new?type=${encodeURIComponent(type)}`)
      expect({ type, status }).toEqual({ type, status: 400 })
      expect(html).not.toContain('<script>')
    }
    await browser.open('/web/event/new?type=picture/attached&stream=weight')
    expect(browser.page.path).toBe('/web/upload?stream=weight')
  })

  it('begins with the values of a copied event', async () => {
    const { id } = await createEvent({ content: 70.25, description: 'copied', time: 1_000_000 })
    await browser.open(`/web/event/new?copy=${String(id)}`)
    await browser.submit({})
    const copy = await eventAt(shownId())
    expect(copy['id']).not.toBe(id)
    expect(copy).toMatchObject({ content: 70.25, streamIds: ['weight'] })
    expect(copy['time']).toBeGreaterThan(1_000_000)
  })

  it('finds streams, and keeps what was typed', async () => {
    await browser.open('/web/event/new?stream=weight&type=mass/kg')
    await browser.submit({ content: '71.5', find: 'body', search: '1' })
    expect(browser.page.status).toBe(200)
    expect(browser.page.html).toContain('value="71.5"')
    expect(browser.page.text).toContain('The body')
  })
})

describe('the form of an event', () => {
  it('changes what was changed, and nothing else', async () => {
    const { id } = await createEvent({ time: 1_750_000_000.123, duration: 61.5, description: 'old', tags: ['t'], clientData: { a: 1 } })
    const before = await eventAt(id)
    await browser.open(`/web/event/edit?id=${String(id)}`)
    await browser.submit({ content: '73' })
    const after = await eventAt(id)
    expect(after).toMatchObject({ content: 73, time: before['time'], duration: 61.5, tags: ['t'], clientData: { a: 1 } })
    await browser.open(`/web/event/edit?id=${String(id)}`)
    await browser.submit({ period: null, streams: ['weight', 'body'] })
    const last = await eventAt(id)
    expect(last['duration']).toBeUndefined()
    expect(last['streamIds']).toEqual(['weight', 'body'])
  })

  it('does not overwrite a change of another access', async () => {
    const { id } = await createEvent({})
    await browser.open(`/web/event/edit?id=${String(id)}`)
    clock.pass(5)
    await call('PUT', `/events/${String(id)}`, { content: 60 })
    await browser.submit({ content: '73' })
    expect(browser.page.status).toBe(409)
    expect(browser.page.text).toContain('was changed by another access meanwhile')
    expect((await eventAt(id))['content']).toBe(60)
    await browser.submit({ content: '73' })
    expect((await eventAt(id))['content']).toBe(73)
  })

  it('edits content that the fields cannot show as JSON, and leaves content of apps alone', async () => {
    const { id } = await createEvent({ type: 'position/wgs84', content: { latitude: 1, longitude: 2, more: 'x' } })
    await browser.open(`/web/event/edit?id=${String(id)}`)
    expect(browser.page.html).toContain('class="code"')
    await browser.submit({ content: '{"latitude":3,"longitude":2,"more":"x"}' })
    expect((await eventAt(id))['content']).toEqual({ latitude: 3, longitude: 2, more: 'x' })
    const long = await createEvent({ type: 'note/txt', content: 'long '.repeat(10_000) })
    await browser.open(`/web/event/edit?id=${String(long['id'])}`)
    expect(browser.page.text).toContain('cannot be changed here')
    await browser.submit({ description: 'new' })
    expect(await eventAt(long['id'])).toMatchObject({ description: 'new', content: 'long '.repeat(10_000) })
  })
})

describe('the table of several events', () => {
  const table = '2020-01-01;70\n2020-01-02;seventy\n2020-01-03;71;third\n'
  const countIn = async (stream: string): Promise<number> => ((await call('GET', `/events?streams=${stream}&limit=10000`)).body['events'] as unknown[]).length

  it('is previewed, saved, and reported with what was refused', async () => {
    await call('POST', '/streams', { id: 'table', name: 'Table' })
    await browser.open('/web/event/several?stream=table&type=mass/kg')
    await browser.submit({ rows: table })
    expect(browser.page.text).toContain('2 lines can be saved, 1 cannot.')
    expect(await countIn('table')).toBe(0)
    await browser.submit({ rows: table, save: 'yes' })
    expect(browser.page.text).toMatch(/2 entries were saved, 1 refused\..*Line 2: The value cannot be read\./)
    expect(await countIn('table')).toBe(2)
    await browser.submit({ rows: '2020-01-02;70.5', save: 'yes' })
    expect(browser.page.text).toContain('1 entry was saved.')
    expect(await countIn('table')).toBe(3)
  })

  it('is saved once when the form is sent twice', async () => {
    await call('POST', '/streams', { id: 'twice', name: 'Twice' })
    await browser.open('/web/event/several?stream=twice&type=mass/kg')
    const batch = /name="batch" value="([^"]+)"/.exec(browser.page.html)?.[1] ?? ''
    await browser.submit({ rows: table, save: 'yes' })
    await browser.open('/web/event/several?stream=twice&type=mass/kg')
    await browser.submit({ rows: table, save: 'yes', batch })
    expect(await countIn('twice')).toBe(2)
  })

  it('has at most 1,000 rows; the rest stays in the form', async () => {
    await call('POST', '/streams', { id: 'many', name: 'Many' })
    await browser.open('/web/event/several?stream=many&type=count/generic')
    const rows = Array.from({ length: 1003 }, (_, row) => `${1_500_000_000 + row};${row}`)
    await browser.submit({ rows: rows.join('\r\n'), save: 'yes' })
    expect(await countIn('many')).toBe(1000)
    expect(browser.page.text).toContain('1500001002;1002')
    expect(browser.page.text).not.toContain('1500000999;999')
  })

  it('is refused without rows, without a stream, or of a type that has no columns', async () => {
    await browser.open('/web/event/several')
    await browser.submit({ rows: '' })
    expect(browser.page.text).toContain('Enter at least one line.')
    await browser.submit({ rows: table, save: 'yes' })
    expect(browser.page.text).toContain('Choose a stream.')
    await browser.submit({ rows: table, stream: 'weight', type: 'my-app/thing' })
    expect(browser.page.text).toContain('cannot be read from a table')
    await browser.submit({ rows: table, stream: 'nowhere', type: 'mass/kg', save: 'yes' })
    expect(browser.page.text).toContain('0 entries were saved, 3 refused.')
  })
})
