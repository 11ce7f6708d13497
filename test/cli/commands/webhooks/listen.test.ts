/** Tests of `coffer webhooks listen`: live calls of webhooks, retries and forwarding. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestNode } from '../../../support/nodes/node.js'
import type { TestNode } from '../../../support/nodes/node.js'
import { startReceiver } from '../../../support/services/webhookReceiver.js'
import type { Receiver } from '../../../support/services/webhookReceiver.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'
import { followers, following } from '../../support/following.js'
import type { Following } from '../../support/following.js'

type Json = Record<string, unknown>

let home: TestHome
let running: TestNode
let receiver: Receiver
let webhook: Json & { id: string }

beforeAll(async () => {
  home = await testHome('ana-lovelace')
  await home.json('streams create Heart --id heart')
  await home.json('accesses create --name lab --permission heart:read')
  running = await startTestNode({ 'webhooks.minIntervalMs': 20, 'webhooks.maxRetries': 2 }, { home: home.home })
})
afterAll(async () => {
  await running.stop()
  await home.remove()
})
beforeEach(async () => {
  receiver = await startReceiver()
  webhook = (await home.json(['webhooks', 'create', `${receiver.url}in?key=xyzzy`, '--access', 'lab']))['webhook'] as typeof webhook
  return async () => {
    await home.run(`webhooks delete ${webhook.id} --yes`)
    await receiver.stop()
  }
})

const change = (): Promise<Json> => home.json('events create --stream heart --type mass/kg --content 1')

/** Starts `webhooks listen`; resolves once it receives all later calls. */
async function listening(options: string | readonly string[] = ''): Promise<Following> {
  const followed = followers(running.node.webhooks, 1)
  const more = typeof options === 'string' ? options.split(' ').filter((word) => word !== '') : options
  const listen = following(home.home, ['webhooks', 'listen', ...more])
  await followed
  return listen
}

const linesOf = (text: string): Json[] => text.trim().split('\n').map((line) => JSON.parse(line) as Json)

describe('webhooks listen', () => {
  it('prints each call with the sent messages', async () => {
    const json = await listening('--json --limit 1')
    const quiet = await listening('-q --limit 1')
    const people = await listening('--limit 1')
    await change()
    expect([await json.code, await quiet.code, await people.code]).toEqual([0, 0, 0])
    const [received] = await receiver.calls(1)
    expect(received).toMatchObject({ method: 'POST', url: '/in?key=xyzzy', messages: ['eventsChanged'] })
    expect(linesOf(json.out())).toEqual([
      {
        event: 'delivery',
        webhookId: webhook.id,
        accessId: webhook['accessId'],
        url: `${receiver.url}in?key=xyzzy`,
        messages: ['eventsChanged'],
        status: 200,
        timestamp: expect.any(Number) as number,
        meta: { ...received?.meta, serverTime: expect.any(Number) as number },
      },
    ])
    expect(quiet.out()).toBe(`${webhook.id}\n`)
    expect(people.out()).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d\thttp:\/\/127\.0\.0\.1:\d+\/in\?…\teventsChanged\t200\n$/)
  })

  it('filters by one webhook', async () => {
    const other = await startReceiver()
    const created = (await home.json(['webhooks', 'create', other.url, '--access', 'lab']))['webhook'] as Json
    const chosen = await listening(['--json', '--limit', '1', other.url])
    await change()
    await Promise.all([receiver.calls(1), other.calls(1)])
    expect(await chosen.code).toBe(0)
    expect(linesOf(chosen.out())).toMatchObject([{ webhookId: created['id'] }])
    await home.json(`webhooks delete ${String(created['id'])} --yes`)
    await other.stop()
  })

  it('forwards calls to another URL, and prints the response', async () => {
    const target = await startReceiver(202)
    const json = await listening(['--json', '--limit', '1', '--forward-to', `${target.url}mine`])
    await change()
    expect(await json.code).toBe(0)
    const [sent] = await receiver.calls(1)
    const [got] = await target.calls(1)
    expect(got).toMatchObject({ method: 'POST', url: '/mine', messages: sent?.messages })
    expect(Object.keys(got?.meta ?? {})).toEqual(Object.keys(sent?.meta ?? { none: true }))
    expect(linesOf(json.out())[1]).toEqual({ event: 'forwarded', webhookId: webhook.id, url: `${target.url}mine`, status: 202, body: '{}' })

    await target.stop()
    const people = await listening(['--limit', '1', '--forward-to', target.url])
    await change()
    expect(await people.code).toBe(0)
    expect(people.out().split('\n')[1]).toBe(`  →  ${target.url}  no answer: ECONNREFUSED`)
  })

  it('does not follow redirects of the forwarding URL', async () => {
    const elsewhere = await startReceiver('redirect')
    const listen = await listening(['--json', '--limit', '1', '--forward-to', elsewhere.url])
    await change()
    expect(await listen.code).toBe(0)
    expect(linesOf(listen.out())[1]).toMatchObject({ status: 307 })
    expect(elsewhere.received).toHaveLength(1)
    await elsewhere.stop()
  })

  it.each(['nowhere', 'ftp://127.0.0.1/'])('refuses to forward to %s', async (address) => {
    const { code, err } = await home.run(['webhooks', 'listen', '--forward-to', address])
    expect([code, err]).toEqual([2, expect.stringContaining('--forward-to takes a URL')])
  })

  it('prints retries and deactivation, and receives calls again after activate', async () => {
    receiver.answer = 503
    const people = await listening('--limit 3')
    await change()
    expect(await people.code).toBe(0)
    const lines = people.out().trimEnd().split('\n')
    expect(lines[0]).toMatch(/\teventsChanged\t503, next attempt at \d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/)
    expect(lines[2]).toMatch(/\teventsChanged\t503, now inactive$/)
    await receiver.calls(3)

    const [listed = ''] = (await home.run('webhooks list --failed')).out.split('\n')
    expect(listed.split('\t').slice(1, 6)).toEqual(['inactive', 'lab', expect.stringMatching(/^503, \d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/), '3', '3'])
    const shown = await home.run(`webhooks show ${webhook.id}`)
    expect(shown.out).toContain('State     inactive (3 failures in a row)')
    expect(shown.out.match(/^ {4}\d.* {2}503$/gm)).toHaveLength(3)
    expect(shown.err).toContain(`coffer webhooks activate ${webhook.id}`)
    expect((await home.run(`webhooks test ${webhook.id}`)).code).toBe(5)

    receiver.answer = 204
    const tested = await home.run(`webhooks test ${webhook.id}`)
    expect([tested.code, tested.err]).toEqual([0, expect.stringContaining('The webhook is inactive. Reactivate it')])
    await home.json(`webhooks activate ${webhook.id}`)
    await receiver.calls(6)
    expect(receiver.messages.slice(3)).toEqual([['test'], ['test'], ['eventsChanged']])
    expect(await home.json('webhooks list --failed')).toEqual({ webhooks: [] })
  })

  it('exits 130 on Ctrl-C', async () => {
    const listen = await listening()
    process.emit('SIGINT')
    expect(await listen.code).toBe(130)
  })
})

describe('webhooks listen without a node', () => {
  it('exits 7, also when the node stops', async () => {
    const other = await testHome('ben-hopper')
    expect((await other.run('webhooks listen')).code).toBe(7)
    const node = await startTestNode({}, { home: other.home })
    const followed = followers(node.node.webhooks, 1)
    const listen = following(other.home, 'webhooks listen')
    await followed
    await node.stop()
    expect(await listen.code).toBe(7)
    await other.remove()
  })
})
