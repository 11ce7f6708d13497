import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { printableAddress } from '../../../../src/cli/commands/webhooks/webhook.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

type Json = Record<string, unknown>

let node: TestHome
let count = 0
/** URL of the current test, on which nothing listens. */
let url: string

beforeAll(async () => {
  node = await testHome('ana-lovelace')
  await node.json('streams create Heart --id heart')
  await node.json('accesses create --name lab --permission heart:read')
  await node.json('accesses create --name watch --type app --permission heart:contribute')
})
afterAll(() => node.remove())
beforeEach(() => {
  // Port 9 is the discard service, on which nothing listens.
  url = `http://127.0.0.1:9/${++count}?key=xyzzy`
})

const created = async (...more: string[]): Promise<Json> =>
  (await node.json(['webhooks', 'create', url, '--access', 'lab', ...more]))['webhook'] as Json

describe('the address of a webhook', () => {
  it.each([
    ['https://lab.example.org/changes', 'https://lab.example.org/changes'],
    ['https://lab.example.org/', 'https://lab.example.org'],
    ['https://lab.example.org/c?key=secret', 'https://lab.example.org/c?…'],
    ['http://ana:secret@127.0.0.1:8080/c#secret', 'http://…@127.0.0.1:8080/c'],
    ['no address', 'no address'],
  ])('%s is printed as %s', (given, shown) => expect(printableAddress(given)).toBe(shown))
})

describe('webhooks create', () => {
  it('prints only the id on stdout, and the next command on stderr', async () => {
    const { code, out, err } = await node.run(['webhooks', 'create', url, '--access', 'lab'])
    expect([code, out]).toEqual([0, expect.stringMatching(/^[a-z0-9]{24}\n$/)])
    expect(err).toContain('will receive: eventsChanged, streamsChanged, accessesChanged')
    expect(err).toContain(`coffer webhooks test ${out.trim()}`)
    expect(err).not.toContain('xyzzy')
    expect((await node.run(['webhooks', 'create', url, '--access', 'lab', '-q'])).code).toBe(6)
    expect((await node.run(['webhooks', 'create', url, '--access', 'watch', '-q'])).code).toBe(0)
  })

  it('restricts messages to events of streams and types, with the default name', async () => {
    const webhook = await created('--stream', 'heart', '--type', 'frequency/bpm')
    expect(webhook['scopes']).toEqual({
      eventsChanged: { kind: 'events', query: { streams: ['heart'], types: ['frequency/bpm'] } },
    })
  })

  it('accepts scopes in the form of the API', async () => {
    const webhook = await created('--scope', 'tree={"kind":"streams","query":{"streams":["heart"]}}', '--scope', 'all={}')
    expect(webhook['scopes']).toEqual({
      tree: { kind: 'streams', query: { streams: ['heart'] } },
      all: { kind: 'events', query: {} },
    })
  })

  it.each([
    [['ftp://127.0.0.1/', '--access', 'lab'], '<url> takes a URL'],
    [['127.0.0.1:8080', '--access', 'lab'], '<url> takes a URL'],
    [['http://127.0.0.1:9/'], '--access <access> is missing'],
    [['http://127.0.0.1:9/', '--access', 'lab', '--scope', '{}'], '--scope takes a name and JSON'],
    [['http://127.0.0.1:9/', '--access', 'lab', '--scope', 'a=[]'], '--scope a= takes a JSON object'],
    [['http://127.0.0.1:9/', '--access', 'lab', '--stream', 'heart', '--scope', 'eventsChanged={}'], 'two scopes named eventsChanged'],
  ])('refuses %j', async (words, says) => {
    const { code, out, err } = await node.run(['webhooks', 'create', ...words])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(says)
  })

  it('exits 5 for an unknown access or stream', async () => {
    expect((await node.run(['webhooks', 'create', url, '--access', 'nobody'])).code).toBe(5)
    expect((await node.run(['webhooks', 'create', url, '--access', 'lab', '--stream', 'nowhere'])).code).toBe(5)
  })
})

