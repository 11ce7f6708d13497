import { expect, it } from 'vitest'
import { hostSlug, platformHost } from '../../../src/store/model/hostSlug.js'

it('names a platform by its domain, else by its address format', () => {
  expect(platformHost('example.org', 'https://{username}.other.org/')).toBe('example.org')
  expect(platformHost(undefined, 'https://{username}.pryv.me/')).toBe('x.pryv.me')
  expect(platformHost(undefined, 'http://127.0.0.1:3000/{username}/')).toBe('127.0.0.1:3000')
  expect(platformHost(undefined, 'https://example.org:8443/below/{username}/')).toBe('example.org:8443/below')
  expect(hostSlug('example.org:8443/below')).toBe('example-org-below')
  expect(platformHost(undefined, 'no address')).toBe('localhost')
})

it.each([
  ['x.pryv.me:443', 'x-pryv-me'],
  ['X.Pryv.ME', 'x-pryv-me'],
  ['localhost', 'localhost'],
  ['[::1]:3000', '1'],
  ['a--b.org', 'a-b-org'],
])('makes a slug of %s', (host, slug) => expect(hostSlug(host)).toBe(slug))
