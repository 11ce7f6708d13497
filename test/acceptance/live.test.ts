/** Tests of webhooks with the real binary: a local URL is notified of a change, and the terminal shows the call. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { coffer, folder, json, spawnCoffer, start } from './support/coffer.js'

const password = 'correct horse battery'

/** Starts a local server that returns the received bodies in turn. */
async function receiver(): Promise<{ url: string; next: () => Promise<Record<string, unknown>>; stop: () => void }> {
  const received: string[] = []
  const waiting: ((body: string) => void)[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      response.writeHead(204).end()
      const resolve = waiting.shift()
      if (resolve === undefined) received.push(body)
      else resolve(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/changes`,
    next: async () => {
      const body = received.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)))
      return JSON.parse(body) as Record<string, unknown>
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

it('a webhook notifies a local URL of a change, and webhooks listen prints the call', async () => {
  const home = folder()
  const node = await start(home, { env: { COFFER_SET_WEBHOOKS_MIN_INTERVAL_MS: '0' } })
  const { url, next, stop } = await receiver()
  const run = (line: string, stdin = ''): ReturnType<typeof coffer> => coffer(`${line} --home ${home}`, { stdin })
  try {
    expect((await run('users create ana-lovelace --email ana@example.org --password-stdin -q', password)).code).toBe(0)
    expect((await run('streams create Weight --id weight')).code).toBe(0)
    expect((await run('accesses create --name lab --permission weight:read -q')).code).toBe(0)
    const created = await run(`webhooks create ${url} --access lab --stream weight --json`)
    const webhook = json(created)['webhook'] as Record<string, unknown>
    expect(webhook).toMatchObject({ url, state: 'active', scopes: { eventsChanged: { kind: 'events' } } })

    expect((await run(`webhooks test ${String(webhook['id'])}`)).code).toBe(0)
    expect(await next()).toMatchObject({ messages: ['test'] })

    const listen = spawnCoffer(`webhooks listen --json --limit 1 --home ${home}`)
    const output = { out: '', err: '' }
    listen.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text))
    let hasEnded = false
    const ended = new Promise<number | null>((resolve) => listen.on('close', resolve)).finally(() => (hasEnded = true))
    // Creates events until the command of another process follows the feed and receives one.
    do {
      expect((await run('events create --stream weight --type mass/kg --content 72.4 -q')).code).toBe(0)
      expect(await next()).toMatchObject({ messages: ['eventsChanged'], meta: { apiVersion: expect.any(String) as string } })
    } while (!hasEnded)
    expect(await ended).toBe(0)
    expect(JSON.parse(output.out)).toMatchObject({ event: 'delivery', webhookId: webhook['id'], messages: ['eventsChanged'], status: 204 })

    const shown = json(await run(`webhooks show ${url} --json`))['webhook']
    expect(shown).toMatchObject({ failCount: 0, lastRun: { status: 204 } })
  } finally {
    stop()
    await node.stop()
  }
})
