import { describe, expect, it } from 'vitest'
import { accountText, consentNamed, consentsOf, joinedBy, wordsIn } from '../../../../src/cli/commands/consents/shared/relations.js'
import type { Traces } from '../../../../src/cli/commands/consents/shared/relations.js'

const NOW = 1000
const SCOPE = ':_cmc:apps:study:s1'
const ben = { username: 'ben', host: 'b.example' }
const ana = { username: 'ana', host: 'a.example' }
const request = (content: object, id = 'r1') => ({
  id,
  type: 'consent/request-cmc',
  time: 1,
  streamIds: [SCOPE],
  content: { capabilityId: 'cap1', request: { title: { en: 'Study' } }, status: 'pending', ...content },
})
const accept = (content: object, more: object = {}) => ({
  id: 'a1',
  type: 'consent/accept-cmc',
  time: 2,
  streamIds: [':_cmc:apps:study'],
  content: { status: 'completed', dataGrantAccessId: 'g1', from: ana, accessName: 'Mine', ...content },
  ...more,
})
const arrived = (content: object, more: object = {}) => ({
  id: 'i1',
  type: 'consent/accept-cmc',
  time: 3,
  streamIds: [':_cmc:inbox'],
  content: { from: ben, backChannelAccessId: 'h1', inviteEventId: 'r1', requesterOriginStreamId: SCOPE, ...content },
  ...more,
})
const access = (id: string, cmc: object, more: object = {}) => ({ id, name: 'cmc', clientData: { cmc: { role: 'counterparty', ...cmc } }, ...more })

const all = (given: Partial<Traces>) => consentsOf({ apps: [], inbox: [], accesses: [], ...given }, NOW).map(({ consent }) => consent)

