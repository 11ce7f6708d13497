/** Accounts as host names, and the names of the node itself (docs/interface/conventions.md#addresses). */
import { describe, expect, it } from 'vitest'
import { makeAccount, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { rawRequest, type RawAnswer } from '../../support/http/rawRequest.js'

const settings = { 'dnsLess.isActive': false, 'dns.domain': 'audit.test', 'dns.staticEntries': { photos: { a: ['192.0.2.1'] } } }

function at(node: TestNode, host: string, path: string, login?: object): Promise<RawAnswer> {
  const text = login === undefined ? '' : JSON.stringify(login)
  const lines = [`${login === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', 'Origin: http://127.0.0.1']
  const about = login === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]
  return rawRequest(node.port, [...lines, ...about, '', text].join('\r\n'))
}

describe.each<[string, Record<string, unknown>, string]>([
  ['by default', {}, 'core.audit.test'],
  ['from the settings', { 'dnsLess.publicUrl': 'https://node-1.audit.test/' }, 'node-1.audit.test'],
])('a node with an address %s', (_, more, host) => {
  it('is reachable there and reserves that name', async () => {
    const node = await startTestNode({ ...settings, ...more })
    try {
      await makeAccount(node, 'alice-1')
      const core = await at(node, 'reg.audit.test', '/cores?username=alice-1')
      expect(core.body['core']).toEqual({ url: `https://${host}/` })
      const login = { username: 'alice-1', password: 'correct horse', appId: 'test-app' }
      expect((await at(node, host, '/alice-1/auth/login', login)).status).toBe(200)
      expect((await at(node, 'alice-1.audit.test', '/auth/login', login)).status).toBe(200)
      expect((await at(node, 'single.audit.test', '/alice-1/service/info')).status).toBe(200)
      for (const name of [host.split('.')[0] ?? '', 'single', 'photos'].filter((label) => label.length > 4)) {
        expect((await at(node, 'reg.audit.test', `/${name}/check_username`)).body).toMatchObject({ reserved: true })
      }
      expect((await at(node, 'reg.audit.test', '/pryv-zz/check_username')).body).toMatchObject({ reserved: true })
      expect((await at(node, 'reg.audit.test', '/alice-2/check_username')).body).toMatchObject({ reserved: false })
    } finally {
      await node.stop()
    }
  })
})
