/** Parsing and comparing account addresses (docs/interface/consents.md#identities). */
import { describe, expect, it } from 'vitest'
import { isSameHost, usernameAt } from '../../../src/store/model/accountAddress.js'

describe('the account of an address on a platform', () => {
  it.each<[host: string, address: string, username: string | undefined]>([
    ['example.org', 'https://example.org/ana/', 'ana'],
    ['Example.ORG', 'https://example.org/Ana', 'ana'],
    ['example.org:443', 'https://example.org/ana/', 'ana'],
    ['example.org:8443/below', 'https://example.org:8443/below/ana/', 'ana'],
    // Content of others may be there.
    ['example.org', 'https://example.org/mallory/ana/', undefined],
    ['example.org/mallory/..', 'https://example.org/mallory/ana/', undefined],
    ['pryv.me', 'https://ana.pryv.me/', 'ana'],
    ['x.pryv.me', 'https://ana.pryv.me/', 'ana'],
    ['ana.pryv.me', 'https://ana.pryv.me/', 'ana'],
    ['[::1]:3000', 'http://[::1]:3000/ana/', 'ana'],
    ['example.org', 'https://example.org:8443/ana/', undefined],
    ['example.org', 'https://evil.example/ana/', undefined],
    ['example.org', 'https://ana.sub.example.org/', undefined],
    ['example.org', 'https://sub.example.org/ana/', undefined],
    ['example.org', 'https://example.org.evil.example/ana/', undefined],
    ['example.org', 'https://ana-example.org/', undefined],
    ['x.pryv.me', 'https://ana.pryv.me.evil.example/', undefined],
    ['example.org/', 'https://example.org/ana/', 'ana'],
    ['example.org//', 'https://example.org/ana/', undefined],
    ['/example.org', 'https://example.org/ana/', undefined],
    ['evil.example/example.org', 'https://evil.example/ana/', undefined],
    ['me@evil.example', 'https://evil.example/ana/', undefined],
    ['evil.example#', 'https://evil.example/ana/', undefined],
    ['', 'https://example.org/ana/', undefined],
    ['example.org', 'no address', undefined],
  ])('for host %s and address %s is %s', (host, address, username) => {
    expect(usernameAt(host, address)).toBe(username)
  })

  it('is compared by hosts, with the port of the scheme or without', () => {
    expect(isSameHost('https:', 'a.example:443', 'A.example')).toBe(true)
    expect(isSameHost('http:', 'a.example:443', 'a.example')).toBe(false)
    // Two texts that are not hosts are not the same host.
    expect(isSameHost('https:', 'a b', 'a b')).toBe(false)
  })
})
