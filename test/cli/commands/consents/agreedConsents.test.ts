/** Tests of `coffer consents`: two accounts of one node agree, chat and end their consents. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANA, BEN, pollUntil, startConsentSetup, type ConsentSetup, type Json } from '../../support/consentSetup.js'

let setup: ConsentSetup
beforeAll(async () => {
  setup = await startConsentSetup()
})
afterAll(() => setup.stop())

describe('consents accept', () => {
  it('shows the offer, grants the requested permissions, and waits for completion', async () => {
    const { link, id: invite } = await setup.invite('--title', 'it=Uno')
    const { code, out, err } = await setup.home.run(['consents', 'accept', '-', '--user', BEN, '--yes', '--name', 'My study'], { stdin: `${link}\n` })
    expect([code, out]).toEqual([0, ''])
    for (const text of ['Study', `requested by ${ANA}@`, 'read diary', '✔']) expect(err).toContain(text)
    const [given] = await setup.list(BEN)
    expect(given).toMatchObject({ kind: 'given', status: 'active', title: 'Study', counterparty: { username: ANA } })
    const about = await setup.show(String(given?.['id']), BEN)
    expect(about).toMatchObject({ permissions: expect.arrayContaining([{ streamId: 'diary', level: 'read' }]), messages: 0 })
    const [got] = await pollUntil(() => setup.list(ANA, '--kind', 'received'), (list) => list.length > 0)
    expect(got).toMatchObject({ status: 'active', title: 'Study', counterparty: { username: BEN } })
    const asked = await setup.showWithStatus(invite, ANA, 'accepted')
    expect(asked).toMatchObject({ consent: { kind: 'invite', status: 'accepted', counterparty: { username: BEN } } })
    expect((await setup.home.run(`consents show ${invite} --user ${ANA}`)).out).toContain('accepted, ')
  })

  it('grants only the chosen permissions', async () => {
    const permissions = ['diary:read', 'steps:read', 'sleep:read'].flatMap((each) => ['--permission', each])
    const { link } = await setup.invite('--allow-user-choice', '--mandatory', 'steps', '--opt-in', 'sleep', ...permissions)
    expect(await setup.accept(link, '--without', 'steps')).toMatchObject({ code: 2, err: expect.stringContaining('requires it') })
    const { id } = await setup.acceptSuccessfully(link, '--without', 'diary', '--also', 'sleep')
    const { permissions: granted } = await setup.show(id, BEN)
    expect((granted as Json[]).filter(({ streamId }) => !String(streamId).startsWith(':'))).toEqual([
      { streamId: 'steps', level: 'read' },
      { streamId: 'sleep', level: 'read' },
    ])
  })

  it('reports a used link', async () => {
    const { link, id } = await setup.invite()
    await setup.acceptSuccessfully(link)
    await setup.showWithStatus(id, ANA, 'accepted')
    expect(await setup.accept(link)).toMatchObject({ code: 6, err: expect.stringContaining('cmc-capability-consumed') })
    const failed = (await setup.list(BEN)).find(({ status }) => status === 'failed')
    expect((await setup.home.run(`consents show ${String(failed?.['id'])} --user ${BEN}`)).out).toContain('has already been used')
  })
})

describe('consents refuse', () => {
  it('sends the reason to the other account', async () => {
    const { link, id } = await setup.invite()
    const { code, err } = await setup.home.run(['consents', 'refuse', link, '--user', BEN, '--reason', 'too much'])
    expect([code, err]).toEqual([0, expect.stringContaining('Refused the request of')])
    const about = await setup.showWithStatus(id, ANA, 'refused')
    expect(about).toMatchObject({ consent: { status: 'refused', counterparty: { username: BEN } }, reason: { en: 'too much' } })
  })
})

describe('consents chat', () => {
  it('sends messages to the other account and prints those of both', async () => {
    const { link } = await setup.invite('--title', 'es=Charla', '--scope', 'chat:one')
    const { id } = await setup.acceptSuccessfully(link)
    const write = (words: string[], stdin?: string) => setup.home.run(['consents', 'chat', id, ...words, '--user', BEN], stdin === undefined ? {} : { stdin })
    const sent = await pollUntil(() => write(['hello']), ({ code }) => code === 0)
    expect([sent.code, sent.err]).toEqual([0, expect.stringContaining(`Sent to ${ANA}@`)])
    expect((await write(['-'], 'from a file\n')).code).toBe(0)
    const theirs = (await setup.list(ANA, '--kind', 'received')).find(({ scopeStreamId }) => scopeStreamId === ':_cmc:apps:chat:one')
    const { out } = await setup.home.run(['consents', 'chat', String(theirs?.['id']), '--user', ANA])
    // Usernames are printed with their host.
    const named = `${BEN}@${(theirs?.['counterparty'] as { host: string }).host}`
    expect(out.split('\n').map((line) => line.split('\t').slice(1))).toEqual([[named, 'hello'], [named, 'from a file'], []])
    expect((await setup.home.json(['consents', 'chat', String(theirs?.['id']), 'and back', '--user', ANA]))['event']).toMatchObject({ content: { status: 'completed' } })
    expect((await setup.home.run(['consents', 'chat', id, '--user', BEN, '--last', '1'])).out).toMatch(new RegExp(`${ANA}@[^\\t]+\\tand back`))
    expect((await setup.show(id, BEN))['messages']).toBe(3)
  })

  it('is refused for a consent without chat', async () => {
    const { link } = await setup.invite()
    const { id } = await setup.acceptSuccessfully(link, '--no-chat')
    expect(await setup.home.run(['consents', 'chat', id, 'hello', '--user', BEN])).toMatchObject({ code: 4, err: expect.stringContaining('cmc-chat-disabled') })
  })
})

describe('consents revoke', () => {
  it('ends a given consent for both accounts', async () => {
    const { link, id: invite } = await setup.invite()
    const { id } = await setup.acceptSuccessfully(link)
    await setup.showWithStatus(invite, ANA, 'accepted')
    expect((await setup.home.run(['consents', 'revoke', id, '--user', BEN])).code).toBe(2)
    const { code, err } = await setup.home.run(['consents', 'revoke', id, '--user', BEN, '--yes', '--reason', 'enough'])
    expect([code, err]).toEqual([0, expect.stringContaining('✔')])
    expect((await setup.show(id, BEN))['consent']).toMatchObject({ status: 'ended' })
    await setup.showWithStatus(invite, ANA, 'revoked')
    expect((await setup.show(invite, ANA))['consent']).toMatchObject({ status: 'revoked' })
    expect((await setup.home.run(['consents', 'revoke', id, '--user', BEN, '--yes'])).code).toBe(6)
  })

  it('by the requester, with the id of the invite, ends the consent too', async () => {
    const { link, id: invite } = await setup.invite()
    const { id } = await setup.acceptSuccessfully(link)
    await setup.showWithStatus(invite, ANA, 'accepted')
    expect((await setup.home.run(['consents', 'revoke', invite, '--user', ANA, '--yes'])).code).toBe(0)
    const mine = await setup.showWithStatus(id, BEN, 'ended')
    expect(mine).toMatchObject({ consent: { status: 'ended' }, withdrawal: { by: 'peer-revoke' } })
  })
})

describe('consents links invalidate', () => {
  it('closes an open link, and keeps the consents given by it', async () => {
    const { link, id } = await setup.invite('--open', '--title', 'de=Offen')
    const { id: given } = await setup.acceptSuccessfully(link)
    const joined = await pollUntil(() => setup.show(id, ANA), (about) => (about['joined'] as Json[]).length === 1)
    expect(joined).toMatchObject({ joined: [{ username: BEN }] })
    expect((await setup.accept(link)).code).toBe(6)
    expect((await setup.home.run(['consents', 'links', 'invalidate', id, '--user', ANA, '--reason', 'full'])).code).toBe(0)
    expect((await setup.show(id, ANA))['consent']).toMatchObject({ status: 'invalidated' })
    expect((await setup.show(given, BEN))['consent']).toMatchObject({ status: 'active' })
  })
})
