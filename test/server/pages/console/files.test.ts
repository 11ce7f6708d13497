/** Files in the console: lists, content, uploads, and uploads that must leave nothing behind. */
import { once } from 'node:events'
import { connect } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attached, filePart, filesOnDisk, MULTIPART, multipartBody, type Part } from '../../../support/http/multipart.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

type Json = Record<string, unknown>

let node: TestNode
let owner: string
let browser: Visitor
beforeAll(async () => {
  node = await startTestNode({ 'uploads.maxSizeMb': 1, 'uploads.maxFiles': 3 })
  owner = await registerUser(node, 'alice')
  await registerUser(node, 'robert')
  browser = await signedIn('alice')
  await call('POST', '/streams', { id: 'diary', name: 'Diary' })
  await call('POST', '/streams', { id: 'other', name: 'Other' })
})
afterAll(() => node.stop())

async function signedIn(name: string): Promise<Visitor> {
  const person = visitor(node)
  await person.open('/web/sign-in')
  await person.submit({ name, password: 'correct horse' })
  return person
}

async function call(method: string, path: string, body?: object): Promise<Json> {
  const answer = await request(`${node.url}alice${path}`, { token: owner, method, ...(body === undefined ? {} : { body }) })
  return answer.body as Json
}

const cookieOf = ({ cookies }: Visitor): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
const tokenOf = async (person: Visitor): Promise<string> => /name="form_token" value="([^"]+)"/.exec((await person.open('/web/upload')).html)?.[1] ?? ''
const field = (name: string, data: string): Part => ({ name, data })
const file = (fileName: string, data: string | Uint8Array, type = 'text/plain'): Part => ({ ...filePart(fileName, data, type), name: 'files' })

/** Sends a form with files; does not follow the redirect. */
const upload = (parts: readonly Part[], options: { as?: Visitor; end?: string; headers?: Record<string, string>; path?: string } = {}): Promise<Response> => {
  const { as = browser, end, headers = {}, path = 'web/upload' } = options
  return fetch(node.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...MULTIPART, cookie: cookieOf(as), 'sec-fetch-site': 'same-origin', ...headers },
    body: multipartBody(parts, end),
  })
}

const eventsIn = async (stream: string): Promise<Json[]> => (await call('GET', `/events?streams=${stream}&limit=1000`))['events'] as Json[]

describe('an upload', () => {
  it('makes an event of each file, by its type', async () => {
    const token = await tokenOf(browser)
    const picture = await sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } }).png().toBuffer()
    const response = await upload([
      field('form_token', token),
      field('stream', 'diary'),
      field('description', 'from a form'),
      file('picture.png', picture, 'image/png'),
      file('<b>.html', '<script>alert(1)</script>', 'text/html'),
      file('song.mp3', 'la', 'audio/mpeg'),
      // An input without a file.
      { ...filePart('', '', 'application/octet-stream'), name: 'camera' },
    ])
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/web/files?stream=diary&done=saved&count=3')
    const events = await eventsIn('diary')
    expect(events.map(({ type }) => type).sort()).toEqual(['audio/attached', 'file/attached', 'picture/attached'])
    for (const event of events) expect(event).toMatchObject({ description: 'from a form', streamIds: ['diary'] })
    expect(await filesOnDisk(node)).toHaveLength(3)
    const { text, html } = await browser.open('/web/files?stream=diary&done=saved&count=3')
    expect(text).toContain('3 files were saved.')
    expect(html).not.toContain('<script>alert')
    expect(html).toMatch(/<img[^>]+src="\/web\/file\?event=[a-z0-9]+&amp;file=[a-z0-9]+&amp;preview=256"/)
  })

  it('of one file leads to its event', async () => {
    const response = await upload([field('form_token', await tokenOf(browser)), field('stream', 'diary'), file('one.txt', 'x')])
    expect(response.headers.get('location')).toMatch(/^\/web\/event\?id=[a-z0-9]+&done=created$/)
  })

  it.each([
    ['no file', [field('stream', 'diary')], 'Choose at least one file.'],
    ['no stream', [file('a.txt', 'a')], 'Choose a stream.'],
    ['an unknown stream', [field('stream', 'nowhere'), file('a.txt', 'a')], 'nowhere'],
    ['the search for a stream', [field('stream', 'diary'), field('search', '1'), field('find', 'di'), file('a.txt', 'a')], 'Save the files'],
  ])('with %s shows the form again, and stores nothing', async (_, parts, text) => {
    const before = await filesOnDisk(node)
    const response = await upload([field('form_token', await tokenOf(browser)), ...parts])
    expect(response.status).toBe(parts.some(({ name }) => name === 'search') ? 200 : 400)
    expect(await response.text()).toContain(text)
    expect(await filesOnDisk(node)).toEqual(before)
  })
})

