/** Third party for logins: an OpenID Connect provider on a local port. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose'

export interface ThirdParty {
  /** Issuer, without a final slash. */
  issuer: string
  clientId: string
  clientSecret: string
  /** Claims of the identity token. */
  person: JWTPayload
  /** Fault of the token, if any. */
  wrong?: 'audience' | 'issuer' | 'expiry' | 'nonce' | 'no nonce' | 'signature' | 'none' | undefined
  /** Response of `/userinfo`; without it there is none. */
  userInfo?: JWTPayload
  /** Refuses users at the authorization endpoint. */
  refuses?: boolean
  /** Paths of the requests so far. */
  readonly asked: string[]
  /** Opens `url` at its pages, as a browser does; returns the URL of the redirect. */
  signIn(url: string): Promise<string>
  stop(): Promise<void>
}

/** Starts a provider; the registration of the node is in it. */
export async function startThirdParty(): Promise<ThirdParty> {
  const [{ privateKey, publicKey }, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, { nonce: string; challenge: string; redirectUri: string }>()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const party: ThirdParty = {
    issuer,
    clientId: 'this-node',
    clientSecret: 'a secret: of + the node',
    person: { sub: '1' },
    asked: [],
    async signIn(url) {
      const { headers } = await fetch(url, { redirect: 'manual' })
      return headers.get('location') ?? ''
    },
    stop: () => new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    }),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer)
    party.asked.push(url.pathname)
    const json = (value: object, status = 200): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          ...(party.userInfo === undefined ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
        })
      case '/jwks':
        return json({ keys: [jwk] })
      case '/userinfo':
        return json({ sub: party.person.sub, ...party.userInfo })
      case '/authorize':
        return authorize(url.searchParams, response)
      case '/token':
        return token(request, json)
      default:
        return json({}, 404)
    }
  }

  function authorize(asked: URLSearchParams, response: ServerResponse): void {
    const redirectUri = asked.get('redirect_uri') ?? ''
    const back = new URL(redirectUri)
    back.searchParams.set('state', asked.get('state') ?? '')
    const isRight = asked.get('client_id') === party.clientId && asked.get('scope') === 'openid email' && asked.get('code_challenge_method') === 'S256'
    if (party.refuses === true || !isRight) back.searchParams.set('error', 'access_denied')
    else {
      const code = randomBytes(12).toString('base64url')
      codes.set(code, { nonce: asked.get('nonce') ?? '', challenge: asked.get('code_challenge') ?? '', redirectUri })
      back.searchParams.set('code', code)
    }
    response.writeHead(302, { location: back.href }).end()
  }

  async function token(request: IncomingMessage, json: (value: object, status?: number) => void): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const form = new URLSearchParams(text)
    const known = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url')
    if (known?.challenge !== challenge || known.redirectUri !== form.get('redirect_uri')) return json({ error: 'invalid_grant' }, 400)
    // RFC 6749, 2.3.1: both are form-encoded before Base64.
    const [id = '', secret = ''] = Buffer.from(/^Basic (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '', 'base64').toString().split(':').map((part) => new URLSearchParams(`x=${part}`).get('x') ?? '')
    if (id !== party.clientId || secret !== party.clientSecret) return json({ error: 'invalid_client' }, 401)
    return json({ access_token: 'at', token_type: 'Bearer', ...(party.wrong === 'none' ? {} : { id_token: await identity(known.nonce) }) })
  }

  function identity(nonce: string): Promise<string> {
    const { wrong } = party
    const key: CryptoKey = wrong === 'signature' ? other.privateKey : privateKey
    return new SignJWT({ ...party.person, ...(wrong === 'no nonce' ? {} : { nonce: wrong === 'nonce' ? `${nonce}x` : nonce }) })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuedAt()
      .setIssuer(wrong === 'issuer' ? 'https://elsewhere.example.org' : issuer)
      .setAudience(wrong === 'audience' ? 'another-node' : party.clientId)
      .setExpirationTime(wrong === 'expiry' ? Math.floor(Date.now() / 1000) - 600 : '5m')
      .sign(key)
  }
  return party
}
