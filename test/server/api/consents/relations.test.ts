import { describe, expect, it } from 'vitest'
import { accountText, consentNamed, consentsOf, joinedBy, wordsIn } from '../../../../src/server/api/consents/relations.js'
import type { Traces } from '../../../../src/server/api/consents/relations.js'

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
  const statuses: [subject: string, given: Partial<Traces>, status: string][] = [
    ['of a new invite', { apps: [request({})] }, 'pending'],
    ['of an invite whose link expires later', { apps: [request({ capabilityExpiresAt: NOW + 1 })] }, 'pending'],
    ['of an invite whose link has expired', { apps: [request({ capabilityExpiresAt: NOW })] }, 'expired'],
    ['of an accepted invite whose link has expired', { apps: [request({ capabilityExpiresAt: NOW, status: 'accepted' })] }, 'accepted'],
    ['of an invite without a status', { apps: [request({ status: undefined })] }, ''],
    ['of an accept being delivered', { apps: [accept({ status: 'delivered' })] }, 'delivered'],
    ['of a failed accept', { apps: [accept({ status: 'failed' })] }, 'failed'],
    ['of a given consent with its access', { apps: [accept({})], accesses: [access('g1:3', {})] }, 'active'],
    ['of a given consent without its access', { apps: [accept({})], accesses: [access('g2', {})] }, 'ended'],
    ['of a given consent whose access has expired', { apps: [accept({})], accesses: [access('g1', {}, { expires: NOW })] }, 'ended'],
    ['of a withdrawn given consent', { apps: [accept({ withdrawal: { at: 5 } })], accesses: [access('g1', {})] }, 'ended'],
    ['of a received consent with its access', { inbox: [arrived({})], accesses: [access('h1', {})] }, 'active'],
    ['of a received consent without its access', { inbox: [arrived({})] }, 'ended'],
  ]
  it.each(statuses)('have a status: %s', (_subject, given, status) => expect(all(given).map((consent) => consent.status)).toEqual([status]))

  it.each([
    [{ offerTitle: { en: 'Study', fr: 'Étude' } }, 'Study'],
    [{ offerTitle: { fr: 'Étude' } }, 'Étude'],
    [{ offerTitle: 'Study' }, 'Mine'],
    [{}, 'Mine'],
  ])('are titled by the offer, else by the name of the access: %j', (content, title) => expect(all({ apps: [accept(content)] })[0]?.title).toBe(title))

  it('state the other account, the scope and the access', () => {
    const accesses = [access('g1', { scopeStreamId: SCOPE, counterparty: ana }), access('h1', { capabilityId: 'cap1', counterparty: ben })]
    expect(all({ apps: [request({ capability: { mode: 'open-link' } }), accept({})], inbox: [arrived({})], accesses })).toEqual([
      { kind: 'received', id: 'i1', status: 'active', title: 'Study', time: 3, counterparty: ben, scopeStreamId: SCOPE, accessId: 'h1' },
      { kind: 'given', id: 'a1', status: 'active', title: 'cmc', time: 2, counterparty: ana, scopeStreamId: SCOPE, accessId: 'g1' },
      { kind: 'invite', id: 'r1', status: 'pending', title: 'Study', time: 1, scopeStreamId: SCOPE, capabilityId: 'cap1', mode: 'open-link', joined: 1 },
    ])
  })

  it('mark the account that refused as unverified', () => {
    const [refused] = all({ apps: [request({ status: 'refused', refusedBy: ben })] })
    expect(refused?.counterparty).toEqual({ ...ben, unverified: true })
    expect([accountText(refused?.counterparty), accountText(ben)]).toEqual(['ben@b.example (unverified)', 'ben@b.example'])
    expect(all({ apps: [request({ status: 'accepted', acceptedBy: ben })] })[0]?.counterparty).toEqual(ben)
  })

  it('list only the latest of each relationship', () => {
    const inbox = [arrived({}, { id: 'i2', time: 9 }), arrived({}), arrived({ backChannelAccessId: 'h2' }, { id: 'i3' })]
    expect(all({ inbox }).map(({ id }) => id)).toEqual(['i2', 'i3'])
  })

  it('contain no tokens of events or accesses', () => {
    const secret = 'https://secret@b.example/ben/'
    const apps = [request({ capabilityUrl: secret }), accept({ acceptedBy: { apiEndpoint: secret }, capabilityUrl: secret })]
    const accesses = [access('g1', { counterparty: { ...ana, apiEndpoint: secret } }, { apiEndpoint: secret, token: 'secret' })]
    expect(JSON.stringify(all({ apps, inbox: [arrived({ grantedAccess: { apiEndpoint: secret } })], accesses }))).not.toContain('secret')
    const [invite] = consentsOf({ apps, inbox: [], accesses }, NOW).slice(-1)
    expect(invite && JSON.stringify(joinedBy(invite, accesses))).not.toContain('secret')
  })

  it('are found by the id of their event, access or link', () => {
    const found = consentsOf({ apps: [request({}), accept({})], inbox: [arrived({})], accesses: [] }, NOW)
    const idOf = (word: string): string | undefined => consentNamed(found, word)?.consent.id
    expect(['r1', 'a1', 'g1', 'g1:2', 'h1', 'cap1', 'x', ''].map(idOf)).toEqual(['r1', 'a1', 'a1', 'a1', 'i1', 'r1', undefined, undefined])
  })

  it('are listed without an error when events of others are malformed', () => {
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
])('selects from %j for the language %s the text %j', (texts, language, text) => expect(wordsIn(texts, language)).toBe(text))
