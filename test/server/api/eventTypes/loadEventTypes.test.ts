import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { loadEventTypes } from '../../../../src/server/api/assets/loadEventTypes.js'
import type { EventTypeSource } from '../../../../src/server/api/assets/loadEventTypes.js'

const document = { version: '7', types: { 'own/type': { type: 'number' } } }

/** Loads event types with fakes of network and files; returns their requests and the logged warnings. */
async function load(source: string | undefined, overrides: Partial<EventTypeSource> = {}) {
  const warnings: string[] = []
  const requests: { url: string; headers: Record<string, string> }[] = []
  const paths: string[] = []
  const types = await loadEventTypes({
    source,
    version: '1.2.3',
    async fetch(url, { headers }) {
      requests.push({ url, headers })
      return { ok: true, status: 200, json: async () => document }
    },
    async readFile(path) {
      paths.push(path)
      return JSON.stringify(document)
    },
    timeoutMs: 1000,
    log: { warn: (message) => warnings.push(message) },
    ...overrides,
  })
  return { types, warnings, requests, paths }
}

describe('loadEventTypes', () => {
  it('uses the built-in types without a source, and sends no request', async () => {
    const { types, warnings, requests, paths } = await load(undefined)
    expect(types.directory.version).toBe('1.1.2')
    expect(types.knows('mass/kg')).toBe(true)
    expect([warnings, requests, paths]).toEqual([[], [], []])
  })

  for (const source of ['http://types.example.com/flat.json', 'https://types.example.com/flat.json']) {
    it(`fetches ${source} with a user agent, and keeps the built-in types`, async () => {
      const { types, warnings, requests, paths } = await load(source)
      expect(requests).toMatchObject([{ url: source, headers: { 'User-Agent': 'coffer/1.2.3' } }])
      expect(types.directory.version).toBe('7')
      expect(types.knows('own/type')).toBe(true)
      expect(types.knows('mass/kg')).toBe(true)
      expect([warnings, paths]).toEqual([[], []])
    })
  }

  const files: [source: string, path: string][] = [
    ['/etc/coffer/types.json', '/etc/coffer/types.json'],
    ['types.json', 'types.json'],
    ['file:///etc/coffer/my%20types.json', '/etc/coffer/my types.json'],
    ['file://types/flat.json', 'types/flat.json'],
  ]
  for (const [source, path] of files) {
    it(`reads ${source}`, async () => {
      const { types, warnings, requests, paths } = await load(source)
      expect(paths).toEqual([path])
      expect(types.knows('own/type')).toBe(true)
      expect([warnings, requests]).toEqual([[], []])
    })
  }

  const failures: [failure: string, source: string, overrides: Partial<EventTypeSource>, reason: RegExp][] = [
    [
      'a network error',
      'https://x/y',
      { fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })) },
      /fetch failed: connect ECONNREFUSED/,
    ],
    [
      'a response with an error status',
      'https://x/y',
      { fetch: async () => ({ ok: false, status: 404, json: async () => document }) },
      /status 404/,
    ],
    [
      'a response that is not JSON',
      'https://x/y',
      { fetch: async () => ({ ok: true, status: 200, json: async () => JSON.parse('<html>') as unknown }) },
      /JSON/,
    ],
    [
      'a server that does not respond',
      'https://x/y',
      {
        timeoutMs: 20,
        fetch: (_url, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      },
      /timeout/i,
    ],
    ['a missing file', '/nowhere', { readFile: () => Promise.reject(new Error('ENOENT')) }, /ENOENT/],
    ['a file that is not JSON', '/somewhere', { readFile: async () => 'types:' }, /JSON/],
    [
      'a document with an invalid schema',
      '/somewhere',
      { readFile: async () => '{"types":{"own/type":{"type":"number"},"own/bad":{"type":"numeric"}}}' },
      /own\/bad is not valid/,
    ],
    ['a thrown value that is not an Error', '/somewhere', { readFile: () => Promise.reject('odd') }, /odd/],
    ['a malformed URL', 'file:///%zz', {}, /URI/],
  ]
  for (const [failure, source, overrides, reason] of failures) {
    it(`warns of ${failure} and keeps the built-in types`, async () => {
      const { types, warnings } = await load(source, overrides)
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toMatch(reason)
      expect(warnings[0]).toContain(source)
      expect(types.directory.version).toBe('1.1.2')
      expect(types.knows('mass/kg')).toBe(true)
      expect(types.knows('own/type')).toBe(false)
    })
  }

  it('does not log passwords and tokens of the URL', async () => {
    const source = 'https://ana:hunter2@types.example.com/flat.json?auth=s3cret'
    const { warnings } = await load(source, { fetch: (url) => Promise.reject(new Error(`cannot fetch ${url}`)) })
    expect(warnings[0]).toContain('https://types.example.com/flat.json')
    expect(warnings[0]).not.toMatch(/hunter2|s3cret/)
  })

  it('works with the global fetch, and aborts a body that never ends', async () => {
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url === '/good') response.end(JSON.stringify({ ...document, version: request.headers['user-agent'] }))
      else response.write('{')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const good = await load(`${base}/good`, { fetch })
      expect(good.types.directory.version).toBe('coffer/1.2.3')
      const stuck = await load(`${base}/stuck`, { fetch, timeoutMs: 100 })
      expect(stuck.warnings).toHaveLength(1)
      expect(stuck.types.knows('mass/kg')).toBe(true)
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
