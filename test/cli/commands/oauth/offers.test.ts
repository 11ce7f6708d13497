/** Tests of `coffer oauth offers`: publishes and withdraws the consent offers of OAuth clients. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHALLENGE, REDIRECT } from '../../../support/people/oauth.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

type Json = Record<string, unknown>

const APP = 'heart-lab'
let home: TestHome
let node: TestNode
let english: string
const run = (words: string[], given?: Parameters<TestHome['run']>[1]): ReturnType<TestHome['run']> => home.run(['oauth', 'offers', ...words], given)
const json = (...words: string[]): Promise<Json> => home.json(['oauth', 'offers', ...words])
const publish = (name: string, ...more: string[]): string[] => ['publish', 'heart-app', name, '--texts', `en=${english}`, '--permission', 'heart:read', ...more]
const offerOf = async (name: string): Promise<Json> => (await json('show', 'heart-app', name))['offer'] as Json

beforeAll(async () => {
  home = await testHome(APP, 'ana-lovelace')
  node = await startTestNode({}, { home: home.home })
  english = join(home.home, 'en.txt')
  await writeFile(english, '# A study\n\nHow hearts\nbeat.\n\nI take part.\n\nUntil I say otherwise.\n')
  await home.json(['oauth', 'clients', 'create', '--client-id', 'heart-app', '--name', 'Heart Lab', '--user', APP, '--redirect-uri', REDIRECT])
})
afterAll(async () => {
  await node.stop()
  await home.remove()
})

/** Returns the response of the authorize endpoint for a scope: the offer, or the error. */
async function authorize(scope: string): Promise<Json> {
  const params = { client_id: 'heart-app', redirect_uri: REDIRECT, response_type: 'code', state: 's', code_challenge: CHALLENGE, code_challenge_method: 'S256' }
  const response = await fetch(`${node.url}oauth2/authorize?${new URLSearchParams({ ...params, scope })}`, { redirect: 'manual' })
  const query = new URL(response.headers.get('location') ?? '').searchParams
  const state = query.get('state') ?? ''
  return query.has('error') ? { error: query.get('error') } : (JSON.parse(Buffer.from(state.split('.')[0] ?? '', 'base64url').toString()) as Json)
}

describe('oauth offers list without offers', () => {
  it('suggests how to publish one', async () => {
    const { code, out, err } = await run(['list'])
    expect([code, out, err]).toEqual([0, '', expect.stringContaining('oauth offers publish')])
  })
})