describe('webhooks list', () => {
  it('prints a table without the query of URLs', async () => {
    const { id } = await created()
    const { out, err } = await node.run('webhooks list')
    const line = out.split('\n').find((each) => each.includes(String(id)))
    expect(line?.split('\t')).toEqual([`http://127.0.0.1:9/${count}?…`, 'active', 'lab', '—', '0', '0', id])
    expect(out + err).not.toContain('xyzzy')
    expect(err).toMatch(/^\d+ webhooks$/m)
    const { webhooks } = await node.json('webhooks list')
    expect(webhooks).toEqual(expect.arrayContaining([expect.objectContaining({ id, url })]))
    expect((await node.run('webhooks list -q')).out.split('\n')).toContain(id)
  })

  it('filters inactive webhooks with --failed', async () => {
    const { id } = await created()
    await node.json(['api', 'webhooks.update', JSON.stringify({ id, update: { state: 'inactive' } })])
    expect((await node.run('webhooks list --failed -q')).out).toBe(`${String(id)}\n`)
    expect((await node.run('webhooks list')).err).toMatch(/webhooks, 1 failing$/m)
    const activated = await node.json(`webhooks activate ${String(id)}`)
    expect(activated['webhook']).toMatchObject({ id, state: 'active' })
    expect((await node.json('webhooks list --failed'))['webhooks']).toEqual([])
  })
})

describe('webhooks show', () => {
  it('prints state, access, messages, scopes and calls', async () => {
    const { id } = await created('--stream', 'heart')
    const { out, err } = await node.run(['webhooks', 'show', url])
    expect(out).toContain(`http://127.0.0.1:9/${count}?…  ${String(id)}\n`)
    expect(out).toMatch(/State {5}active\n {2}Access {4}lab \([a-z0-9]{24}\)\n {2}Messages {2}eventsChanged\n/)
    expect(out).toContain('Scope     eventsChanged: events {"streams":["heart"]}')
    expect(out).toContain('Calls     none yet')
    expect(out + err).not.toContain('xyzzy')
    expect((await node.run(['webhooks', 'show', url, '--reveal'])).out).toContain(url)
    expect(await node.json(`webhooks show ${String(id)}`)).toMatchObject({ webhook: { id, url, runs: [] } })
  })

  it('requires the id when two webhooks have one URL', async () => {
    await node.json(['webhooks', 'create', url, '--access', 'lab'])
    await node.json(['webhooks', 'create', url, '--access', 'watch'])
    const { code, err } = await node.run(['webhooks', 'show', url])
    expect([code, err]).toEqual([2, expect.stringMatching(/Use the id: [a-z0-9]{24}, [a-z0-9]{24}/)])
  })

  it.each(['show', 'activate', 'test', 'delete'])('%s exits 5 for an unknown webhook', async (verb) => {
    const { code, err } = await node.run(['webhooks', verb, 'nothing'])
    expect([code, err]).toEqual([5, expect.stringContaining('coffer webhooks list')])
  })
})

describe('webhooks test', () => {
  it('exits 5 when the connection is refused', async () => {
    const { id } = await created()
    const { code, out, err } = await node.run(`webhooks test ${String(id)}`)
    expect([code, out]).toEqual([5, ''])
    expect(err).toContain('refused')
  })
})

describe('webhooks delete', () => {
  it('requires a confirmation', async () => {
    const { id } = await created()
    const { code, err } = await node.run(`webhooks delete ${String(id)}`)
    expect([code, err]).toEqual([2, expect.stringContaining('--yes is missing')])
    const { webhookDeletion } = await node.json(`webhooks delete ${String(id)} --yes`)
    expect(webhookDeletion).toMatchObject({ id })
    expect((await node.run(`webhooks show ${String(id)}`)).code).toBe(5)
  })
})
