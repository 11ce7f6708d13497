/** `coffer consents`: asking by links, and reading what they ask for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANA, BEN, startConsenting, words, type Consenting } from '../../support/consenting.js'

let both: Consenting
beforeAll(async () => {
  both = await startConsenting()
})
afterAll(() => both.stop())

describe('consents links create', () => {
  it('prints the link alone, and says who is asked for what on stderr', async () => {
    const { code, out, err } = await both.home.run(['consents', 'links', 'create', '--user', ANA, ...words, '--permission', 'diary:read'])
    expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/[^@\s]+@[^\s]+\/\n$/)])
    expect(err).toContain('read diary')
    expect(err).not.toContain(out.trim())
  })

  it('takes everything that an offer may say', async () => {
    const more = ['--allow-user-choice', '--mandatory', 'steps', '--opt-in', 'sleep', '--open', '--expires', 'never']
    const rest = ['--from', 'Dr A', '--scope', 'study:s1', '--access-type', 'app', '--no-chat', '--no-self-revoke']
    const permissions = ['diary:read', 'steps:contribute', 'sleep:read'].flatMap((each) => ['--permission', each])
    const { content } = await both.ask(...permissions, ...more, ...rest)
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
    const { code, out, err } = await both.home.run(['consents', 'links', 'create', '--user', ANA, ...words, '--permission', 'diary:read', ...more])
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(why)])
  })

  it('lists links without showing them', async () => {
    const { link, id } = await both.ask('--title', 'it=Elenco')
    const { code, out } = await both.home.run(`consents links list --user ${ANA}`)
    expect([code, out]).toEqual([0, expect.stringContaining(id)])
    const token = /\/\/([^@]+)@/.exec(link)?.[1] ?? ''
    expect(out + JSON.stringify(await both.home.json(`consents links list --user ${ANA}`))).not.toContain(token)
    expect((await both.home.run(`consents show ${id} --user ${ANA}`)).out).not.toContain(token)
  })
})

describe('consents accept', () => {
  it('asks before it gives, and takes a no', async () => {
    const { link } = await both.ask()
    const { code, err } = await both.home.run(['consents', 'accept', link, '--user', BEN])
    expect([code, err]).toEqual([2, expect.stringContaining('--yes')])
    const asked = await both.home.run(['consents', 'accept', link, '--user', BEN], { tty: true, stdin: 'n\n' })
    expect([asked.code, asked.err]).toEqual([130, expect.stringContaining(`Accept this request for ${BEN}?`)])
    expect(await both.list(BEN)).toEqual([])
  })

  it('says why a link is none, or leads to nothing', async () => {
    const { link } = await both.ask()
    const unknown = link.replace(/\/\/[^@]+@/, '//cunknowntoken@')
    for (const verb of ['accept', 'refuse']) {
      const run = (...more: string[]) => both.home.run(['consents', verb, ...more, '--user', BEN, ...(verb === 'accept' ? ['--yes'] : [])])
      expect(await run('https://example.org/')).toMatchObject({ code: 2, err: expect.stringContaining('not a link') })
      const { code, err } = await run(unknown)
      expect([code, err]).toEqual([5, expect.stringContaining('cmc-capability-invalid')])
      expect(err).not.toContain('cunknowntoken')
    }
  })
})

describe('consents links invalidate', () => {
  it('withdraws an open link, with a reason', async () => {
    const { link, id } = await both.ask('--open')
    const { code, err } = await both.home.run(['consents', 'links', 'invalidate', id, '--user', ANA, '--reason', 'full'])
    expect([code, err]).toEqual([0, expect.stringContaining('✔')])
    expect(await both.show(id, ANA)).toMatchObject({ consent: { status: 'invalidated' }, joined: [], reason: { en: 'full' } })
    expect((await both.home.run(`consents show ${id} --user ${ANA}`)).out).toMatch(/Status +invalidated, \d{4}-[^]*Reason +full/)
    expect(link).not.toBe('')
  })

  it('withdraws a link for one too', async () => {
    const { id } = await both.ask()
    const { code, err } = await both.home.run(['consents', 'links', 'invalidate', id, '--user', ANA, '--reason', 'mistake'])
    expect([code, err]).toEqual([0, expect.stringContaining('Link invalidated')])
    expect(await both.show(id, ANA)).toMatchObject({ consent: { status: 'revoked' }, reason: { en: 'mistake' } })
    expect((await both.home.run(['consents', 'links', 'invalidate', id, '--user', ANA])).code).toBe(0)
  })
})

describe('consents revoke', () => {
  it('withdraws a link for one that nobody has agreed by', async () => {
    const { id } = await both.ask()
    const { code, err } = await both.home.run(['consents', 'revoke', id, '--user', ANA, '--yes'])
    expect([code, err]).toEqual([0, expect.stringContaining('Link withdrawn')])
    expect(await both.show(id, ANA)).toMatchObject({ consent: { status: 'revoked' } })
    expect((await both.home.run(`consents show ${id} --user ${ANA}`)).out).toMatch(/Status +revoked, \d{4}-/)
    expect((await both.home.run(['consents', 'revoke', id, '--user', ANA, '--yes'])).code).toBe(6)
  })
})

describe('consents list and show', () => {
  it('tell what is asked for', async () => {
    const { id } = await both.ask('--allow-user-choice', '--mandatory', 'diary')
    expect(await both.list(ANA, '--kind', 'given')).toEqual([])
    expect((await both.list(ANA, '--kind', 'invite')).map((each) => each['id'])).toContain(id)
    const { out } = await both.home.run(`consents show ${id} --user ${ANA} --language fr`)
    for (const text of ['link for one account', 'pending', 'read diary (required)', 'Agreement C', 'Expires']) expect(out).toContain(text)
  })

  it('know nothing of what is not there', async () => {
    for (const line of [`show x --user ${ANA}`, `revoke x --yes --user ${ANA}`, `chat x --user ${ANA}`, `links invalidate x --user ${ANA}`]) {
      expect(await both.home.run(`consents ${line}`)).toMatchObject({ code: 5, err: expect.stringContaining('coffer consents list') })
    }
  })

  it('have nobody to write to or part from before somebody agreed', async () => {
    const { id } = await both.ask('--open')
    for (const line of [`chat ${id} hello`, `revoke ${id} --yes`]) expect((await both.home.run(`consents ${line} --user ${ANA}`)).code).toBe(6)
  })
})