describe('consents of an account', () => {
  const statuses: [what: string, given: Partial<Traces>, status: string][] = [
    ['an invite waits', { apps: [request({})] }, 'pending'],
    ['one whose link ends later waits', { apps: [request({ capabilityExpiresAt: NOW + 1 })] }, 'pending'],
    ['one whose link has ended is over', { apps: [request({ capabilityExpiresAt: NOW })] }, 'expired'],
    ['one that was accepted stays so', { apps: [request({ capabilityExpiresAt: NOW, status: 'accepted' })] }, 'accepted'],
    ['one that is a record alone has no status', { apps: [request({ status: undefined })] }, ''],
    ['what is on its way says so', { apps: [accept({ status: 'delivered' })] }, 'delivered'],
    ['what failed says so', { apps: [accept({ status: 'failed' })] }, 'failed'],
    ['what was given stands while its access does', { apps: [accept({})], accesses: [access('g1:3', {})] }, 'active'],
    ['has ended with its access', { apps: [accept({})], accesses: [access('g2', {})] }, 'ended'],
    ['has ended when its access has expired', { apps: [accept({})], accesses: [access('g1', {}, { expires: NOW })] }, 'ended'],
    ['has ended when it was withdrawn', { apps: [accept({ withdrawal: { at: 5 } })], accesses: [access('g1', {})] }, 'ended'],
    ['what was received stands while its access does', { inbox: [arrived({})], accesses: [access('h1', {})] }, 'active'],
    ['has ended with it', { inbox: [arrived({})] }, 'ended'],
  ]
  it.each(statuses)('%s', (_what, given, status) => expect(all(given).map((consent) => consent.status)).toEqual([status]))

  it.each([
    [{ offerTitle: { en: 'Study', fr: 'Étude' } }, 'Study'],
    [{ offerTitle: { fr: 'Étude' } }, 'Étude'],
    [{ offerTitle: 'Study' }, 'Mine'],
    [{}, 'Mine'],
  ])('are called as the offer was: %j', (content, title) => expect(all({ apps: [accept(content)] })[0]?.title).toBe(title))

  it('name the other account, the scope and the access', () => {
    const accesses = [access('g1', { scopeStreamId: SCOPE, counterparty: ana }), access('h1', { capabilityId: 'cap1', counterparty: ben })]
    expect(all({ apps: [request({ capability: { mode: 'open-link' } }), accept({})], inbox: [arrived({})], accesses })).toEqual([
      { kind: 'received', id: 'i1', status: 'active', title: 'Study', time: 3, counterparty: ben, scopeStreamId: SCOPE, accessId: 'h1' },
      { kind: 'given', id: 'a1', status: 'active', title: 'cmc', time: 2, counterparty: ana, scopeStreamId: SCOPE, accessId: 'g1' },
      { kind: 'invite', id: 'r1', status: 'pending', title: 'Study', time: 1, scopeStreamId: SCOPE, capabilityId: 'cap1', mode: 'open-link', joined: 1 },
    ])
  })

  it('mark the name of who refused, which nothing proves', () => {
    const [refused] = all({ apps: [request({ status: 'refused', refusedBy: ben })] })
    expect(refused?.counterparty).toEqual({ ...ben, unverified: true })
    expect([accountText(refused?.counterparty), accountText(ben)]).toEqual(['ben@b.example (unverified)', 'ben@b.example'])
    expect(all({ apps: [request({ status: 'accepted', acceptedBy: ben })] })[0]?.counterparty).toEqual(ben)
  })

  it('hold one for each relationship, the latest', () => {
    const inbox = [arrived({}, { id: 'i2', time: 9 }), arrived({}), arrived({ backChannelAccessId: 'h2' }, { id: 'i3' })]
    expect(all({ inbox }).map(({ id }) => id)).toEqual(['i2', 'i3'])
  })

  it('hold no tokens, whatever events and accesses hold', () => {
    const secret = 'https://secret@b.example/ben/'
    const apps = [request({ capabilityUrl: secret }), accept({ acceptedBy: { apiEndpoint: secret }, capabilityUrl: secret })]
    const accesses = [access('g1', { counterparty: { ...ana, apiEndpoint: secret } }, { apiEndpoint: secret, token: 'secret' })]
    expect(JSON.stringify(all({ apps, inbox: [arrived({ grantedAccess: { apiEndpoint: secret } })], accesses }))).not.toContain('secret')
    const [invite] = consentsOf({ apps, inbox: [], accesses }, NOW).slice(-1)
    expect(invite && JSON.stringify(joinedBy(invite, accesses))).not.toContain('secret')
  })

  it('are named by their event, their access or their link', () => {
    const found = consentsOf({ apps: [request({}), accept({})], inbox: [arrived({})], accesses: [] }, NOW)
    const named = (word: string): string | undefined => consentNamed(found, word)?.consent.id
    expect(['r1', 'a1', 'g1', 'g1:2', 'h1', 'cap1', 'x', ''].map(named)).toEqual(['r1', 'a1', 'a1', 'a1', 'i1', 'r1', undefined, undefined])
  })

  it('survive what others wrote', () => {
    const odd = [null, 7, 'x', [], { from: 7 }, { from: { username: 1 }, request: [], capabilityId: {}, capability: null }]
    const apps = odd.flatMap((content) => [{ type: 'consent/request-cmc', content }, { type: 'consent/accept-cmc', content }])
    expect(all({ apps, inbox: apps, accesses: odd.map((cmc) => access('x', { counterparty: cmc })) }).length).toBeGreaterThan(0)
  })
})

it.each([
  [{ en: 'a', fr: 'b' }, 'fr', 'b'],
  [{ en: 'a', fr: 'b' }, 'de', 'a'],
  [{ it: 'c' }, 'de', 'c'],
  [{}, 'en', ''],
  [undefined, 'en', ''],
  [{ en: 7 }, 'en', '7'],
])('words of %j in %s are %j', (texts, language, words) => expect(wordsIn(texts, language)).toBe(words))
