/** Tests of `coffer oauth clients`, `keys` and `tokens`. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newProofKey } from '../../../support/http/dpop.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

const CALLBACK = 'https://lab.example/cb'
const OFFER = 'study=https://the-token-of-the-offer@lab.example/heart-lab/'
let home: TestHome
beforeAll(async () => {
  home = await testHome('heart-lab')
})
afterAll(() => home.remove())

type Json = Record<string, unknown>
const oauth = (...words: string[]): string[] => ['oauth', ...words]
const run = (words: string[], given?: Parameters<TestHome['run']>[1]): ReturnType<TestHome['run']> => home.run(oauth(...words), given)
const create = async (...words: string[]): Promise<{ client: Json; client_secret?: string }> =>
  (await home.json(oauth('clients', 'create', '--redirect-uri', CALLBACK, ...words))) as { client: Json; client_secret?: string }

describe('oauth clients list without clients', () => {
  it('suggests how to register one', async () => {
    const { code, out, err } = await run(['clients', 'list'])
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain('(no clients registered)')
    expect(err).toContain('oauth clients create')
  })
})

describe('oauth clients create', () => {
  it('answers stable JSON to scripts', async () => {
    const { client, client_secret } = await create('--name', 'Script Lab', '--confidential')
    expect(client).toMatchObject({
      client_id: 'script-lab',
      client_name: 'Script Lab',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_basic',
    })
    expect(client_secret).toMatch(/^[\w-]{43}$/)
    const shown = await home.run(oauth('clients', 'show', 'script-lab'))
    expect(shown.out).toContain('Script Lab')
    expect(JSON.stringify(await home.json(oauth('clients', 'show', 'script-lab'))) + shown.out + shown.err).not.toContain(client_secret)
  })

  it('prints only the secret on stdout, and the other data on stderr', async () => {
    const { code, out, err } = await run(['clients', 'create', '--name', 'Piped', '--redirect-uri', CALLBACK, '--confidential'])
    expect([code, out]).toEqual([0, expect.stringMatching(/^[\w-]{43}\n$/) as string])
    expect(err).toContain('Client piped registered')
    expect(err).toContain('oauth clients rotate-secret piped')
    expect(err).not.toContain(out.trim())
  })

  it('prints the id of a public client', async () => {
    const { out, err } = await run(['clients', 'create', '--name', 'On a Phone', '--redirect-uri', 'com.example:/cb', '--application-type', 'native'])
    expect(out).toBe('on-a-phone\n')
    expect(err).toMatch(/Auth method +public/)
  })

  it('writes the secret to a private file only with --secret-to', async () => {
    const path = join(home.home, 'secret')
    const { out, err } = await run(['clients', 'create', '--name', 'Filed', '--redirect-uri', CALLBACK, '--confidential', '--secret-to', path])
    const secret = (await readFile(path, 'utf8')).trim()
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(out).toBe('filed\n')
    expect(err).not.toContain(secret)
    const json = await home.json(oauth('clients', 'rotate-secret', 'filed', '--secret-to', path))
    expect(json).toMatchObject({ secretTo: path })
    expect(json).not.toHaveProperty('client_secret')
    expect((await readFile(path, 'utf8')).trim()).not.toBe(secret)
  })

  it('registers nothing when the file cannot be written', async () => {
    const words = ['clients', 'create', '--client-id', 'unfiled', '--redirect-uri', CALLBACK, '--confidential', '--secret-to', join(home.home, 'no', 'such', 'folder')]
    expect((await run(words)).code).toBe(1)
    expect((await run(['clients', 'show', 'unfiled'])).code).toBe(5)
  })

  it('derives the id from the account, and adds the scopes of its offers', async () => {
    const { client } = await create('--user', 'heart-lab', '--cmc-offer', OFFER, '--scope', 'app:own')
    expect(client).toMatchObject({ client_id: 'heart-lab', username: 'heart-lab', scope: 'app:own cmc:study' })
    expect(client['cmc_offers']).toEqual({ study: { capabilityUrl: 'https://•••@lab.example/heart-lab/' } })
  })

  it('reads keys from a file, and a whole registration from stdin', async () => {
    const { jwk, jkt } = newProofKey()
    const path = join(home.home, 'keys.json')
    await writeFile(path, JSON.stringify({ keys: [{ ...jwk, kid: 'k1' }] }))
    const { client, client_secret } = await create('--client-id', 'with-keys', '--jwks', path)
    expect(client).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt', keys: [{ kid: 'k1', thumbprint: jkt }] })
    expect(client_secret).toBeUndefined()
    const registration = { client_name: 'From a File', redirect_uris: [CALLBACK], scope: 'app:a app:b', jwks: { keys: [jwk] } }
    const given = { stdin: JSON.stringify(registration) }
    const created = await home.json(oauth('clients', 'create', '--file', '-', '--name', 'By Option'), given)
    expect(created['client']).toMatchObject({ client_id: 'by-option', redirect_uris: [CALLBACK], scope: 'app:a app:b' })
  })

  it.each<[string, string[], number, RegExp]>([
    ['a missing redirect URI', ['--name', 'X Lab'], 2, /--redirect-uri <uri> is missing/],
    ['a missing name', ['--redirect-uri', CALLBACK], 2, /--name <name>, --client-id or --user is required/],
    ['public and confidential', ['--name', 'X Lab', '--redirect-uri', CALLBACK, '--public', '--confidential'], 2, /cannot be combined/],
    ['--secret-to without a secret', ['--name', 'X Lab', '--redirect-uri', CALLBACK, '--secret-to', 'x'], 2, /--secret-to requires --confidential/],
    ['a redirect URI with a fragment', ['--name', 'X Lab', '--redirect-uri', `${CALLBACK}#x`], 1, /must not have a fragment/],
    ['an offer without a name', ['--name', 'X Lab', '--redirect-uri', CALLBACK, '--cmc-offer', 'https://lab.example/'], 2, /takes a name and a URL/],
    ['an offer without a token', ['--name', 'X Lab', '--redirect-uri', CALLBACK, '--cmc-offer', 'study=https://lab.example/'], 1, /must contain its token/],
    ['a scope without an offer', ['--name', 'X Lab', '--redirect-uri', CALLBACK, '--scope', 'cmc:none'], 1, /requires the URL of its offer/],
    ['an unknown account', ['--user', 'nobody', '--redirect-uri', CALLBACK], 5, /Unknown user "nobody"/],
    ['a malformed id', ['--client-id', 'a b', '--redirect-uri', CALLBACK], 1, /4 to 64 characters/],
    ['an id in use', ['--client-id', 'script-lab', '--redirect-uri', CALLBACK], 6, /already/],
    ['the name of an account as its id', ['--client-id', 'Heart-Lab', '--redirect-uri', CALLBACK], 6, /name of an account/],
    ['an unknown grant type', ['--name', 'X Lab', '--redirect-uri', CALLBACK, '--grant-type', 'password'], 1, /Grant types must be among/],
    ['an unknown application type', ['--name', 'X Lab', '--redirect-uri', CALLBACK, '--application-type', 'desktop'], 2, /web, native/],
    ['a missing file of keys', ['--name', 'X Lab', '--redirect-uri', CALLBACK, '--jwks', '/no/such/file'], 2, /does not exist/],
    ['a file of keys that is not JSON', ['--name', 'X Lab', '--redirect-uri', CALLBACK, '--jwks', '-'], 2, /stdin is not valid JSON/],
    ['a registration that is not JSON', ['--file', '-'], 2, /not valid JSON/],
  ])('refuses %s', async (_, words, exit, message) => {
    const { code, out, err } = await run(['clients', 'create', ...words], { stdin: 'nonsense' })
    expect([code, out, err]).toEqual([exit, '', expect.stringMatching(message) as string])
  })

  it('reports an unknown field of a registration, and lists the known ones', async () => {
    const { code, err } = await run(['clients', 'create', '--file', '-'], { stdin: '{"redirect_uri":"x"}' })
    expect([code, err]).toEqual([2, expect.stringMatching(/unknown field "redirect_uri"[\s\S]*redirect_uris/) as string])
  })
})

describe('oauth clients', () => {
  it('are listed by id, as ids and as JSON', async () => {
    const { out } = await run(['clients', 'list', '-q'])
    const ids = out.trim().split('\n')
    expect(ids).toEqual([...ids].sort())
    expect(ids).toContain('heart-lab')
    const { clients } = await home.json(oauth('clients', 'list'))
    expect((clients as Json[]).map(({ client_id }) => client_id)).toEqual(ids)
    expect(JSON.stringify(clients)).not.toContain('the-token-of-the-offer')
  })

  it('are changed only in the given fields', async () => {
    const { code, err } = await run(['clients', 'update', 'heart-lab', '--redirect-uri', 'https://lab.example/new', '--cmc-offer', 'study='])
    expect([code, err]).toEqual([0, expect.stringContaining('Client heart-lab updated') as string])
    const { client } = await home.json(oauth('clients', 'show', 'heart-lab'))
    expect(client).toMatchObject({ redirect_uris: ['https://lab.example/new'], scope: 'app:own', cmc_offers: {}, username: 'heart-lab' })
    expect((await run(['clients', 'update', 'heart-lab'])).err).toContain('Nothing to change')
    expect((await run(['clients', 'update', 'no-such', '--name', 'x'])).code).toBe(5)
  })

  it('get a secret by rotate-secret, and lose it by update --public', async () => {
    const { out } = await run(['clients', 'rotate-secret', 'on-a-phone'])
    expect(out).toMatch(/^[\w-]{43}\n$/)
    expect(await home.json(oauth('clients', 'show', 'on-a-phone'))).toMatchObject({ client: { has_secret: true } })
    await run(['clients', 'update', 'on-a-phone', '--public'])
    expect(await home.json(oauth('clients', 'show', 'on-a-phone'))).toMatchObject({ client: { token_endpoint_auth_method: 'none' } })
  })

  it('are revoked after a confirmation', async () => {
    const refused = await run(['clients', 'revoke', 'piped'])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--yes is missing') as string])
    expect((await run(['clients', 'revoke', 'piped', '--yes'])).code).toBe(0)
    expect((await run(['clients', 'revoke', 'piped', '--yes'])).code).toBe(5)
    expect((await run(['clients', 'list', '-q'])).out).not.toContain('piped')
  })
})

describe('oauth keys', () => {
  it('are revoked, listed and restored by their thumbprint', async () => {
    // One in 64 thumbprints begins with a dash and needs a preceding `--`. The next character must
    // not be a short option: `-h` would print help and exit 0.
    const jkt = `-0${newProofKey().jkt.slice(2)}`
    expect((await run(['keys', 'revoke', jkt, '--yes'])).code).toBe(2)
    expect((await run(['keys', 'revoke', '--', jkt])).code).toBe(2)
    expect((await run(['keys', 'revoke', '--yes', '--', jkt])).code).toBe(0)
    expect(await home.json(oauth('keys', 'list'))).toMatchObject({ keys: [{ jkt, clientId: null, revokedAt: expect.any(Number) as number }] })
    expect((await run(['keys', 'list', '-q'])).out).toBe(`${jkt}\n`)
    expect((await run(['keys', 'restore', '--', jkt])).code).toBe(0)
    expect((await run(['keys', 'restore', '--', jkt])).code).toBe(5)
    expect((await home.json(oauth('keys', 'list')))['keys']).toEqual([])
    const { code, err } = await run(['keys', 'revoke', 'abc', '--yes'])
    expect([code, err]).toEqual([1, expect.stringContaining('43 characters') as string])
  })
})

describe('oauth tokens', () => {
  const permission = ['--permission', '*:read']
  const grant = async (name: string): Promise<void> => {
    await home.json(['accesses', 'create', '--user', 'heart-lab', '--type', 'app', '--name', name, ...permission])
  }

  it('are listed by client and account, and revoked', async () => {
    await grant('oauth:script-lab')
    await grant('oauth:filed')
    await grant('no client')
    const { tokens } = await home.json(oauth('tokens', 'list'))
    expect((tokens as Json[]).map(({ clientId, username }) => [clientId, username]).sort()).toEqual([
      ['filed', 'heart-lab'],
      ['script-lab', 'heart-lab'],
    ])
    expect((await run(['tokens', 'list', '--client', 'filed', '-q'])).out).toMatch(/^\w+\n$/)
    expect((await run(['tokens', 'list', '--user', 'nobody'])).code).toBe(5)
    for (const verb of [['list'], ['revoke', '--yes']]) {
      const unknown = await run(['tokens', ...verb, '--client', 'script-lob'])
      expect([unknown.code, unknown.out, unknown.err]).toEqual([5, '', expect.stringContaining('Did you mean script-lab?')])
    }
    expect((await run(['keys', 'list', '--client', 'nobody-at-all'])).code).toBe(5)
    expect((await run(['tokens', 'revoke', '--yes'])).err).toContain('--client <id> is missing')
    expect((await run(['tokens', 'revoke', '--client', 'filed'])).code).toBe(2)
    const { code, err } = await run(['tokens', 'revoke', '--client', 'filed', '--user', 'heart-lab', '--yes'])
    expect([code, err]).toEqual([0, expect.stringContaining('1 access token and 0 refresh tokens of filed revoked') as string])
    expect((await home.json(oauth('tokens', 'list')))['tokens']).toMatchObject([{ clientId: 'script-lab' }])
    expect((await home.run(['accesses', 'list', '--user', 'heart-lab'])).out).toContain('no client')
  })

  it('are removed with their client', async () => {
    await run(['clients', 'revoke', 'script-lab', '--yes'])
    expect((await home.json(oauth('tokens', 'list')))['tokens']).toEqual([])
  })
})
