/** Registry of OAuth clients: validation, stored fields and secrets (docs/interface/oauth.md#clients). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, revokeClient, rotateSecret, updateClient } from '../../../../src/server/api/oauth/clientChanges.js'
import { appAccountOf, findClient, isConfidential, listClients, secretMatches } from '../../../../src/server/api/oauth/clients.js'
import { Failure } from '../../../../src/store/model/failure.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { newProofKey } from '../../../support/http/dpop.js'
import { makeAccount, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { textsOnDisk } from '../../../support/store/onDisk.js'

const clock = fakeClock()
let running: TestNode
let node: TestNode['node']
beforeAll(async () => {
  running = await startTestNode({}, { clock })
  node = running.node
  await makeAccount(running, 'heart-lab')
  await makeAccount(running, 'some-name')
})
afterAll(() => running.stop())

const redirectUris = ['https://app.example/cb']
const capabilityUrl = 'https://capability-token@lab.example/heart-lab/'
const { jwk } = newProofKey()

const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(() => undefined, (thrown: unknown) => thrown)
  if (!(error instanceof Failure)) throw new Error('the call was not refused')
  return `${error.id}: ${error.message}`
}

describe('a registration is refused with', () => {
  it.each<[string, object, RegExp]>([
    ['an empty input', {}, /#|redirectUris|missing/i],
    ['no redirect URIs', { redirectUris: [] }, /At least one redirect URI/],
    ['a redirect URI with a fragment', { redirectUris: ['https://app.example/cb#x'] }, /must not have a fragment/],
    ['a redirect URI with an empty fragment', { redirectUris: ['https://app.example/cb#'] }, /must not have a fragment/],
    ['a redirect URI that is a path', { redirectUris: ['/cb'] }, /absolute URL/],
    ['a redirect URI that runs code', { redirectUris: ['javascript:alert(1)'] }, /scheme is not allowed/],
    ['a redirect URI with a space', { redirectUris: ['https://app.example/c b'] }, /absolute URL/],
    ['no grant type', { grantTypes: [] }, /At least one grant type/],
    ['an unknown grant type', { grantTypes: ['password'] }, /Grant types must be among/],
    ['a client id too short', { clientId: 'abc' }, /4 to 64 characters/],
    ['a client id too long', { clientId: 'x'.repeat(65) }, /4 to 64 characters/],
    ['a client id with other characters', { clientId: 'heart_lab' }, /4 to 64 characters/],
    ['a client id that is the username of an account', { clientId: 'some-name' }, /is the user name of an account/],
    ['a client id that is a username in upper case', { clientId: 'SOME-name' }, /is the user name of an account/],
    ['an unknown account', { username: 'nobody-here' }, /Unknown user/],
    ['a scope of an unknown offer', { scope: ['cmc:study'] }, /requires the URL of its offer/],
    ['a scope of two words', { scope: ['one two'] }, /one word/],
    ['an offer with a bad name', { cmcOffers: { '-study': { capabilityUrl } } }, /name of an offer/],
    ['an offer with too long a name', { cmcOffers: { ['x'.repeat(65)]: { capabilityUrl } } }, /name of an offer/],
    ['an offer over http', { cmcOffers: { study: { capabilityUrl: 'http://token@lab.example/x/' } } }, /must start with https/],
    ['an offer without its token', { cmcOffers: { study: { capabilityUrl: 'https://lab.example/x/' } } }, /must contain its token/],
    ['an offer that is not a URL', { cmcOffers: { study: { capabilityUrl: 'lab' } } }, /must start with https/],
    ['another application type', { applicationType: 'desktop' }, /web or native/],
    ['a home page that is not an HTTP URL', { clientUri: 'lab.example' }, /http/],
    ['an empty list of keys', { jwks: { keys: [] } }, /At least one key/],
    ['keys that are not a list', { jwks: {} }, /keys|array|missing/i],
    ['a private key', { jwks: { keys: [{ ...jwk, d: jwk.x }] } }, /private key/],
    ['a key of another type', { jwks: { keys: [{ ...jwk, kty: 'RSA' }] } }, /type EC/],
    ['a key of another curve', { jwks: { keys: [{ ...jwk, crv: 'P-384' }] } }, /P-256/],
    ['a key with a short coordinate', { jwks: { keys: [{ ...jwk, x: 'abc' }] } }, /43 characters/],
    ['a key that is not a point of the curve', { jwks: { keys: [{ ...jwk, x: jwk.y }] } }, /not a point/],
    ['an unknown field', { redirect_uris: [] }, /redirect_uris|unknown|expected|unexpected/i],
    ['client_credentials without an account', { grantTypes: ['client_credentials'], confidential: true }, /app account/],
    ['client_credentials for a public client', { grantTypes: ['client_credentials'], username: 'heart-lab' }, /secret or keys/],
  ])('%s', async (title, fields, message) => {
    const before = (await listClients(node)).length
    const input = title === 'an empty input' ? fields : { redirectUris, ...fields }
    expect(await refusal(createClient(node, input))).toMatch(message)
    expect(await listClients(node)).toHaveLength(before)
  })

  it('the id of another client', async () => {
    await createClient(node, { redirectUris, clientId: 'taken' })
    expect(await refusal(createClient(node, { redirectUris, clientId: 'taken' }))).toMatch(/^item-already-exists/)
  })

  it('the same id, except once in concurrent calls', async () => {
    const calls = Array.from({ length: 20 }, () => createClient(node, { redirectUris, clientId: 'wanted' }))
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('a client', () => {
  it('is public with the grants of user consent by default', async () => {
    const { client, secret } = await createClient(node, { redirectUris, clientName: 'Plain App' })
    expect(secret).toBeUndefined()
    expect(isConfidential(client)).toBe(false)
    expect(client).toMatchObject({
      clientId: 'plain-app',
      clientName: 'Plain App',
      grantTypes: ['authorization_code', 'refresh_token'],
      scope: [],
      cmcOffers: {},
      updatedAt: clock.now() * 1000,
    })
    expect(await findClient(node, 'plain-app')).toEqual(client)
    expect(await appAccountOf(node, client)).toBeUndefined()
  })

  it('gets the username of its account as id, and finds the account', async () => {
    const { client } = await createClient(node, { redirectUris, username: 'heart-lab' })
    expect(client).toMatchObject({ clientId: 'heart-lab', clientName: 'heart-lab' })
    expect((await appAccountOf(node, client))?.user.username).toBe('heart-lab')
    await revokeClient(node, 'heart-lab')
  })

  it('gets a generated id if its name is in use or has no usable characters', async () => {
    const ids = []
    for (const clientName of ['Some Name', 'Some Name', '心']) ids.push((await createClient(node, { redirectUris, clientName })).client.clientId)
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^(some-name|client)(-[a-z0-9]+)?$/)
    expect(ids).not.toContain('some-name')
  })

  it('has the scope of each of its offers', async () => {
    const { client } = await createClient(node, { redirectUris, clientId: 'offering', scope: ['app:own'], cmcOffers: { study: { capabilityUrl } } })
    expect(client.scope).toEqual(['app:own', 'cmc:study'])
    const more = await updateClient(node, 'offering', { cmcOffers: { other: { capabilityUrl } } })
    expect(more.scope).toEqual(['app:own', 'cmc:study', 'cmc:other'])
    const without = await updateClient(node, 'offering', { cmcOffers: { study: null } })
    expect([without.scope, Object.keys(without.cmcOffers)]).toEqual([['app:own', 'cmc:other'], ['other']])
  })

  it('stores only the key fields needed for verification', async () => {
    const keys = [{ ...jwk, kid: 'k1', use: 'sig', alg: 'ES256' }]
    const { client } = await createClient(node, { redirectUris, clientId: 'with-keys', jwks: { keys } })
    expect(client.jwks).toEqual({ keys: [{ ...jwk, kid: 'k1' }] })
    expect(isConfidential(client)).toBe(true)
    expect(await secretMatches(client, '')).toBe(false)
  })

  it('is updated in the fields of the request only', async () => {
    await createClient(node, { redirectUris, clientId: 'changing', clientUri: 'https://app.example/', confidential: true })
    clock.pass(5)
    const changed = await updateClient(node, 'changing', { clientName: 'New', clientUri: null })
    expect(changed).toMatchObject({ clientName: 'New', redirectUris, updatedAt: clock.now() * 1000 })
    expect(changed).not.toHaveProperty('clientUri')
    expect(isConfidential(changed)).toBe(true)
    expect(isConfidential(await updateClient(node, 'changing', { public: true }))).toBe(false)
    expect(await refusal(updateClient(node, 'changing', { redirectUris: [] }))).toMatch(/At least one/)
    expect(await refusal(updateClient(node, 'changing', { clientId: 'else' }))).toMatch(/^invalid-parameters-format/)
    expect(await refusal(updateClient(node, 'no-such', {}))).toMatch(/^unknown-resource/)
  })

  it('is listed in the order of ids', async () => {
    const ids = (await listClients(node)).map(({ clientId }) => clientId)
    expect(ids).toEqual([...ids].sort())
  })
})

describe('the secret of a client', () => {
  it('is 32 random bytes, and is replaced by a rotation', async () => {
    const created = await createClient(node, { redirectUris, clientId: 'secretive', confidential: true })
    const first = created.secret?.reveal() ?? ''
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(await secretMatches(created.client, first)).toBe(true)
    for (const wrong of ['', 'x', first.slice(1), `${first}x`, first.toLowerCase() + 'é']) expect(await secretMatches(created.client, wrong)).toBe(false)
    const rotated = await rotateSecret(node, 'secretive')
    expect(await secretMatches(rotated.client, first)).toBe(false)
    expect(await secretMatches(rotated.client, rotated.secret.reveal())).toBe(true)
    expect(await refusal(rotateSecret(node, 'no-such'))).toMatch(/^unknown-resource/)
  })

  it('is not on disk in plain text, and neither is the token of an offer', async () => {
    const { secret } = await createClient(node, {
      ...{ redirectUris, clientId: 'on-disk', confidential: true },
      cmcOffers: { study: { capabilityUrl: 'https://a-very-telling-token@lab.example/x/' } },
    })
    expect((await findClient(node, 'on-disk'))?.cmcOffers['study']?.capabilityUrl).toContain('a-very-telling-token')
    const found = await textsOnDisk(running.places.home, ['"clientName":"on-disk"', secret?.reveal() ?? '?', 'a-very-telling-token'])
    expect(found).toEqual([expect.stringMatching(/: "clientName":"on-disk"$/)])
  })
})

describe('revocation', () => {
  it('removes a client once', async () => {
    await createClient(node, { redirectUris, clientId: 'revoked' })
    expect(await revokeClient(node, 'revoked')).toBe(true)
    expect(await findClient(node, 'revoked')).toBeUndefined()
    expect(await revokeClient(node, 'revoked')).toBe(false)
  })
})
