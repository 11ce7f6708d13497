/** Tests of `coffer sso`: on a closed store and with a running node. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { startThirdParty, type ThirdParty } from '../../../support/services/oidc.js'
import { accountWith, ssoOf } from '../../../support/people/sso.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

let party: ThirdParty
beforeAll(async () => {
  party = await startThirdParty()
})
afterAll(() => party.stop())

/** Signs in by an identity provider, which links the identity to the account. */
async function signIn(node: TestNode, provider: string, person: ThirdParty['person']): Promise<void> {
  party.person = person
  const begun = await fetch(`${node.url}auth/sso/${provider}/start`, { redirect: 'manual' })
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
  const back = await party.signIn(begun.headers.get('location') ?? '')
  expect((await fetch(back, { redirect: 'manual', headers: { cookie } })).status).toBe(302)
}

describe.each(['without a node', 'with a running node'])('coffer sso, %s', (where) => {
  let home: TestHome
  let node: TestNode | undefined
  let names: string[]
  beforeAll(async () => {
    home = await testHome()
    await home.json(['config', 'set', 'sso.providers', '--stdin'], { stdin: JSON.stringify(ssoOf(party)['sso.providers']) })
    await home.json(['config', 'set', 'sso.enabled', 'true'])
    node = await startTestNode({}, { home: home.home })
    const accounts = [await accountWith(node), await accountWith(node)]
    names = accounts.map(({ username }) => username)
    for (const { username, email } of accounts) await signIn(node, 'fake', { sub: `sub of ${username}`, email, email_verified: true })
    await signIn(node, 'other', { sub: 'elsewhere', email: accounts[0]?.email ?? '', email_verified: true })
    if (where === 'without a node') {
      await node.stop()
      node = undefined
    }
  })
  afterAll(async () => {
    await node?.stop()
    await home.remove()
  })

  it('lists the providers with their redirect URIs, without secrets', async () => {
    const answer = await home.json('sso providers')
    expect(answer).toMatchObject({ enabled: true, lacks: null, landing: null, providers: [{ id: 'fake', label: 'Fake & Co', issuer: party.issuer, redirectUri: expect.stringMatching(/^http:\/\/.*\/auth\/sso\/fake\/callback$/) as string }, { id: 'other' }] })
    expect(JSON.stringify(answer)).not.toContain(party.clientSecret)
    expect((await home.run('config list')).out).not.toContain(party.clientSecret)
    expect((await home.run('sso providers -q')).out).toBe('fake\nother\n')
  })

  it('is checked by doctor', async () => {
    const { code, out } = await home.run('doctor sso')
    expect([code, out]).toEqual([0, expect.stringContaining(`fake answers at ${party.issuer}`) as string])
  })

  it('lists and removes links of identities', async () => {
    const [first = '', second = ''] = names
    const { identities } = await home.json('sso list')
    expect(identities).toMatchObject([
      { username: first, provider: 'fake', subject: `sub of ${first}`, email: `${first}@example.org` },
      { username: first, provider: 'other', subject: 'elsewhere' },
      { username: second, provider: 'fake' },
    ])
    expect((await home.run(`sso list --user ${second} -q`)).out).toBe(`${second}\n`)
    const { code, out, err } = await home.run(`sso unlink ${first} --provider other`)
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain(`1 link of ${first} removed`)
    expect(await home.json(`sso unlink ${first}`)).toMatchObject({ identities: [{ provider: 'fake' }] })
    expect(await home.json('sso list')).toMatchObject({ identities: [{ username: second }] })
    expect((await home.json('store check'))['problems']).toEqual([])
  })

  it.each([
    ['sso unlink', 2, '<username> is missing'],
    ['sso unlink nobody-here', 5, 'nobody-here'],
    ['sso list --user nobody-here', 5, 'nobody-here'],
  ])('refuses %s', async (line, exit, says) => {
    const { code, out, err } = await home.run(line)
    expect([code, out]).toEqual([exit, ''])
    expect(err).toContain(says)
  })

  it('reports when there is no link to remove', async () => {
    const [first = '', second = ''] = names
    expect(await home.run(`sso unlink ${first}`)).toMatchObject({ code: 5, err: expect.stringContaining(`${first} is linked to no provider`) as string })
    expect(await home.run(`sso unlink ${second} --provider nobody`)).toMatchObject({ code: 5, err: expect.stringContaining('coffer sso list') as string })
  })
})

it('coffer sso reports missing and conflicting settings', async () => {
  const home = await testHome()
  try {
    expect((await home.run('sso providers')).err).toContain('config set sso.enabled true')
    expect((await home.run('doctor sso')).out).toContain('sso.enabled is not set')
    await home.json(['config', 'set', 'sso.enabled', 'true'])
    expect((await home.run('sso providers')).err).toContain('sso.providers is empty')
    expect((await home.run('doctor sso')).out).toContain('sso.providers is empty')
    const { code, err } = await home.run(['config', 'set', 'dnsLess.isActive', 'false'])
    expect([code, err]).toEqual([0, expect.stringContaining('sso.enabled = true needs dnsLess.isActive = true') as string])
    expect(await home.run('config set sso.providers --stdin', { stdin: '{ x = { issuer = "http://example.org", clientId = "a", clientSecret = "hidden" } }' })).toMatchObject({ code: 2, err: expect.not.stringContaining('hidden') as string })
  } finally {
    await home.remove()
  }
})
