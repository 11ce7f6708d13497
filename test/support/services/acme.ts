/** ACME certificate authority (RFC 8555), as far as clients use it: it validates requests, and verifies challenges. */
import { createHash, randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { createServer, request as requestPlain, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as x509 from '@peculiar/x509'
import { calculateJwkThumbprint, flattenedVerify, importJWK, type FlattenedJWS, type JWK } from 'jose'
import { createAuthority, type Authority } from './certificates.js'

type Json = Record<string, unknown>

export interface FakeAcme {
  directoryUrl: string
  authority: Authority
  /** Port of challenge requests, instead of port 80. */
  challengePort: number
  /** Port of the local name server that is queried instead of the host. */
  nameServer?: number
  /** Validity of certificates from now on, in milliseconds. */
  lasts: number
  /** Host of issued certificates, instead of the requested one. */
  mistaken?: string
  /** Step that is refused, with a reason. */
  refuses?: { at: 'new-account' | 'new-order' | 'finalize'; detail: string }
  /** Flag of a slow issuance. */
  isSlow: boolean
  /** Account keys of requests, by thumbprint, with the number of account requests. */
  accounts: Map<string, { contact: unknown; asked: number }>
  /** Host names of issued certificates. */
  given: string[]
  /** Response to the last challenge. */
  lastAnswer?: string
  stop(): Promise<void>
}

/** State of the verification of one name of an order. */
interface Authorization {
  hostname: string
  token: string
  challenge: 'pending' | 'valid' | 'invalid'
  error?: Json
}

interface Order {
  names: string[]
  thumbprint: string
  authorizations: Authorization[]
  status: string
  cert?: string
}

const problem = (type: string, detail: string): Json => ({ type: `urn:ietf:params:acme:error:${type}`, detail })

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: Json,
  ) {
    super(JSON.stringify(body))
  }
}

