/** Records of names below the domain, over HTTP: for the operator alone (docs/interface/system.md#dns-records). */
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

it('are set, replaced and taken away, and outlive a restart', async () => {
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
  ['a subdomain that is no text', { subdomain: 5, records }],
  ['a subdomain with a space', { subdomain: 'a b', records }],
  ['a subdomain that begins with a dash', { subdomain: '-a', records }],
  ['a subdomain with an empty label', { subdomain: 'a..b', records }],
  ['a label that is too long', { subdomain: 'a'.repeat(64), records }],
  ['no records', { subdomain: 'www' }],
  ['records that are a list', { subdomain: 'www', records: [] }],
  ['records of nothing', { subdomain: 'www', records: {} }],
  ['an empty list', { subdomain: 'www', records: { a: [] } }],
  ['a name for an address', { subdomain: 'www', records: { a: ['example.org'] } }],
  ['an IPv6 address for one of IPv4', { subdomain: 'www', records: { a: ['::1'] } }],
  ['an IPv4 address for one of IPv6', { subdomain: 'www', records: { aaaa: ['192.0.2.1'] } }],
  ['a CNAME beside others', { subdomain: 'www', records: { cname: 'example.net', a: ['192.0.2.1'] } }],
  ['a CNAME that is no name', { subdomain: 'www', records: { cname: 'http://x/' } }],
  ['a kind that is not known', { subdomain: 'www', records: { a: ['192.0.2.1'], srv: ['x'] } }],
  ['what the domain alone has', { subdomain: 'www', records: { mx: [{ exchange: 'mail.example.net', priority: 1 }] } }],
  ['a name of the registration', { subdomain: 'reg', records }],
  ['a name of the settings', { subdomain: 'fixed', records }],
  ['nothing', {}],
])('%s is refused, and changes nothing', async (_, body) => {
  expect(await set(body)).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters' } } })
  expect(await node.node.registry.records.list('dns-record')).toEqual([])
})

it('are for the operator alone', async () => {
  for (const token of ['wrong', `Bearer ${KEY}`]) {
    expect(await set({ subdomain: 'www', records }, token)).toMatchObject({ status: 403, body: { error: { id: 'forbidden' } } })
    expect(await remove('www', token)).toMatchObject({ status: 403 })
  }
  expect((await request(`${node.url}reg/records`, { body: { subdomain: 'www', records } })).status).toBe(403)
  expect(await node.node.registry.records.list('dns-record')).toEqual([])
})

it('of the settings are taken out there', async () => {
  expect(await remove('fixed')).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  expect(await remove('a%20b')).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters' } } })
})
