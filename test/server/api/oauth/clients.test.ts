/** The registry of OAuth clients (docs/interface/oauth.md#clients): what is refused, what is kept, and what of it is a secret. */
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
  if (!(error instanceof Failure)) throw new Error('it was not refused')
  return `${error.id}: ${error.message}`
}

describe('a registration is refused', () => {
  it.each<[string, object, RegExp]>([
    ['nothing', {}, /#|redirectUris|missing/i],
    ['without redirect URIs', { redirectUris: [] }, /At least one redirect URI/],
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
    ['a client id that is the name of an account', { clientId: 'some-name' }, /is the user name of an account/],
    ['a client id that is one in capitals', { clientId: 'SOME-name' }, /is the user name of an account/],
    ['an unknown account', { username: 'nobody-here' }, /Unknown user/],
    ['a scope of an offer that it has not', { scope: ['cmc:study'] }, /requires the URL of its offer/],
    ['a scope of two words', { scope: ['one two'] }, /one word/],
    ['an offer with a bad name', { cmcOffers: { '-study': { capabilityUrl } } }, /name of an offer/],
    ['an offer with too long a name', { cmcOffers: { ['x'.repeat(65)]: { capabilityUrl } } }, /name of an offer/],
    ['an offer over http', { cmcOffers: { study: { capabilityUrl: 'http://token@lab.example/x/' } } }, /must start with https/],
    ['an offer without its token', { cmcOffers: { study: { capabilityUrl: 'https://lab.example/x/' } } }, /must contain its token/],
    ['an offer that is no address', { cmcOffers: { study: { capabilityUrl: 'lab' } } }, /must start with https/],
    ['another application type', { applicationType: 'desktop' }, /web or native/],
    ['a home page that is no web address', { clientUri: 'lab.example' }, /http/],
    ['keys that are none', { jwks: { keys: [] } }, /At least one key/],
    ['keys that are no list', { jwks: {} }, /keys|array|missing/i],
    ['a private key', { jwks: { keys: [{ ...jwk, d: jwk.x }] } }, /private key/],
    ['a key of another type', { jwks: { keys: [{ ...jwk, kty: 'RSA' }] } }, /type EC/],
    ['a key of another curve', { jwks: { keys: [{ ...jwk, crv: 'P-384' }] } }, /P-256/],
    ['a key with a short coordinate', { jwks: { keys: [{ ...jwk, x: 'abc' }] } }, /43 characters/],
    ['a key that is no point of the curve', { jwks: { keys: [{ ...jwk, x: jwk.y }] } }, /not a point/],
    ['a field that there is not', { redirect_uris: [] }, /redirect_uris|unknown|expected|unexpected/i],
    ['client_credentials without an account', { grantTypes: ['client_credentials'], confidential: true }, /app account/],
    ['client_credentials of a public client', { grantTypes: ['client_credentials'], username: 'heart-lab' }, /secret or keys/],
  ])('%s', async (what, asked, told) => {
    const before = (await listClients(node)).length
    const whole = what === 'nothing' ? asked : { redirectUris, ...asked }
    expect(await refusal(createClient(node, whole))).toMatch(told)
    expect(await listClients(node)).toHaveLength(before)
  })

  it('an id that is taken', async () => {
    await createClient(node, { redirectUris, clientId: 'taken' })
    expect(await refusal(createClient(node, { redirectUris, clientId: 'taken' }))).toMatch(/^item-already-exists/)
  })

  it('all but one of many for the same id at once', async () => {
    const asked = Array.from({ length: 20 }, () => createClient(node, { redirectUris, clientId: 'wanted' }))
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('a client', () => {
  it('is public, with the grants of a person, unless it is told otherwise', async () => {
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

  it('has the name of its account as its id, and finds the account', async () => {
    const { client } = await createClient(node, { redirectUris, username: 'heart-lab' })
    expect(client).toMatchObject({ clientId: 'heart-lab', clientName: 'heart-lab' })
    expect((await appAccountOf(node, client))?.user.username).toBe('heart-lab')
    await revokeClient(node, 'heart-lab')
  })

  it('is made an id of its own where its name is taken, or says nothing', async () => {
    const ids = []
    for (const clientName of ['Some Name', 'Some Name', '心']) ids.push((await createClient(node, { redirectUris, clientName })).client.clientId)
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^(some-name|client)(-[a-z0-9]+)?$/)
    expect(ids).not.toContain('some-name')
  })

  it('has the scope of each offer that it is given', async () => {
    const { client } = await createClient(node, { redirectUris, clientId: 'offering', scope: ['app:own'], cmcOffers: { study: { capabilityUrl } } })
    expect(client.scope).toEqual(['app:own', 'cmc:study'])
    const more = await updateClient(node, 'offering', { cmcOffers: { other: { capabilityUrl } } })
    expect(more.scope).toEqual(['app:own', 'cmc:study', 'cmc:other'])
    const without = await updateClient(node, 'offering', { cmcOffers: { study: null } })
    expect([without.scope, Object.keys(without.cmcOffers)]).toEqual([['app:own', 'cmc:other'], ['other']])
  })

  it('keeps of its keys what verifying takes', async () => {
    const keys = [{ ...jwk, kid: 'k1', use: 'sig', alg: 'ES256' }]
    const { client } = await createClient(node, { redirectUris, clientId: 'with-keys', jwks: { keys } })
    expect(client.jwks).toEqual({ keys: [{ ...jwk, kid: 'k1' }] })
    expect(isConfidential(client)).toBe(true)
    expect(await secretMatches(client, '')).toBe(false)
  })

  it('changes as far as it is told', async () => {
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

  it('are listed by their ids', async () => {
    const ids = (await listClients(node)).map(({ clientId }) => clientId)
    expect(ids).toEqual([...ids].sort())
  })
})

describe('the secret of a client', () => {
  it('is 32 random bytes, and the one that the last rotation gave', async () => {
    const made = await createClient(node, { redirectUris, clientId: 'secretive', confidential: true })
    const first = made.secret?.reveal() ?? ''
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(await secretMatches(made.client, first)).toBe(true)
    for (const wrong of ['', 'x', first.slice(1), `${first}x`, first.toLowerCase() + 'é']) expect(await secretMatches(made.client, wrong)).toBe(false)
    const rotated = await rotateSecret(node, 'secretive')
    expect(await secretMatches(rotated.client, first)).toBe(false)
    expect(await secretMatches(rotated.client, rotated.secret.reveal())).toBe(true)
    expect(await refusal(rotateSecret(node, 'no-such'))).toMatch(/^unknown-resource/)
  })

  it('is not on disk, nor is the token of an offer', async () => {
    const { secret } = await createClient(node, {
      ...{ redirectUris, clientId: 'on-disk', confidential: true },
      cmcOffers: { study: { capabilityUrl: 'https://a-very-telling-token@lab.example/x/' } },
    })
    expect((await findClient(node, 'on-disk'))?.cmcOffers['study']?.capabilityUrl).toContain('a-very-telling-token')
    const found = await textsOnDisk(running.places.home, ['"clientName":"on-disk"', secret?.reveal() ?? '?', 'a-very-telling-token'])
    expect(found).toEqual([expect.stringMatching(/: "clientName":"on-disk"$/)])
  })
})

describe('revoking', () => {
  it('takes a client out, once', async () => {
    await createClient(node, { redirectUris, clientId: 'revoked' })
    expect(await revokeClient(node, 'revoked')).toBe(true)
    expect(await findClient(node, 'revoked')).toBeUndefined()
    expect(await revokeClient(node, 'revoked')).toBe(false)
  })
})
