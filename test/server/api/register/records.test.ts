/** Methods of DNS records below the domain, for the operator only (docs/interface/system.md#dns-records). */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { initialise } from '../../../../src/server/launch/init.js'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { placesOf, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { KEY } from '../system/support.js'

const home = mkdtempSync(join(tmpdir(), 'coffer-test-'))
const settings = { 'auth.adminAccessKey': KEY, 'dns.staticEntries': { fixed: { a: ['192.0.2.1'] } } }
let node: TestNode
beforeAll(async () => {
  await initialise(placesOf(home))
  node = await startTestNode(settings, { home })
})
afterAll(async () => {
  await node.stop()
  rmSync(home, { recursive: true })
})

const set = (body: unknown, token: string | undefined = KEY): ReturnType<typeof request> => request(`${node.url}reg/records`, { body, ...(token === undefined ? {} : { token }) })
const remove = (name: string, token = KEY): ReturnType<typeof request> => request(`${node.url}reg/records/${name}`, { method: 'DELETE', token })
const records = { a: ['192.0.2.9'], aaaa: ['2001:db8::9'], txt: ['one', 'two'] }

it('DNS records are set, replaced and removed, and survive a restart', async () => {
  expect(await set({ subdomain: 'www', records })).toMatchObject({ status: 200, body: { subdomain: 'www', records, status: 'ok' } })
  expect(await set({ subdomain: 'WWW', records: { cname: 'example.net' } })).toMatchObject({ status: 200, body: { subdomain: 'www', records: { cname: 'example.net' } } })
  await node.stop()
  node = await startTestNode(settings, { home })
  expect(await node.node.registry.records.list('dns-record')).toEqual([{ id: 'www', value: { cname: 'example.net' } }])
  expect(await remove('www')).toMatchObject({ status: 200, body: { subdomain: 'www', status: 'deleted' } })
  expect(await remove('www')).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
})

it.each<[string, unknown]>([
  ['no subdomain', { records }],
  ['an empty subdomain', { subdomain: '', records }],
  ['a subdomain that is not a string', { subdomain: 5, records }],
  ['a subdomain with a space', { subdomain: 'a b', records }],
  ['a subdomain that begins with a dash', { subdomain: '-a', records }],
  ['a subdomain with an empty label', { subdomain: 'a..b', records }],
  ['a label that is too long', { subdomain: 'a'.repeat(64), records }],
  ['no records', { subdomain: 'www' }],
  ['records that are a list', { subdomain: 'www', records: [] }],
  ['empty records', { subdomain: 'www', records: {} }],
  ['an empty list', { subdomain: 'www', records: { a: [] } }],
  ['a host name as an IPv4 address', { subdomain: 'www', records: { a: ['example.org'] } }],
  ['an IPv6 address as an IPv4 address', { subdomain: 'www', records: { a: ['::1'] } }],
  ['an IPv4 address as an IPv6 address', { subdomain: 'www', records: { aaaa: ['192.0.2.1'] } }],
  ['a CNAME beside other records', { subdomain: 'www', records: { cname: 'example.net', a: ['192.0.2.1'] } }],
  ['a CNAME that is not a host name', { subdomain: 'www', records: { cname: 'http://x/' } }],
  ['an unknown type of record', { subdomain: 'www', records: { a: ['192.0.2.1'], srv: ['x'] } }],
  ['a type allowed only for the domain itself', { subdomain: 'www', records: { mx: [{ exchange: 'mail.example.net', priority: 1 }] } }],
  ['the name of the register service', { subdomain: 'reg', records }],
  ['a name defined in the settings', { subdomain: 'fixed', records }],
  ['an empty body', {}],
])('%s is refused, and changes nothing', async (_, body) => {
  expect(await set(body)).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters' } } })
  expect(await node.node.registry.records.list('dns-record')).toEqual([])
})

it('DNS records require the admin key', async () => {
  for (const token of ['wrong', `Bearer ${KEY}`]) {
    expect(await set({ subdomain: 'www', records }, token)).toMatchObject({ status: 403, body: { error: { id: 'forbidden' } } })
    expect(await remove('www', token)).toMatchObject({ status: 403 })
  }
  expect((await request(`${node.url}reg/records`, { body: { subdomain: 'www', records } })).status).toBe(403)
  expect(await node.node.registry.records.list('dns-record')).toEqual([])
})

it('DNS records of the settings cannot be removed by a call', async () => {
  expect(await remove('fixed')).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  expect(await remove('a%20b')).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters' } } })
})
