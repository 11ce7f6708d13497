/** Comparison of redirect URIs with registered ones (docs/interface/oauth.md#clients). */
import { describe, expect, it } from 'vitest'
import { matchesAnyRedirect, matchesRedirect } from '../../../../src/server/api/oauth/redirects.js'

const app = 'https://app.example/cb?a=1&b=2'
const loop = 'http://127.0.0.1:8000/cb'
const loop6 = 'http://[::1]:8000/cb'

describe('a redirect URI matches the registered one', () => {
  it.each([
    [app, app],
    ['com.example.app:/cb', 'com.example.app:/cb'],
    ['http://localhost:8000/cb', 'http://localhost:8000/cb'],
    [loop, loop],
    [loop, 'http://127.0.0.1:51004/cb'],
    [loop, 'http://127.0.0.1/cb'],
    ['http://127.0.0.1/cb?x=1', 'http://127.0.0.1:9/cb?x=1'],
    [loop6, 'http://[::1]:51004/cb'],
    [loop6, 'http://[0:0:0:0:0:0:0:1]:51004/cb'],
    ['http://[0000::0001]/cb', 'http://[::1]:1/cb'],
  ])('%s: %s', (registered, presented) => {
    expect(matchesRedirect(registered, presented)).toBe(true)
  })

  it('if it matches any of several', () => {
    expect(matchesAnyRedirect([app, loop], 'http://127.0.0.1:1/cb')).toBe(true)
    expect(matchesAnyRedirect([], app)).toBe(false)
  })
})

describe('a redirect URI does not match the registered one', () => {
  it.each<[string, unknown]>([
    [app, 'https://app.example/cb'],
    [app, 'https://app.example/cb?a=1&b=2&c=3'],
    [app, 'https://app.example/cb?b=2&a=1'],
    [app, 'https://app.example/cb/?a=1&b=2'],
    [app, 'http://app.example/cb?a=1&b=2'],
    [app, 'https://evil.example/cb?a=1&b=2'],
    [app, 'https://app.example.evil.example/cb?a=1&b=2'],
    [app, 'https://evil@app.example/cb?a=1&b=2'],
    [app, 'https://app.example@evil.example/cb?a=1&b=2'],
    [app, 'https://APP.example/cb?a=1&b=2'],
    [app, 'https://app.example/CB?a=1&b=2'],
    [app, 'HTTPS://app.example/cb?a=1&b=2'],
    [app, 'https://app.example:443/cb?a=1&b=2'],
    [app, 'https://app.example:8443/cb?a=1&b=2'],
    [app, 'https://app.example/%63b?a=1&b=2'],
    [app, 'https://app.example/x/../cb?a=1&b=2'],
    [app, 'https://app.example/./cb?a=1&b=2'],
    [app, 'https://app.example/cb?a=1&b=2#'],
    [app, 'https://app.example/cb?a=1&b=2#x'],
    [app, 'https:/app.example/cb?a=1&b=2'],
    [app, 'https:\\\\app.example/cb?a=1&b=2'],
    [app, ` ${app}`],
    [app, `${app} `],
    [app, `${app}\n`],
    [app, `${app}\0`],
    [app, '//app.example/cb?a=1&b=2'],
    [app, '/cb?a=1&b=2'],
    [app, ''],
    [app, undefined],
    [app, null],
    [app, [app]],
    ['not a uri', 'not a uri'],
    ['com.example.app:/cb', 'com.example.app:/cb/x'],
    ['com.example.app:/cb', 'com.example.APP:/cb'],
    [loop, 'http://127.0.0.1:51004/cb/'],
    [loop, 'http://127.0.0.1:51004/cb?x=1'],
    [loop, 'http://127.0.0.1:51004/cb#x'],
    [loop, 'https://127.0.0.1:51004/cb'],
    [loop, 'http://127.0.0.2:51004/cb'],
    [loop, 'http://localhost:51004/cb'],
    [loop, 'http://127.1:51004/cb'],
    [loop, 'http://2130706433:51004/cb'],
    [loop, 'http://0x7f.0.0.1:51004/cb'],
    [loop, 'http://127.0.0.1:70000/cb'],
    [loop, 'http://127.0.0.1:/cb#'],
    [loop, 'http://user@127.0.0.1:51004/cb'],
    [loop, 'http://127.0.0.1:51004@evil.example/cb'],
    [loop, 'http://127.0.0.1:51004.evil.example/cb'],
    [loop, 'http://127.0.0.1\\@evil.example/cb'],
    [loop, 'http://127.0.0.1:51004/x/../cb'],
    [loop, 'http://127.0.0.1:51004/%2e/cb'],
    [loop, 'http://127.0.0.1:51004/\tcb'],
    [loop, 'http://[::1]:8000/cb'],
    [loop6, 'http://127.0.0.1:8000/cb'],
    [loop6, 'http://[::2]:8000/cb'],
    [loop6, 'http://[::ffff:127.0.0.1]:8000/cb'],
    ['http://localhost:8000/cb', 'http://localhost:51004/cb'],
    ['https://127.0.0.1:8000/cb', 'https://127.0.0.1:51004/cb'],
  ])('%s: %s', (registered, presented) => {
    expect(matchesRedirect(registered, presented)).toBe(false)
  })
})
