/** `coffer consents`: two accounts of one node agree, write to each other, and part. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANA, BEN, seen, startConsenting, type Consenting, type Json } from '../../support/consenting.js'

let both: Consenting
beforeAll(async () => {
  both = await startConsenting()
})
afterAll(() => both.stop())

describe('consents accept', () => {
  it('shows the offer, gives what is asked for, and waits until it is done', async () => {
    const { link, id: invite } = await both.ask('--title', 'it=Uno')
    const { code, out, err } = await both.home.run(['consents', 'accept', '-', '--user', BEN, '--yes', '--name', 'My study'], { stdin: `${link}\n` })
    expect([code, out]).toEqual([0, ''])
    for (const text of ['Study', `requested by ${ANA}@`, 'read diary', '✔']) expect(err).toContain(text)
    const [given] = await both.list(BEN)
    expect(given).toMatchObject({ kind: 'given', status: 'active', title: 'Study', counterparty: { username: ANA } })
    const about = await both.show(String(given?.['id']), BEN)
    expect(about).toMatchObject({ permissions: expect.arrayContaining([{ streamId: 'diary', level: 'read' }]), messages: 0 })
    const [got] = await seen(() => both.list(ANA, '--kind', 'received'), (list) => list.length > 0)
    expect(got).toMatchObject({ status: 'active', title: 'Study', counterparty: { username: BEN } })
    const asked = await both.showOnce(invite, ANA, 'accepted')
    expect(asked).toMatchObject({ consent: { kind: 'invite', status: 'accepted', counterparty: { username: BEN } } })
    expect((await both.home.run(`consents show ${invite} --user ${ANA}`)).out).toContain('accepted, ')
  })

  it('gives no more than is chosen', async () => {
    const permissions = ['diary:read', 'steps:read', 'sleep:read'].flatMap((each) => ['--permission', each])
    const { link } = await both.ask('--allow-user-choice', '--mandatory', 'steps', '--opt-in', 'sleep', ...permissions)
    expect(await both.accept(link, '--without', 'steps')).toMatchObject({ code: 2, err: expect.stringContaining('requires it') })
    const { id } = await both.agree(link, '--without', 'diary', '--also', 'sleep')
    const { permissions: granted } = await both.show(id, BEN)
    expect((granted as Json[]).filter(({ streamId }) => !String(streamId).startsWith(':'))).toEqual([
      { streamId: 'steps', level: 'read' },
      { streamId: 'sleep', level: 'read' },
    ])
  })

  it('by a link that was used says so', async () => {
    const { link, id } = await both.ask()
    await both.agree(link)
    await both.showOnce(id, ANA, 'accepted')
    expect(await both.accept(link)).toMatchObject({ code: 6, err: expect.stringContaining('cmc-capability-consumed') })
    const failed = (await both.list(BEN)).find(({ status }) => status === 'failed')
    expect((await both.home.run(`consents show ${String(failed?.['id'])} --user ${BEN}`)).out).toContain('has been used')
  })
})

describe('consents refuse', () => {
  it('tells the other account why', async () => {
    const { link, id } = await both.ask()
    const { code, err } = await both.home.run(['consents', 'refuse', link, '--user', BEN, '--reason', 'too much'])
    expect([code, err]).toEqual([0, expect.stringContaining('Refused the request of')])
    const about = await both.showOnce(id, ANA, 'refused')
    expect(about).toMatchObject({ consent: { status: 'refused', counterparty: { username: BEN } }, reason: { en: 'too much' } })
  })
})

describe('consents chat', () => {
  it('writes to the other account and reads what both wrote', async () => {
    const { link } = await both.ask('--title', 'es=Charla', '--scope', 'chat:one')
    const { id } = await both.agree(link)
        const write = (words: string[], stdin?: string) => both.home.run(['consents', 'chat', id, ...words, '--user', BEN], stdin === undefined ? {} : { stdin })
    const sent = await seen(() => write(['hello']), ({ code }) => code === 0)
    expect([sent.code, sent.err]).toEqual([0, expect.stringContaining(`Sent to ${ANA}@`)])
    expect((await write(['-'], 'from a file\n')).code).toBe(0)
    const theirs = (await both.list(ANA, '--kind', 'received')).find(({ scopeStreamId }) => scopeStreamId === ':_cmc:apps:chat:one')
    const { out } = await both.home.run(['consents', 'chat', String(theirs?.['id']), '--user', ANA])
    // A name stands with its host.
    const named = `${BEN}@${(theirs?.['counterparty'] as { host: string }).host}`
    expect(out.split('\n').map((line) => line.split('\t').slice(1))).toEqual([[named, 'hello'], [named, 'from a file'], []])
    expect((await both.home.json(['consents', 'chat', String(theirs?.['id']), 'and back', '--user', ANA]))['event']).toMatchObject({ content: { status: 'completed' } })
    expect((await both.home.run(['consents', 'chat', id, '--user', BEN, '--last', '1'])).out).toMatch(new RegExp(`${ANA}@[^\\t]+\\tand back`))
    expect((await both.show(id, BEN))['messages']).toBe(3)
  })

  it('that was not agreed to is refused', async () => {
    const { link } = await both.ask()
    const { id } = await both.agree(link, '--no-chat')
    expect(await both.home.run(['consents', 'chat', id, 'hello', '--user', BEN])).toMatchObject({ code: 4, err: expect.stringContaining('cmc-chat-disabled') })
  })
})

describe('consents revoke', () => {
  it('ends what was given, and the other account knows', async () => {
    const { link, id: invite } = await both.ask()
    const { id } = await both.agree(link)
    await both.showOnce(invite, ANA, 'accepted')
    expect((await both.home.run(['consents', 'revoke', id, '--user', BEN])).code).toBe(2)
    const { code, err } = await both.home.run(['consents', 'revoke', id, '--user', BEN, '--yes', '--reason', 'enough'])
    expect([code, err]).toEqual([0, expect.stringContaining('✔')])
    expect((await both.show(id, BEN))['consent']).toMatchObject({ status: 'ended' })
    await both.showOnce(invite, ANA, 'revoked')
    expect((await both.show(invite, ANA))['consent']).toMatchObject({ status: 'revoked' })
    expect((await both.home.run(['consents', 'revoke', id, '--user', BEN, '--yes'])).code).toBe(6)
  })

  it('by who asked ends it too, named by the invite', async () => {
    const { link, id: invite } = await both.ask()
    const { id } = await both.agree(link)
    await both.showOnce(invite, ANA, 'accepted')
    expect((await both.home.run(['consents', 'revoke', invite, '--user', ANA, '--yes'])).code).toBe(0)
    const mine = await both.showOnce(id, BEN, 'ended')
    expect(mine).toMatchObject({ consent: { status: 'ended' }, withdrawal: { by: 'peer-revoke' } })
  })
})

describe('consents links invalidate', () => {
  it('closes an open link; who joined stays', async () => {
    const { link, id } = await both.ask('--open', '--title', 'de=Offen')
    const { id: given } = await both.agree(link)
    const joined = await seen(() => both.show(id, ANA), (about) => (about['joined'] as Json[]).length === 1)
    expect(joined).toMatchObject({ joined: [{ username: BEN }] })
    expect((await both.accept(link)).code).toBe(6)
    expect((await both.home.run(['consents', 'links', 'invalidate', id, '--user', ANA, '--reason', 'full'])).code).toBe(0)
    expect((await both.show(id, ANA))['consent']).toMatchObject({ status: 'invalidated' })
    expect((await both.show(given, BEN))['consent']).toMatchObject({ status: 'active' })
  })
})