describe('a hostile upload', () => {
  let before: string[]
  let count: number
  beforeEach(async () => {
    before = await filesOnDisk(node)
    count = (await eventsIn('diary')).length
  })

  const expectNothing = async (): Promise<void> => {
    expect(await filesOnDisk(node)).toEqual(before)
    expect((await eventsIn('diary')).length).toBe(count)
    // The next request works.
    expect((await browser.open('/web/upload')).status).toBe(200)
  }
  const stream = field('stream', 'diary')

  it.each([
    ['no token', () => [stream, file('a.txt', 'a')]],
    ['a token after the file', (token: string) => [stream, file('a.txt', 'a'), field('form_token', token)]],
    ['an invented token', () => [field('form_token', 'x'), stream, file('a.txt', 'a')]],
    ['a file as the token', (token: string) => [{ ...filePart('form_token', token), name: 'form_token' }, stream, file('a.txt', 'a')]],
    ['no parts but text, and no token', () => [stream]],
    ['a large file and no token', () => [stream, file('a.bin', Buffer.alloc(3 * 1024 * 1024, 1))]],
  ])('with %s is refused', async (_, partsOf) => {
    const response = await upload(partsOf(await tokenOf(browser)))
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('This form has expired')
    await expectNothing()
  })

  it('with the token of another person, or from another site, is refused', async () => {
    const bob = await signedIn('robert')
    expect((await upload([field('form_token', await tokenOf(bob)), stream, file('a.txt', 'a')])).status).toBe(403)
    const own = field('form_token', await tokenOf(browser))
    expect((await upload([own, stream, file('a.txt', 'a')], { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
    await expectNothing()
  })

  it('without a session leads to the sign-in', async () => {
    const response = await upload([stream, file('a.txt', 'a')], { as: visitor(node) })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/web/sign-in?to=%2Fupload'])
    await expectNothing()
  })

  it.each([
    ['a file that is too large', 413, [file('a.bin', Buffer.alloc(1024 * 1024 + 1, 1))]],
    ['a good file before one that is too large', 413, [file('a.txt', 'a'), file('b.bin', Buffer.alloc(2 * 1024 * 1024, 1))]],
    ['too many files', 400, ['a', 'b', 'c', 'd'].map((name) => file(name, name))],
    ['fields that are too large', 413, [field('description', 'x'.repeat(70_000)), file('a.txt', 'a')]],
    ['too many fields', 400, [...Array.from({ length: 2500 }, () => field('a', 'b')), file('a.txt', 'a')]],
    ['text that is no UTF-8', 400, [{ name: 'description', data: Buffer.from([0xff, 0xfe]) }, file('a.txt', 'a')]],
    ['a file without a name', 400, [{ ...filePart('', 'bytes', 'application/octet-stream'), name: 'files' }]],
    ['a part without a name', 400, [file('a.txt', 'a'), { data: 'x', headers: ['Content-Type: text/plain'] }]],
  ])('with %s is refused', async (_, status, parts) => {
    const response = await upload([field('form_token', await tokenOf(browser)), stream, ...parts])
    expect(response.status).toBe(status)
    await response.text()
    await expectNothing()
  })

  it.each([
    ['without an end', { end: '' }],
    ['with a broken end', { end: '--boundary-of-coff' }],
    ['with another boundary', { headers: { 'content-type': 'multipart/form-data; boundary=another' } }],
    ['without a boundary', { headers: { 'content-type': 'multipart/form-data' } }],
  ])('%s is refused', async (_, options) => {
    const response = await upload([field('form_token', await tokenOf(browser)), stream, file('a.txt', 'a')], options)
    expect([400, 403]).toContain(response.status)
    await response.text()
    await expectNothing()
  })

  it('that stops in the middle leaves nothing', async () => {
    const body = multipartBody([field('form_token', await tokenOf(browser)), stream, file('a.bin', Buffer.alloc(600_000, 1))])
    const { hostname, port, pathname } = new URL('web/upload', node.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(`POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${cookieOf(browser)}\r\nContent-Type: ${MULTIPART['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.write(body.subarray(0, 400_000))
    await expect.poll(async () => (await filesOnDisk(node)).length).toBe(before.length + 1)
    socket.destroy()
    await expect.poll(() => filesOnDisk(node)).toEqual(before)
    await expectNothing()
  })

  it('to a page without files is refused', async () => {
    const response = await upload([field('form_token', await tokenOf(browser)), file('a.txt', 'a')], { path: 'web/event' })
    expect(response.status).toBe(415)
    await response.text()
    await expectNothing()
  })
})

describe('the files of an event', () => {
  const create = async (): Promise<string> => ((await call('POST', '/events', { streamIds: ['diary'], type: 'note/txt', content: 'with files' }))['event'] as { id: string }).id
  const filesOf = async (id: string): Promise<string[]> => (((await call('GET', `/events/${id}`))['event'] as { attachments?: { fileName: string }[] }).attachments ?? []).map(({ fileName }) => fileName)
  const add = async (id: string, ...parts: Part[]): Promise<Response> => upload([field('form_token', await tokenOf(browser)), field('id', id), ...parts], { path: 'web/event/files' })

  it('grow by files that are added, and shrink by one that is removed after a confirmation', async () => {
    const id = await create()
    const response = await add(id, file('one.txt', '1'), file('two.txt', '2'))
    expect(response.headers.get('location')).toBe(`/web/event?id=${id}&done=filesAdded`)
    await add(id, file('three.txt', '3'))
    expect(await filesOf(id)).toEqual(['one.txt', 'two.txt', 'three.txt'])
    const { html, text } = await browser.open(`/web/event?id=${id}`)
    for (const shown of ['Add files', 'one.txt', 'three.txt', 'Remove the file']) expect(text).toContain(shown)
    const [, link = ''] = /href="([^"]*remove=[^"]*)"[^>]*>[^<]*<span class="hidden"> two\.txt/.exec(html) ?? []
    const page = await browser.open(link.replaceAll('&amp;', '&'))
    expect(page.text).toContain('two.txt')
    expect(page.text).toContain('deleted for good')
    await browser.submit({})
    expect(browser.page.text).toContain('The file was removed.')
    expect(await filesOf(id)).toEqual(['one.txt', 'three.txt'])
  })

  it('stay when the form is without a file, or for an event that cannot be changed', async () => {
    const before = await filesOnDisk(node)
    const id = await create()
    const empty = await add(id)
    expect(empty.status).toBe(400)
    expect(await empty.text()).toContain('Choose at least one file.')
    expect((await add('nothing', file('a.txt', 'a'))).status).toBe(404)
    await call('DELETE', `/events/${id}`)
    expect((await add(id, file('a.txt', 'a'))).status).toBe(404)
    expect((await browser.open(`/web/event/files?id=${id}`)).status).toBe(404)
    expect(await filesOnDisk(node)).toEqual(before)
  })

  it('are refused beyond the maximum size', async () => {
    const id = await create()
    const response = await add(id, file('large.bin', 'x'.repeat(1_100_000)))
    expect(response.status).toBe(413)
    expect(await filesOf(id)).toEqual([])
  })
})

describe('the content of a file', () => {
  const stage = (): { node: TestNode; username: string; owner: string } => ({ node, username: 'alice', owner })
  const get = (query: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${node.url}web/file?${query}`, { method, redirect: 'manual', headers: { cookie: cookieOf(browser), ...headers } })

  it('is a download that no browser runs', async () => {
    const { id, files } = await attached(stage(), [filePart('päge x.html', '<script>alert(1)</script>', 'text/html')], { streamIds: ['other'], type: 'file/attached' })
    for (const more of ['', '&preview=256']) {
      const response = await get(`event=${id}&file=${files[0]?.id ?? ''}${more}`)
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-disposition': `attachment; filename*=UTF-8''p%C3%A4ge%20x.html`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, max-age=3600',
        'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/) as string,
      })
      expect(response.headers.get('vary')).toContain('Cookie')
      expect(await response.text()).toBe('<script>alert(1)</script>')
    }
  })

  it('has ranges, and no body for HEAD', async () => {
    const { id, files } = await attached(stage(), [filePart('digits.txt', '0123456789')], { streamIds: ['other'], type: 'file/attached' })
    const query = `event=${id}&file=${files[0]?.id ?? ''}`
    const part = await get(query, { range: 'bytes=2-4' })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
    const end = await get(query, { range: 'bytes=-3' })
    expect([end.status, await end.text()]).toEqual([206, '789'])
    const outside = await get(query, { range: 'bytes=20-' })
    expect([outside.status, outside.headers.get('content-range'), await outside.text()]).toEqual([416, 'bytes */10', ''])
    const head = await get(query, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
  })

  it('is a preview for pictures', async () => {
    const data = await sharp({ create: { width: 900, height: 600, channels: 3, background: 'blue' } }).png().toBuffer()
    const { id, files } = await attached(stage(), [filePart('p.png', data, 'image/png')], { streamIds: ['other'], type: 'picture/attached' })
    const small = await get(`event=${id}&file=${files[0]?.id ?? ''}&preview=256`)
    expect([small.headers.get('content-type'), small.headers.get('content-disposition')]).toEqual(['image/jpeg', 'inline'])
    expect(await sharp(Buffer.from(await small.arrayBuffer())).metadata()).toMatchObject({ width: 256 })
    const note = await attached(stage(), [filePart('p.png', data, 'image/png')], { streamIds: ['other'], type: 'note/txt', content: 'x' })
    const original = await get(`event=${note.id}&file=${note.files[0]?.id ?? ''}&preview=256`)
    expect([original.headers.get('content-type'), (await original.arrayBuffer()).byteLength]).toEqual(['image/png', data.length])
    const drawing = await attached(stage(), [filePart('p.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')], { streamIds: ['other'], type: 'note/txt', content: 'x' })
    const svg = await get(`event=${drawing.id}&file=${drawing.files[0]?.id ?? ''}&preview=256`)
    expect(svg.headers.get('content-disposition')).toMatch(/^attachment/)
    await svg.text()
  })

  it('is only for the owner', async () => {
    const { id, files } = await attached(stage(), [filePart('secret.txt', 'secret')], { streamIds: ['other'], type: 'file/attached' })
    const query = `event=${id}&file=${files[0]?.id ?? ''}`
    const bob = await signedIn('robert')
    const answer = await get(query, { cookie: cookieOf(bob) })
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toContain('secret')
    expect((await get(query, { cookie: '' })).status).toBe(303)
    for (const wrong of ['', 'event=x', `event=${id}`, `event=${id}&file=x&preview=1`, `event=${id}&file=../../x&preview=NaN`]) {
      const { status } = await get(wrong)
      expect({ wrong, status }).toEqual({ wrong, status: 404 })
    }
  })
})

describe('the list of files', () => {
  it('is paged without gaps or repetitions, with equal times too', async () => {
    await call('POST', '/streams', { id: 'album', name: 'Album' })
    const stage = { node, username: 'alice', owner }
    const names = Array.from({ length: 110 }, (_, at) => `file-${String(at).padStart(3, '0')}.txt`)
    for (const [at, name] of names.entries()) {
      await attached(stage, [filePart(name, name)], { streamIds: ['album'], type: 'file/attached', time: 1_600_000_000 + Math.floor(at / 60) * 86_400 * 30 })
    }
    const seen: string[] = []
    let path = '/web/files?stream=album'
    for (let pages = 0; pages < 5 && path !== ''; pages++) {
      const { html } = await browser.open(path)
      seen.push(...[...html.matchAll(/<bdi>(file-\d+\.txt)<\/bdi>/g)].map(([, name = '']) => name))
      path = (/href="([^"]+)">Older files</.exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
    }
    expect(seen).toHaveLength(110)
    expect([...seen].sort()).toEqual(names)
  })

  it('is empty in words, and ignores what is no place in it', async () => {
    const bob = await signedIn('robert')
    expect((await bob.open('/web/files')).text).toContain('No files yet.')
    for (const query of ['until=x', 'until=1&skip=-1', 'until=1e400', 'stream=nowhere', 'until=NaN&skip=x']) {
      const { status } = await browser.open(`/web/files?${query}`)
      expect({ query, status }).toEqual({ query, status: 200 })
    }
  })
})
