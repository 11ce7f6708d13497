/** A wildcard certificate for a node that is the name server of its domain. */
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setName } from '../../../src/server/platform/dns/names.js'
import { startAcme, type FakeAcme } from '../../support/services/acme.js'
import { makeAccount, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { nameServer } from '../../support/nodes/nameServer.js'
import { secureRequest } from './support.js'
import { KEY } from '../api/system/support.js'

let acme: FakeAcme
let node: TestNode
beforeAll(async () => {
  acme = await startAcme()
  acme.refuses = { at: 'new-order', detail: 'not yet' }
  node = await startTestNode({
    'auth.adminAccessKey': KEY,
    ...nameServer,
    'letsEncrypt.enabled': true,
    'letsEncrypt.directoryUrl': acme.directoryUrl,
  })
  acme.nameServer = node.namesPort ?? 0
  await makeAccount(node, 'ana-lovelace').catch(() => undefined)
})
afterAll(async () => {
  await node.stop()
  await acme.stop()
})

const isTrusted = (servername: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port: node.port, host: '127.0.0.1', servername, ca: acme.authority.cert }, () => {
      resolve(socket.authorized)
      socket.destroy()
    })
    socket.on('error', () => resolve(false))
  })
const texts = async (): Promise<unknown> => ((await node.node.registry.records.get('dns-record', '_acme-challenge')) as { txt?: string[] } | undefined)?.txt

describe('the certificate', () => {
  it('is self-signed at first, and no port for plain HTTP is opened', async () => {
    expect(node.redirectPort).toBeUndefined()
    expect(await isTrusted('core.example.org')).toBe(false)
  })

  it('that is refused leaves no TXT record', async () => {
    acme.nameServer = 1
    delete acme.refuses
    await expect(node.node.certificates.renew()).rejects.toThrow('returned another response')
    expect(await texts()).toBeUndefined()
    acme.nameServer = node.namesPort ?? 0
  })

  it('covers the domain and all accounts, validated with TXT records', async () => {
    await setName(node.node, { subdomain: '_acme-challenge', records: { txt: ['of somebody else'] } })
    await node.node.certificates.renew('*.example.org')
    expect(acme.given).toEqual(['example.org', '*.example.org'])
    expect(await texts()).toEqual(['of somebody else'])
    expect(acme.lastAnswer).toMatch(/^of somebody else [\w-]{43}$/)
    for (const name of ['example.org', 'ana-lovelace.example.org', 'reg.example.org', 'core.example.org']) expect(await isTrusted(name), name).toBe(true)
    expect(await isTrusted('example.com')).toBe(false)
    await expect(node.node.certificates.renew('example.com')).rejects.toThrow('example.org and *.example.org only')
    expect(await node.node.certificates.list()).toMatchObject([{ hostname: 'core.example.org' }])
    expect(await node.node.certificates.state()).toMatchObject({ problem: null, certificate: { coversAddress: true } })
  })

  it('is listed to the operator over HTTPS', async () => {
    const { status, body } = await secureRequest(`https://127.0.0.1:${node.port}/system/admin/certs`, acme.authority.cert, { token: KEY, servername: 'core.example.org' })
    expect([status, body]).toMatchObject([200, { certs: [{ hostname: 'core.example.org' }] }])
  })
})
