/** Icon, styles and login button that the node serves to apps, and their use by the published client `pryv`. */
import pryv from 'pryv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { serviceOf } from '../../support/http/pryvClient.js'

type Json = Record<string, unknown>

/** Assets of the client, whose type declarations lack the members. */
interface Assets {
  get(path?: string): unknown
}

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

const files: [path: string, type: string, contains: string][] = [
  ['favicon.svg', 'image/svg+xml; charset=utf-8', '<svg xmlns="http://www.w3.org/2000/svg"'],
  ['default.css', 'text/css; charset=utf-8', 'font-family'],
  ['sign-in/button.css', 'text/css; charset=utf-8', '.coffer-sign-in'],
  ['sign-in/button.html', 'text/html; charset=utf-8', 'id="pryv-access-btn-text"'],
  ['index.json', 'application/json; charset=utf-8', '"baseUrl"'],
  ['sign-in/messages.json', 'application/json; charset=utf-8', '"LOGIN"'],
]

describe('assets', () => {
  it.each(files)('are served to every origin and cached for an hour: %s', async (path, type, contains) => {
    const origin = 'https://app.example'
    const response = await fetch(`${node.url}assets/${path}`, { headers: { origin } })
    expect(response.status).toBe(200)
    const { headers } = response
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': type,
      'access-control-allow-origin': origin,
      'cache-control': 'public, max-age=3600',
      vary: 'Origin',
      'x-content-type-options': 'nosniff',
    })
    const text = await response.text()
    expect(text).toContain(contains)
    expect(Buffer.byteLength(text)).toBe(Number(headers.get('content-length')))
  })

  it.each(files)('refer to no other host: %s', async (path) => {
    const text = await (await fetch(`${node.url}assets/${path}`)).text()
    const addresses = [...text.matchAll(/(?:https?:)?\/\/[^"'\s)]+/g)].map(([address]) => address)
    const known = ['http://www.w3.org/2000/svg', `${node.url}assets/`]
    expect(addresses.filter((address) => !known.includes(address))).toEqual([])
  })

  it('include the index and messages without meta', async () => {
    expect(await (await fetch(`${node.url}assets/index.json`)).json()).toEqual({
      baseUrl: `${node.url}assets/`,
      favicon: { default: { url: 'favicon.svg' } },
      css: { default: { url: 'default.css' } },
      'lib-js': {
        buttonSignIn: { css: 'sign-in/button.css', html: 'sign-in/button.html', messages: 'sign-in/messages.json' },
      },
    })
    const messages = (await (await fetch(`${node.url}assets/sign-in/messages.json`)).json()) as Json
    expect(Object.keys(messages).sort()).toEqual(['ERROR', 'LOADING', 'LOGIN', 'SIGNOUT_CONFIRM'])
    for (const texts of Object.values(messages)) {
      expect(texts).toEqual({ en: expect.stringMatching(/./) as string, fr: expect.any(String) as string, de: expect.any(String) as string })
    }
  })

  it('include the icon at /favicon.ico', async () => {
    const [favicon, own] = await Promise.all([fetch(`${node.url}favicon.ico`), fetch(`${node.url}assets/favicon.svg`)])
    expect([favicon.status, favicon.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
    expect(await favicon.text()).toBe(await own.text())
  })

  it('support HEAD, and answer 404 to other verbs and names', async () => {
    const head = await fetch(`${node.url}assets/favicon.svg`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await fetch(`${node.url}assets/favicon.svg`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${node.url}assets/no-such.css`)).status).toBe(404)
  })
})

describe('the client pryv', () => {
  it('finds all assets of its login button', async () => {
    const assets = (await serviceOf(node).assets()) as unknown as Assets
    const base = String(assets.get('baseUrl'))
    const paths = ['favicon:default:url', 'css:default:url', 'css', 'html', 'messages'].map((path) =>
      path.includes(':') ? path : `lib-js:buttonSignIn:${path}`,
    )
    for (const path of paths) {
      const response = await fetch(new URL(String(assets.get(path)), base))
      expect({ path, status: response.status }).toEqual({ path, status: 200 })
    }
  })

  it('finds assets configured by the operator', async () => {
    const elsewhere = await startTestNode({ 'service.assets': { definitions: `${node.url}assets/index.json` } })
    try {
      const assets = (await new pryv.Service(`${elsewhere.url}service/info`).assets()) as unknown as Assets
      expect(assets.get('baseUrl')).toBe(`${node.url}assets/`)
    } finally {
      await elsewhere.stop()
    }
  })

  it('finds no assets if the operator disables them', async () => {
    const bare = await startTestNode({ 'service.assets': {} })
    try {
      expect(await (await fetch(`${bare.url}service/info`)).json()).toMatchObject({ assets: {} })
      expect(await new pryv.Service(`${bare.url}service/info`).assets()).toBeNull()
    } finally {
      await bare.stop()
    }
  })
})
