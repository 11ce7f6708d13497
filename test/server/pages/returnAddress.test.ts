/** Return addresses of access requests, as parsed by the published client. */
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { returnAddress, returnPage } from '../../../src/server/pages/authorize/returnAddress.js'

interface ClientUtils {
  cleanURLFromPrYvParams(url: string): string
  getQueryParamsFromURL(url: string): Record<string, string>
}
const client = createRequire(import.meta.url)('pryv/src/utils.js') as ClientUtils

const KEY = 'abcdefgh12345678'
const POLL = `https://node.example/reg/access/${KEY}`
const of = (returnURL?: string, oauthState?: string): string | undefined =>
  returnAddress({
    key: KEY,
    pollUrl: POLL,
    outcome: { status: 'REFUSED', reasonId: 'X', message: '' },
    ...(returnURL === undefined ? {} : { returnURL }),
    ...(oauthState === undefined ? {} : { oauthState }),
  })

const encoded = encodeURIComponent(POLL)
const ours = `prYvpoll=${encoded}&prYvkey=${KEY}&prYvstatus=REFUSED`
const oauth = `state=a%20%26b&code=${KEY}&poll=${encoded}`

describe('the return address', () => {
  it.each([
    ['https://app.example/page#', `https://app.example/page#${ours}`],
    ['https://app.example/page?', `https://app.example/page?${ours}`],
    ['https://app.example/page?a=b&', `https://app.example/page?a=b&${ours}`],
    ['https://app.example/page#a=b&', `https://app.example/page#a=b&${ours}`],
    ['https://app.example', `https://app.example/?${ours}`],
    ['https://app.example/page?a=b', `https://app.example/page?a=b&${ours}`],
    ['https://app.example/page?a=b#part', `https://app.example/page?a=b&${ours}#part`],
    ['http://localhost:8080/#', `http://localhost:8080/#${ours}`],
  ])('contains the parameters of the poll: %s', (returnURL, address) => {
    expect(of(returnURL)).toBe(address)
    expect(client.getQueryParamsFromURL(address)).toMatchObject({ prYvpoll: POLL, prYvkey: KEY })
    expect(client.cleanURLFromPrYvParams(address)).not.toContain('prYv')
  })

  it.each([
    ['https://app.example/back', `https://app.example/back?${oauth}`],
    ['https://app.example/back?x=1#', `https://app.example/back?x=1#${oauth}`],
  ])('contains the OAuth state: %s', (returnURL, address) => {
    expect(of(returnURL, 'a &b')).toBe(address)
  })

  it.each([
    undefined,
    '',
    'false',
    'javascript:alert(1)',
    ' javascript:alert(1)//http://',
    'java\nscript:alert(1)',
    'data:text/html,<script>',
    'file:///etc/passwd',
    'myapp://back',
    '//app.example/',
    '/web/access',
    'https://node.example@evil.example/',
    'https://:x@evil.example/',
    'https://',
  ])('is undefined for %j', (returnURL) => {
    expect([of(returnURL), returnPage(returnURL)]).toEqual([undefined, undefined])
  })

  it('may have a registered scheme', () => {
    expect(returnPage('com.example.diary:/back', ['com.example.diary'])?.href).toBe('com.example.diary:/back')
    expect(returnPage('com.example.other:/back', ['com.example.diary'])).toBeUndefined()
    expect(returnPage('javascript:alert(1)', ['com.example.diary'])).toBeUndefined()
  })

  it('replaces lone surrogates in the state', () => expect(of('https://app.example/?', 'a\ud800b')).toContain('state=a%EF%BF%BDb'))
})
