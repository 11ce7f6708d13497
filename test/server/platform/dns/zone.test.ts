/** Answers of the zone to queries. */
import fc from 'fast-check'
import type { Question, RecordType } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import type { NameRecords, RootRecords } from '../../../../src/server/config/dnsRecords.js'
import { createZone, type ZoneReply, type ZoneParts } from '../../../../src/server/platform/dns/zone.js'

const records = new Map<string, NameRecords>([
  ['www', { a: ['192.0.2.7', '192.0.2.8'], txt: ['hello'] }],
  ['photos', { cname: 'photos.example.net.' }],
  ['_dmarc.mail', { txt: ['v=DMARC1; p=reject'] }],
  ['reg', { a: ['192.0.2.66'] }],
  ['ben-hopper', { a: ['192.0.2.9'] }],
])
const accounts = new Set(['ana-lovelace', 'ben-hopper', '12345'])

const here = { a: ['203.0.113.5'], aaaa: ['2001:db8::5'] }

const parts = (more: Partial<ZoneParts> = {}): ZoneParts => ({
  domain: 'example.org',
  ttl: 300,
  root: {},
  places: {
    here: () => here,
    service: () => here,
    core: (label) => (label === 'core' || label === 'single' ? here : undefined),
    account: (name) => Promise.resolve(accounts.has(name) ? here : undefined),
    nameServers: () => ['core'],
  },
  recordsOf: (name) => records.get(name),
  hasBelow: (name) => [...records.keys()].some((each) => each.endsWith(`.${name}`)),
  serial: () => 7,
  ...more,
})
const query = (name: string, type: string, more: Partial<ZoneParts> = {}): Promise<ZoneReply> => createZone(parts(more))({ name, type: type as RecordType, class: 'IN' })
const dataOf = ({ answers }: ZoneReply): unknown[] => answers.map((answer) => ('data' in answer ? answer.data : undefined))

describe('a name', () => {
  const here = ['203.0.113.5']
  it.each<[string, string, unknown[]]>([
    ['ana-lovelace.example.org', 'A', here],
    ['ana-lovelace.example.org', 'AAAA', ['2001:db8::5']],
    ['ANA-Lovelace.Example.ORG', 'A', here],
    ['12345.example.org', 'A', here],
    ['reg.example.org', 'A', here],
    ['access.example.org', 'A', here],
    ['mfa.example.org', 'AAAA', ['2001:db8::5']],
    ['lsc.example.org', 'A', here],
    ['core.example.org', 'A', here],
    ['single.example.org', 'A', here],
    ['example.org', 'A', here],
    ['www.example.org', 'A', ['192.0.2.7', '192.0.2.8']],
    ['www.example.org', 'TXT', [[Buffer.from('hello')]]],
    ['photos.example.org', 'A', ['photos.example.net']],
    ['photos.example.org', 'CNAME', ['photos.example.net']],
    ['_dmarc.mail.example.org', 'TXT', [[Buffer.from('v=DMARC1; p=reject')]]],
    ['ben-hopper.example.org', 'A', ['192.0.2.9']],
    ['example.org', 'NS', ['core.example.org']],
  ])('%s %s', async (name, type, data) => {
    const reply = await query(name, type)
    expect([reply.code, reply.authoritative, dataOf(reply), reply.authorities]).toEqual(['NOERROR', true, data, []])
    for (const answer of reply.answers) expect(answer).toMatchObject({ name, ttl: 300 })
  })

  it.each([
    ['nobody-here.example.org', 'A', 'NXDOMAIN'],
    ['x.ana-lovelace.example.org', 'A', 'NXDOMAIN'],
    ['ana.example.org', 'A', 'NXDOMAIN'],
    ['ana-lovelace.example.org', 'TXT', 'NOERROR'],
    ['www.example.org', 'AAAA', 'NOERROR'],
    ['mail.example.org', 'A', 'NOERROR'],
    ['example.org', 'MX', 'NOERROR'],
    ['example.org', 'UNKNOWN_65', 'NOERROR'],
  ])('%s %s has no records and is answered with the SOA', async (name, type, code) => {
    const reply = await query(name, type)
    expect([reply.code, reply.authoritative, reply.answers]).toEqual([code, true, []])
    expect(reply.authorities).toMatchObject([{ type: 'SOA', name: 'example.org', data: { mname: 'core.example.org', rname: 'hostmaster.example.org', serial: 7, minimum: 300 } }])
  })

  it.each(['example.com', 'org', 'notexample.org', 'example.org.evil.net', '.'])('%s is refused as out of zone', async (name) => {
    expect(await query(name, 'A')).toEqual({ code: 'REFUSED', authoritative: false, answers: [], authorities: [] })
  })

  it('is refused for another class, and answered with HINFO for ANY', async () => {
    expect(await createZone(parts())({ name: 'www.example.org', type: 'A', class: 'CH' })).toMatchObject({ code: 'REFUSED' })
    expect(await query('www.example.org', 'ANY')).toMatchObject({ code: 'NOERROR', answers: [{ type: 'HINFO' }] })
  })
})

describe('the domain itself', () => {
  const root: RootRecords = {
    a: ['192.0.2.1'],
    aaaa: ['2001:db8::1'],
    txt: ['x'.repeat(300)],
    ns: ['ns1.example.net', 'ns2.example.net.'],
    mx: [{ exchange: 'mail.example.net.', priority: 5 }],
    caa: [{ flags: 128, tag: 'issue', value: 'letsencrypt.org' }],
    soa: { primary: 'ns1.example.net', admin: 'root.example.net', serial: 99, minimum: 60 },
  }
  it.each<[string, unknown[]]>([
    ['A', ['192.0.2.1']],
    ['AAAA', ['2001:db8::1']],
    ['TXT', [[Buffer.from('x'.repeat(255)), Buffer.from('x'.repeat(45))]]],
    ['NS', ['ns1.example.net', 'ns2.example.net']],
    ['MX', [{ exchange: 'mail.example.net', preference: 5 }]],
    ['CAA', [{ flags: 128, tag: 'issue', value: 'letsencrypt.org', issuerCritical: true }]],
    ['SOA', [expect.objectContaining({ mname: 'ns1.example.net', rname: 'root.example.net', serial: 99, minimum: 60, refresh: 3600 })]],
  ])('has the %s of the settings', async (type, data) => expect(dataOf(await query('example.org', type, { root }))).toEqual(data))

  it('has no addresses of the node if the settings contain one', async () => {
    expect(dataOf(await query('example.org', 'AAAA', { root: { a: ['192.0.2.1'] } }))).toEqual([])
  })
})

it('any query is answered', async () => {
  const label = fc.oneof(fc.constantFrom('www', 'reg', 'ana-lovelace', '', '*', '\0', '__proto__', 'constructor'), fc.string({ maxLength: 70 }))
  const name = fc.array(label, { maxLength: 5 }).map((labels) => [...labels, 'example', 'org'].join('.'))
  await fc.assert(
    fc.asyncProperty(name, fc.constantFrom('A', 'TXT', 'SOA', 'NS', 'ANY', 'UNKNOWN_999'), async (queried, type) => {
      const reply = await createZone(parts())({ name: queried, type, class: 'IN' } as Question)
      expect(['NOERROR', 'NXDOMAIN', 'REFUSED']).toContain(reply.code)
    }),
  )
})