describe('oauth offers publish', () => {
  it('prints only the scope on stdout, and no link', async () => {
    const { code, out, err } = await run(publish('plain'))
    expect([code, out]).toEqual([0, 'cmc:plain\n'])
    for (const text of ['A study', 'How hearts\n', 'You agree to: I take part.', 'read heart', 'oauth offers withdraw heart-app plain']) expect(err).toContain(text)
    expect(err).toMatch(/https?:\/\/•••@/)
  })

  it('publishes the given texts, permissions and choices', async () => {
    const more = ['--title', 'fr=Étude', '--description', 'fr=D', '--consent', 'fr=C', '--permission', 'diary:read', '--permission', 'steps:contribute']
    const choice = ['--allow-user-choice', '--mandatory', 'heart', '--opt-in', 'diary', '--stream-name', 'steps=My steps', '--no-secret-sharing', '--from', 'Dr A']
    const offer = (await json(...publish('study.v1', ...more, ...choice)))['offer'] as Json
    expect(offer).toMatchObject({ client_id: 'heart-app', name: 'study.v1', scope: 'cmc:study.v1', state: 'open', username: APP, mode: 'open-link', expires: null })
    const { offer: published } = await authorize('cmc:study.v1')
    expect(published).toMatchObject({
      offerName: 'study.v1',
      capabilityId: offer['capabilityId'],
      allowUserChoice: true,
      permissions: [
        { streamId: 'heart', level: 'read', mandatory: true },
        { streamId: 'diary', level: 'read', optIn: true },
        { streamId: 'steps', level: 'contribute', defaultName: 'My steps' },
        { feature: 'secretSharing', setting: 'forbidden' },
      ],
      title: { en: 'A study', fr: 'Étude' },
      description: { en: 'How hearts\nbeat.', fr: 'D' },
      consent: { en: 'I take part.\n\nUntil I say otherwise.', fr: 'C' },
      requesterMeta: { displayName: 'Dr A' },
    })
  })

  it('accepts an account and an expiry', async () => {
    const offer = (await json(...publish('anas', '--user', 'ana-lovelace', '--expires', '30d')))['offer'] as Json
    expect(offer).toMatchObject({ username: 'ana-lovelace', expires: expect.any(Number) as number })
    expect(await home.json(['consents', 'show', String(offer['eventId']), '--user', 'ana-lovelace'])).toMatchObject({ consent: { mode: 'open-link' } })
  })

  it.each<[string, string[], number, string]>([
    ['a name in use', publish('plain'), 6, 'withdraw heart-app plain'],
    ['an unknown client', ['publish', 'hart-app', 'x', '--texts', 'en=EN', '--permission', 'heart:read'], 5, 'Did you mean heart-app?'],
    ['a name that is invalid in a scope', publish('a b'), 1, 'The name of an offer'],
    ['an unknown account', publish('x', '--user', 'nobody'), 5, 'nobody'],
    ['missing texts', ['publish', 'heart-app', 'x', '--permission', 'heart:read'], 2, '--title <text> is missing'],
    ['a text without a language', ['publish', 'heart-app', 'x', '--texts', 'offer.txt', '--permission', 'heart:read'], 2, 'such as en=offer.txt'],
    ['a missing file', ['publish', 'heart-app', 'x', '--texts', 'en=/no/such', '--permission', 'heart:read'], 5, '/no/such'],
    ['a duplicate language', publish('x', '--title', 'again'), 2, 'twice'],
    ['a missing permission', ['publish', 'heart-app', 'x', '--texts', 'en=EN'], 2, '--permission'],
    ['--mandatory without --allow-user-choice', publish('x', '--mandatory', 'heart'), 2, '--allow-user-choice'],
    ['a permission that is mandatory and opt-in', publish('x', '--allow-user-choice', '--mandatory', 'heart', '--opt-in', 'heart'), 2, 'mandatory and opt-in'],
    ['a name for a stream that is not requested', publish('x', '--stream-name', 'y=Y'), 2, '"y" is not requested'],
    ['a stream without a name', publish('x', '--stream-name', 'heart'), 2, 'heart=Heart'],
    ['an expiry in the past', publish('x', '--expires', '1970-01-02'), 2, '--expires'],
  ])('refuses %s', async (_, words, exit, message) => {
    const linksOf = async (): Promise<number> => ((await home.json(['consents', 'links', 'list', '--user', APP]))['links'] as Json[]).length
    const before = await linksOf()
    const { code, out, err } = await run(words.map((word) => word.replace('en=EN', `en=${english}`).replace('en=undefined', `en=${english}`)))
    expect([code, out, err]).toEqual([exit, '', expect.stringContaining(message)])
    expect(await linksOf(), 'links without an offer').toBe(before)
  })

  it('refuses a file that lacks one of the three texts', async () => {
    const file = join(home.home, 'short.txt')
    await writeFile(file, 'A title\n\nand no more\n')
    expect(await run(['publish', 'heart-app', 'x', '--texts', `en=${file}`, '--permission', 'heart:read'])).toMatchObject({ code: 2, err: expect.stringContaining('all three') as string })
  })
})

