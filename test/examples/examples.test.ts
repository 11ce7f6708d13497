/** Tests of the examples with a running node. */
import { execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { makeAccount, request } from '../support/nodes/node.js'
import { withNode } from '../support/nodes/started.js'

const at = (path: string): string => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url))
const node = withNode()
let owner: string
let link: string
const url = (): string => `${node().url}ana-lovelace/`

beforeAll(async () => {
  owner = await makeAccount(node(), 'ana-lovelace')
  await request(`${url()}streams`, { token: owner, body: { id: 'weight', name: 'Weight' } })
  const { body } = await request(`${url()}accesses`, { token: owner, body: { name: 'app', permissions: [{ streamId: 'weight', level: 'contribute' }] } })
  link = url().replace('http://', `http://${(body['access'] as { token: string }).token}@`)
})

function run(path: string, words: readonly string[], env: Record<string, string> = { PRYV_API_ENDPOINT: link }): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => execFile(process.execPath, [at(path), ...words], { env }, (error, out, err) => resolve({ code: error?.code ?? 0, out, err })))
}

it('the terminal script records a weight and prints it', async () => {
  expect(await run('terminal-script/weight.js', ['72.4'])).toEqual({ code: 0, out: 'noted 72.4 kg\n', err: '' })
  const { out } = await run('terminal-script/weight.js', [])
  expect(out).toMatch(/^\d{4}-.*Z {2}72\.4 kg\n$/)
  expect((await run('terminal-script/weight.js', ['many'])).code).toBe(1)
  expect((await run('terminal-script/weight.js', [], {})).err).toContain('PRYV_API_ENDPOINT')
})

it('the webhook receiver prints new events only', async () => {
  await request(`${url()}events`, { token: owner, body: { streamIds: ['weight'], type: 'mass/kg', content: 79.5 } })
  const child = spawn(process.execPath, [at('webhook-receiver/receiver.js')], { env: { PRYV_API_ENDPOINT: link, PORT: '0' } })
  onTestFinished(() => void child.kill())
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const address = await vi.waitFor(() => /http:\S+/.exec(output)?.[0] ?? Promise.reject(new Error('does not listen')), { timeout: 20_000 })
  expect((await request(address, { body: 'not JSON' })).status).toBe(400)
  const token = new URL(link).username
  expect((await request(`${url()}webhooks`, { token, body: { url: address } })).status).toBe(201)
  await request(`${url()}events`, { token: owner, body: { streamIds: ['weight'], type: 'mass/kg', content: 80.5 } })
  await vi.waitFor(() => expect(output).toMatch(/event \S+ mass\/kg 80\.5\n/), { timeout: 20_000 })
  expect(output).not.toContain('79.5')
})