export async function startAcme(): Promise<FakeAcme> {
  const nonces = new Set<string>()
  const keys = new Map<string, JWK>()
  const orders: Order[] = []
  const authority = await createAuthority('CN=Authority by ACME')
  const nonce = (): string => {
    const made = randomBytes(12).toString('base64url')
    nonces.add(made)
    return made
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const { status, body } = error instanceof Refusal ? error : { status: 500, body: problem('serverInternal', String(error)) }
      send(response, status, body, { 'content-type': 'application/problem+json' })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function send(response: ServerResponse, status: number, body: Json | string, headers: Record<string, string> = {}): void {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', 'replay-nonce': nonce(), 'cache-control': 'no-store', ...headers })
    response.end(text)
  }

  /** Returns the signer of a request, and its payload. */
  async function opened(request: IncomingMessage): Promise<{ thumbprint: string; jwk: JWK; payload: Json | undefined }> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const jws = JSON.parse(Buffer.concat(chunks).toString('utf8')) as FlattenedJWS
    const header = JSON.parse(Buffer.from(jws.protected ?? '', 'base64url').toString('utf8')) as { jwk?: JWK; kid?: string; nonce?: string; url?: string; alg?: string }
    if (request.headers['content-type'] !== 'application/jose+json') throw new Refusal(415, problem('malformed', 'content type'))
    if (header.url !== `${base}${request.url}`) throw new Refusal(401, problem('unauthorized', 'url'))
    if (!nonces.delete(header.nonce ?? '')) throw new Refusal(400, problem('badNonce', 'nonce'))
    const jwk = header.jwk ?? keys.get(header.kid ?? '')
    if (jwk === undefined) throw new Refusal(400, problem('accountDoesNotExist', 'no such account'))
    const { payload } = await flattenedVerify(jws, await importJWK(jwk, header.alg ?? 'ES256'))
    const text = Buffer.from(payload).toString('utf8')
    return { thumbprint: await calculateJwkThumbprint(jwk), jwk, payload: text === '' ? undefined : (JSON.parse(text) as Json) }
  }

  function refuseAt(at: NonNullable<FakeAcme['refuses']>['at']): void {
    if (fake.refuses?.at === at) throw new Refusal(429, problem('rateLimited', fake.refuses.detail))
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    if (path === '/directory') {
      const named = { newNonce: 'new-nonce', newAccount: 'new-account', newOrder: 'new-order', revokeCert: 'revoke', keyChange: 'change' }
      return send(response, 200, Object.fromEntries(Object.entries(named).map(([name, at]) => [name, `${base}/${at}`])))
    }
    if (path === '/new-nonce') return send(response, 200, '')
    const { thumbprint, jwk, payload } = await opened(request)
    if (path === '/new-account') {
      refuseAt('new-account')
      if (payload?.['termsOfServiceAgreed'] !== true) throw new Refusal(403, problem('userActionRequired', 'terms'))
      const known = fake.accounts.get(thumbprint)
      fake.accounts.set(thumbprint, { contact: payload['contact'], asked: (known?.asked ?? 0) + 1 })
      const location = `${base}/account/${thumbprint}`
      keys.set(location, jwk)
      return send(response, known === undefined ? 201 : 200, { status: 'valid' }, { location })
    }
    if (path === '/new-order') {
      refuseAt('new-order')
      const names = (payload?.['identifiers'] as { type: string; value: string }[]).map(({ value }) => value)
      const authorizations = names.map((hostname): Authorization => ({ hostname, token: randomBytes(24).toString('base64url'), challenge: 'pending' }))
      orders.push({ names, thumbprint, authorizations, status: 'pending' })
      return send(response, 201, orderView(orders.length - 1), { location: `${base}/order/${orders.length - 1}` })
    }
    const [, kind = '', id = '', at = ''] = path.split('/')
    const order = orders[Number(id)]
    const authorization = order?.authorizations[Number(at)]
    if (order === undefined || authorization === undefined || order.thumbprint !== thumbprint) throw new Refusal(404, problem('malformed', 'no such thing'))
    if (kind === 'order') {
      const view = orderView(Number(id))
      if (order.status === 'processing') order.status = 'valid'
      return send(response, 200, view)
    }
    if (kind === 'authz') {
      const { hostname, challenge } = authorization
      const isWildcard = hostname.startsWith('*.')
      const known = { type: fake.nameServer === undefined ? 'dns-01' : 'http-01', url: `${base}/other`, token: 'x', status: 'pending' }
      const challenges = [known, challengeView(`${id}/${at}`, authorization)].filter(({ type }) => !isWildcard || type === 'dns-01')
      return send(response, 200, { status: challenge, identifier: { type: 'dns', value: hostname.replace(/^\*\./, '') }, ...(isWildcard ? { wildcard: true } : {}), challenges })
    }
    if (kind === 'challenge') {
      if (payload !== undefined && authorization.challenge === 'pending') await examine(authorization, thumbprint)
      return send(response, 200, challengeView(`${id}/${at}`, authorization))
    }
    if (kind === 'finalize') {
      refuseAt('finalize')
      if (order.authorizations.some(({ challenge }) => challenge !== 'valid')) throw new Refusal(403, problem('orderNotReady', 'the challenge'))
      const csr = new x509.Pkcs10CertificateRequest(Buffer.from(String(payload?.['csr']), 'base64url'))
      if (!(await csr.verify())) throw new Refusal(400, problem('badCSR', 'signature'))
      order.cert = await authority.sign(csr, { names: fake.mistaken === undefined ? order.names : [fake.mistaken], until: Date.now() + fake.lasts })
      order.status = fake.isSlow ? 'processing' : 'valid'
      fake.given.push(...order.names)
      return send(response, 200, orderView(Number(id)))
    }
    if (kind === 'cert') return send(response, 200, `${order.cert}${authority.cert}`, { 'content-type': 'application/pem-certificate-chain' })
    throw new Refusal(404, problem('malformed', path))
  }

  const orderView = (id: number): Json => ({
    status: orders[id]?.status,
    identifiers: orders[id]?.names.map((value) => ({ type: 'dns', value })),
    authorizations: orders[id]?.authorizations.map((_, at) => `${base}/authz/${id}/${at}`),
    finalize: `${base}/finalize/${id}`,
    ...(orders[id]?.status === 'valid' ? { certificate: `${base}/cert/${id}` } : {}),
  })

  const challengeView = (path: string, { token, challenge, error }: Authorization): Json => ({
    type: fake.nameServer === undefined ? 'http-01' : 'dns-01',
    url: `${base}/challenge/${path}`,
    token,
    status: challenge,
    ...(error === undefined ? {} : { error }),
  })

  /** Requests the challenge response from the host, or its name server, as in RFC 8555, 8.3 and 8.4. */
  async function examine(authorization: Authorization, thumbprint: string): Promise<void> {
    const { hostname, token } = authorization
    const expected = `${token}.${thumbprint}`
    if (fake.nameServer === undefined) {
      fake.lastAnswer = await fetched(fake.challengePort, hostname, `/.well-known/acme-challenge/${token}`)
      authorization.challenge = fake.lastAnswer === expected ? 'valid' : 'invalid'
    } else {
      const texts = await textsOf(fake.nameServer, `_acme-challenge.${hostname.replace(/^\*\./, '')}`)
      fake.lastAnswer = texts.join(' ')
      authorization.challenge = texts.includes(createHash('sha256').update(expected).digest('base64url')) ? 'valid' : 'invalid'
    }
    if (authorization.challenge === 'invalid') authorization.error = problem('unauthorized', `${hostname} returned another response`)
  }

  const fake: FakeAcme = {
    directoryUrl: `${base}/directory`,
    authority,
    challengePort: 0,
    lasts: 90 * 86_400_000,
    isSlow: false,
    accounts: new Map(),
    given: [],
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return fake
}

async function textsOf(port: number, name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  return (await resolver.resolveTxt(name).catch(() => [])).map((parts) => parts.join(''))
}

function fetched(port: number, host: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    const asked = requestPlain({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
      response.on('end', () => resolve(response.statusCode === 200 ? text : `HTTP ${response.statusCode}`))
    })
    asked.on('error', (error) => resolve(error.message))
    asked.end()
  })
}