describe('oauth offers list and show', () => {
  it('include offers that were registered by their URL', async () => {
    const url = `${node.url.replace('://', '://the-token@')}${APP}/`
    const remote = 'https://the-token@lab.example/heart-lab/'
    await home.json(['oauth', 'clients', 'create', '--client-id', 'other', '--name', 'Other', '--redirect-uri', REDIRECT, '--cmc-offer', `far=${remote}`, '--cmc-offer', `lost=${url}`])
    const { offers } = await json('list', '--client', 'other')
    expect(offers).toEqual([
      { client_id: 'other', name: 'far', scope: 'cmc:far', capabilityUrl: 'https://•••@lab.example/heart-lab/', state: 'elsewhere' },
      { client_id: 'other', name: 'lost', scope: 'cmc:lost', capabilityUrl: url.replace('the-token', '•••'), state: 'gone', username: APP },
    ])
    const shown = await run(['show', 'other', 'lost'])
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/^cmc:lost\n[^]*gone[^]*cmc-capability-invalid/) as string })
  })

  it('print states, and no token that allows to consent', async () => {
    const listed = await run(['list', '-q'])
    expect(listed.out.split('\n')).toContain('heart-app plain')
    const offer = await offerOf('plain')
    expect(offer).toMatchObject({ state: 'open', content: { request: { title: { en: 'A study' } } } })
    const { content } = (await home.json(['api', 'events.getOne', JSON.stringify({ id: offer['eventId'] }), '--user', APP]))['event'] as { content: Json }
    const token = /\/\/([^@]+)@/.exec(String(content['capabilityUrl']))?.[1] ?? ''
    expect(token).not.toBe('')
    const all = JSON.stringify(await json('list')) + JSON.stringify(offer) + (await run(['list'])).out + (await run(['show', 'heart-app', 'plain'])).out
    expect(all).not.toContain(token)
  })

  it.each<[string[], string]>([
    [['show', 'heart-app', 'plian'], 'Did you mean plain?'],
    [['show', 'haert-app', 'plain'], 'Did you mean heart-app?'],
    [['list', '--client', 'nobody-at-all'], 'Unknown OAuth client "nobody-at-all"'],
    [['withdraw', 'heart-app', 'none-of-these', '--yes'], 'has no offer'],
  ])('%j exits 5 with a suggestion or the unknown name', async (words, message) => {
    expect(await run(words)).toMatchObject({ code: 5, out: '', err: expect.stringContaining(message) as string })
  })
})

describe('oauth offers withdraw', () => {
  it('requires a confirmation', async () => {
    expect(await run(['withdraw', 'heart-app', 'plain'])).toMatchObject({ code: 2, err: expect.stringContaining('--yes is missing') as string })
    expect((await run(['withdraw', 'heart-app', 'plain'], { tty: true, stdin: 'n\n' })).code).toBe(130)
    expect(await offerOf('plain')).toMatchObject({ state: 'open' })
  })

  it('invalidates the link and removes the scope from the client', async () => {
    const { eventId } = await offerOf('plain')
    const answer = await json('withdraw', 'heart-app', 'plain', '--reason', 'full', '--yes')
    expect(answer).toMatchObject({ offerDeletion: { client_id: 'heart-app', name: 'plain' }, event: { content: { status: 'completed', reason: { en: 'full' } } } })
    expect(await home.json(['consents', 'show', String(eventId), '--user', APP])).toMatchObject({ consent: { status: 'invalidated' } })
    expect(await authorize('cmc:plain')).toEqual({ error: 'invalid_scope' })
    expect(await authorize('cmc:study.v1')).toHaveProperty('offer')
    expect((await run(['withdraw', 'heart-app', 'plain', '--yes'])).code).toBe(5)
  })

  it('removes the scope also when the link is gone or on another node', async () => {
    for (const [name, message] of [['lost', ''], ['far', 'on another node']] as const) {
      expect(await run(['withdraw', 'other', name, '--yes'])).toMatchObject({ code: 0, err: expect.stringContaining(message) as string })
    }
    expect((await json('list', '--client', 'other'))['offers']).toEqual([])
  })

  it('succeeds when the event of the offer was deleted', async () => {
    const { offer } = (await json(...publish('eventless'))) as { offer: Json }
    for (let time = 0; time < 2; time++) await home.json(['api', 'events.delete', JSON.stringify({ id: offer['eventId'] }), '--user', APP])
    expect(await json('withdraw', 'heart-app', 'eventless', '--yes')).toMatchObject({ event: { content: { status: 'completed' } } })
  })
})
