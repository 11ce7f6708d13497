/** Browser tests of releases of the published clients: their differences to Node.js (clients.md). */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../support/nodes/node.js'
import { createAccount, logIn, serviceOf, soon, type Client } from '../support/http/pryvClient.js'
import { appReleases, serveApp, stateOf, withApp } from './support/app.js'
import { inBrowser, withBrowser } from './support/browser.js'

inBrowser.each(appReleases)('an app with %s', (_, packages) => {
  const browser = withBrowser()
  const app = withApp()
  let node: TestNode
  let owner: Client
  let page: Page
  beforeAll(async () => {
    node = await startTestNode()
    await createAccount(serviceOf(node), 'alice')
    owner = await logIn(serviceOf(node), 'alice')
    const id = (at: number): string => `c${String(at).padStart(24, '0')}`
    const note = (at: number): { method: string; params: unknown } => ({
      method: 'events.create',
      params: { id: id(at), streamIds: ['diary'], type: 'note/txt', time: at, content: `note ${at}` },
    })
    const remove = { method: 'events.delete', params: { id: id(3) } }
    await owner.api([{ method: 'streams.create', params: { id: 'diary', name: 'Diary' } }, note(1), note(2), note(3), remove, remove])
  })
  afterAll(() => node.stop())

  beforeEach(async () => {
    await serveApp(app(), `${node.url}service/info`, { requestingAppId: 'heart-watch', requestedPermissions: [{ streamId: 'diary', level: 'read' }] }, packages)
    const context = await browser.context({ origins: [new URL(node.url).origin], apps: [app().otherSite] })
    page = await context.newPage()
    await page.goto(app().otherSite + app().path)
    await stateOf(page, 'INITIALIZED')
    await page.evaluate(`globalThis.connection = new pryv.Connection('${owner.apiEndpoint}')`)
  })

  const run = <T>(script: string): Promise<T> => page.evaluate<T>(`(async () => { ${script} })()`)

  it('calls methods, and receives failures', async () => {
    expect(await run(`return connection.username()`)).toBe('alice')
    expect(await run(`return connection.api([{ method: 'events.get', params: { streams: ['diary'], limit: 1 } }, { method: 'no.such', params: {} }])`)).toMatchObject([
      { events: [{ content: 'note 2' }] },
      { error: { id: 'invalid-method' } },
    ])
    const refused = `await connection.get('events/nowhere').catch((error) => error.response.body)`
    expect(await run(`return ${refused}`)).toMatchObject({ error: { id: 'unknown-resource' }, meta: {} })
  })

  it('reads events and deletions as a stream', async () => {
    const counts = await run(`
      const counts = []
      for (let n = 0; n < 20; n++) {
        const seen = []
        const query = { streams: 'diary', fromTime: 0, toTime: 10, limit: 10, includeDeletions: true, modifiedSince: 0 }
        const { eventsCount, eventDeletionsCount } = await connection.getEventsStreamed(query, (event) => void seen.push(event.id))
        counts.push([eventsCount, eventDeletionsCount, seen.length].join())
      }
      return [...new Set(counts)]`)
    expect(counts).toEqual(['2,1,3'])
  })

  it('uploads the file of a form, and a blob', async () => {
    const event = `{ streamIds: ['diary'], type: 'file/attached' }`
    const [formed, blob] = await run<{ event: { attachments: object[] } }[]>(`
      const form = new FormData()
      form.append('file', new Blob(['Hello'], { type: 'text/txt' }))
      return [
        await connection.createEventWithFormData(${event}, form),
        await connection.createEventWithFileFromBuffer(${event}, new Blob(['Hello'], { type: 'text/txt' }), 'hello.txt'),
      ]`)
    expect(formed?.event.attachments).toMatchObject([{ fileName: 'blob', type: 'text/txt', size: 5 }])
    expect(blob?.event.attachments).toMatchObject([{ fileName: 'hello.txt', type: 'text/txt', size: 5 }])
  })

  it('receives each change once by a socket', async () => {
    await run(`
      globalThis.seen = []
      globalThis.monitor = new pryv.Monitor(connection, { streams: 'diary', types: 'note/html' })
      monitor.on('event', ({ content }) => void seen.push(content))
      monitor.on('error', (error) => void seen.push(String(error)))
      monitor.addUpdateMethod(new pryv.Monitor.UpdateMethod.Socket())
      await monitor.start()`)
    await soon(() => page.evaluate('connection.socket._io?.connected')).toBe(true)
    const create = (content: string): Promise<unknown> =>
      owner.api([{ method: 'events.create', params: { streamIds: ['diary'], type: 'note/html', content } }])
    await create('first')
    await soon(() => page.evaluate('seen')).toEqual(['first'])
    await create('second')
    await soon(() => page.evaluate('seen')).toEqual(['first', 'second'])
    await page.evaluate('void monitor.stop()')
  })
})
