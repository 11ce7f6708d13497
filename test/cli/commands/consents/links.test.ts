/** Tests of `coffer consents`: links that request consents, and their offers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANA, BEN, offerTexts, startConsentSetup, type ConsentSetup } from '../../support/consentSetup.js'

let setup: ConsentSetup
beforeAll(async () => {
  setup = await startConsentSetup()
})
afterAll(() => setup.stop())

describe('consents links create', () => {
  it('prints only the link on stdout, and the request on stderr', async () => {
    const { code, out, err } = await setup.home.run(['consents', 'links', 'create', '--user', ANA, ...offerTexts, '--permission', 'diary:read'])
    expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/[^@\s]+@[^\s]+\/\n$/)])
    expect(err).toContain('read diary')
    expect(err).not.toContain(out.trim())
  })

  it('accepts every field of an offer', async () => {
    const more = ['--allow-user-choice', '--mandatory', 'steps', '--opt-in', 'sleep', '--open', '--expires', 'never']
    const rest = ['--from', 'Dr A', '--scope', 'study:s1', '--access-type', 'app', '--no-chat', '--no-self-revoke']
    const permissions = ['diary:read', 'steps:contribute', 'sleep:read'].flatMap((each) => ['--permission', each])
    const { content } = await setup.invite(...permissions, ...more, ...rest)
    expect(content).toMatchObject({
      status: 'pending',
      capability: { mode: 'open-link' },
      capabilityExpiresAt: null,
      requesterMeta: { displayName: 'Dr A', appId: 'study' },
      request: {
        title: { en: 'Study', fr: 'Étude' },
        permissions: [
          { streamId: 'diary', level: 'read' },
          { streamId: 'steps', level: 'contribute', mandatory: true },
          { streamId: 'sleep', level: 'read', optIn: true },
          { feature: 'selfRevoke', setting: 'forbidden' },
        ],
        expiresAt: null,
        allowUserChoice: true,
        accessType: 'app',
        features: { chat: false, systemMessaging: true },
      },
    })
  })

  it.each([
    [['--mandatory', 'diary'], 'require --allow-user-choice'],
    [['--allow-user-choice', '--mandatory', 'x'], '"x" is not requested'],
    [['--allow-user-choice', '--mandatory', 'diary', '--opt-in', 'diary'], 'mandatory and opt-in'],
    [['--scope', 'My Study'], '--scope takes'],
    [['--title', 'again'], 'twice'],
    [['--expires', '1970-01-02'], '--expires'],
  ])('refuses %j', async (more, why) => {
    const { code, out, err } = await setup.home.run(['consents', 'links', 'create', '--user', ANA, ...offerTexts, '--permission', 'diary:read', ...more])
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(why)])
  })

  it('creates links that are listed without their tokens', async () => {
    const { link, id } = await setup.invite('--title', 'it=Elenco')
    const { code, out } = await setup.home.run(`consents links list --user ${ANA}`)
    expect([code, out]).toEqual([0, expect.stringContaining(id)])
    const token = /\/\/([^@]+)@/.exec(link)?.[1] ?? ''
    expect(out + JSON.stringify(await setup.home.json(`consents links list --user ${ANA}`))).not.toContain(token)
    expect((await setup.home.run(`consents show ${id} --user ${ANA}`)).out).not.toContain(token)
  })
})

describe('consents accept', () => {
  it('requires a confirmation, and grants nothing after a no', async () => {
    const { link } = await setup.invite()
    const { code, err } = await setup.home.run(['consents', 'accept', link, '--user', BEN])
    expect([code, err]).toEqual([2, expect.stringContaining('--yes')])
    const asked = await setup.home.run(['consents', 'accept', link, '--user', BEN], { tty: true, stdin: 'n\n' })
    expect([asked.code, asked.err]).toEqual([130, expect.stringContaining(`Accept this request for ${BEN}?`)])
    expect(await setup.list(BEN)).toEqual([])
  })

  it('explains why a link is invalid or unknown, as refuse does', async () => {
    const { link } = await setup.invite()
    const unknown = link.replace(/\/\/[^@]+@/, '//cunknowntoken@')
    for (const verb of ['accept', 'refuse']) {
      const run = (...more: string[]) => setup.home.run(['consents', verb, ...more, '--user', BEN, ...(verb === 'accept' ? ['--yes'] : [])])
      expect(await run('https://example.org/')).toMatchObject({ code: 2, err: expect.stringContaining('not a link') })
      const { code, err } = await run(unknown)
      expect([code, err]).toEqual([5, expect.stringContaining('cmc-capability-invalid')])
      expect(err).not.toContain('cunknowntoken')
    }
  })
})

describe('consents links invalidate', () => {
  it('invalidates an open link, with a reason', async () => {
    const { link, id } = await setup.invite('--open')
    const { code, err } = await setup.home.run(['consents', 'links', 'invalidate', id, '--user', ANA, '--reason', 'full'])
    expect([code, err]).toEqual([0, expect.stringContaining('✔')])
    expect(await setup.show(id, ANA)).toMatchObject({ consent: { status: 'invalidated' }, joined: [], reason: { en: 'full' } })
    expect((await setup.home.run(`consents show ${id} --user ${ANA}`)).out).toMatch(/Status +invalidated, \d{4}-[^]*Reason +full/)
    expect(link).not.toBe('')
  })

  it('revokes a link for one account', async () => {
    const { id } = await setup.invite()
    const { code, err } = await setup.home.run(['consents', 'links', 'invalidate', id, '--user', ANA, '--reason', 'mistake'])
    expect([code, err]).toEqual([0, expect.stringContaining('Link invalidated')])
    expect(await setup.show(id, ANA)).toMatchObject({ consent: { status: 'revoked' }, reason: { en: 'mistake' } })
    expect((await setup.home.run(['consents', 'links', 'invalidate', id, '--user', ANA])).code).toBe(0)
  })
})

describe('consents revoke', () => {
  it('withdraws an unused link for one account', async () => {
    const { id } = await setup.invite()
    const { code, err } = await setup.home.run(['consents', 'revoke', id, '--user', ANA, '--yes'])
    expect([code, err]).toEqual([0, expect.stringContaining('Link withdrawn')])
    expect(await setup.show(id, ANA)).toMatchObject({ consent: { status: 'revoked' } })
    expect((await setup.home.run(`consents show ${id} --user ${ANA}`)).out).toMatch(/Status +revoked, \d{4}-/)
    expect((await setup.home.run(['consents', 'revoke', id, '--user', ANA, '--yes'])).code).toBe(6)
  })
})

describe('consents list and show', () => {
  it('describe the request', async () => {
    const { id } = await setup.invite('--allow-user-choice', '--mandatory', 'diary')
    expect(await setup.list(ANA, '--kind', 'given')).toEqual([])
    expect((await setup.list(ANA, '--kind', 'invite')).map((each) => each['id'])).toContain(id)
    const { out } = await setup.home.run(`consents show ${id} --user ${ANA} --language fr`)
    for (const text of ['link for one account', 'pending', 'read diary (required)', 'Agreement C', 'Expires']) expect(out).toContain(text)
  })

  it('are suggested for an unknown id', async () => {
    for (const line of [`show x --user ${ANA}`, `revoke x --yes --user ${ANA}`, `chat x --user ${ANA}`, `links invalidate x --user ${ANA}`]) {
      expect(await setup.home.run(`consents ${line}`)).toMatchObject({ code: 5, err: expect.stringContaining('coffer consents list') })
    }
  })

  it('show open links, for which chat and revoke exit 6 before an account accepts', async () => {
    const { id } = await setup.invite('--open')
    for (const line of [`chat ${id} hello`, `revoke ${id} --yes`]) expect((await setup.home.run(`consents ${line} --user ${ANA}`)).code).toBe(6)
  })
})
