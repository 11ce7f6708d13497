/** Texts of access requests: complete in every language, and safe with hostile texts of apps. */
import { describe, expect, it } from 'vitest'
import type { Level } from '../../../../src/store/model/access.js'
import { allContactRights } from '../../../../src/server/api/accessRequests/inviteWords.js'
import { consentText, grantProblemText, permissionText, spanText } from '../../../../src/server/api/accessRequests/consentWords.js'
import type { Offer } from '../../../../src/server/api/accessRequests/offer.js'
import type { OfferEntry } from '../../../../src/server/api/accessRequests/offerEntry.js'
import { languages } from '../../../../src/server/base/words.js'

const entryOn = (streamId: string, level: Level, more: Partial<OfferEntry> = {}): OfferEntry => ({
  id: streamId,
  permission: { streamId, level },
  asked: { streamId, level },
  ...(streamId === '*' ? {} : { stream: { name: 'Heart', state: 'there' } }),
  isRequired: false,
  isTicked: true,
  isLocked: true,
  ...more,
})
const offer: Offer = { key: 'k', username: 'ana', app: { id: 'heart-watch' }, allowsChoice: false, entries: [], invites: [], obstacles: [] }
const full: Offer = {
  ...offer,
  app: { id: 'heart-watch', entry: { id: 'heart-watch', displayName: { en: 'Heart Watch' }, description: 'Watches.' } },
  message: 'please',
  allowsChoice: true,
  entries: [
    ...(['read', 'create-only', 'contribute', 'manage'] as const).map((level) => entryOn(`s-${level}`, level)),
    entryOn('*', 'read'),
    entryOn('new', 'read', { stream: { name: 'New', state: 'new' }, isRequired: true }),
    entryOn('old', 'read', { stream: { name: 'Old', state: 'trashed' }, isTicked: false, isLocked: false }),
    { ...entryOn('tag', 'read'), permission: { tag: 'holiday', level: 'read' } },
    ...(['selfRevoke', 'selfAudit', 'secretSharing', 'webhooks', 'unheard-of'] as const).map((feature) => ({
      ...entryOn(feature, 'read'),
      permission: { feature, setting: 'forbidden' as const },
    })),
    { ...entryOn('forced', 'read'), permission: { feature: 'forcedStreams', setting: 'allowed', streams: ['a', 'b'] } },
  ],
  deviceName: 'phone',
  expireAfter: 86_400 * 30,
  replaces: { accessId: 'a', shares: 2 },
  nameConflict: 'Heart',
  obstacles: [
    { kind: 'managed-account', reasonId: 'x' },
    { kind: 'mandatory-invite', reasonId: 'x' },
    { kind: 'impossible', reasonId: 'x', detail: 'no such stream' },
  ],
}

describe('texts about the rights of the other account of a consent', () => {
  const channel = (kind: string): string => `:_cmc:apps:study:s1:${kind}:dr-weber--example-org`
  const words = (streamId: string, level: Level): string[] => languages.map((language) => permissionText({ streamId, level }, 'dr-weber@example.org', language))

  it('use no stream ids of consents', () => {
    expect(words(':_cmc:inbox', 'create-only')[0]).toBe('write to your inbox of consents, without reading it')
    expect(words(channel('chats'), 'contribute')[0]).toBe('read and write the messages between you and dr-weber@example.org')
    expect(words(channel('collectors'), 'contribute')[0]).toBe('send you alerts and requests for more access, in the stream of dr-weber@example.org')
    for (const [streamId, level] of [[':_cmc:inbox', 'create-only'], [channel('chats'), 'contribute'], [channel('collectors'), 'contribute']] as const) {
      expect(words(streamId, level).join()).not.toMatch(/_cmc|--/)
    }
    // Other levels are described as for any stream.
    expect(words(':_cmc:inbox', 'read')[0]).toBe('read “dr-weber@example.org”')
  })

  it('list all rights, in every language', () => {
    expect(allContactRights('en')).toEqual(['write messages to you', 'send you alerts', 'ask you for more access, which you can refuse', 'write to your inbox of consents, without reading it'])
    for (const language of languages) expect(new Set(allContactRights(language)).size).toBe(4)
  })
})

describe('consent texts', () => {
  it('are complete in English', () => {
    const text = consentText(full, 'en')
    expect(text.title).toBe('Heart Watch asks for access to the account ana')
    expect(text.app).toEqual({
      name: 'Heart Watch',
      description: 'Watches.',
      note: 'The operator of this service lists this app, under the id heart-watch.',
    })
    expect(text.message).toEqual({ heading: 'The app says', text: 'please' })
    expect(text.rows.map(({ what }) => what)).toEqual([
      'read “Heart”',
      'write to “Heart”, without reading it',
      'read, add to and modify “Heart”',
      'fully manage “Heart”: read, add, modify and delete, with all streams in it',
      'read all your data',
      'read “New”',
      'read “Old”',
      'read what is tagged “holiday”',
      'but not revoke its own access',
      'but not read the audit log of its calls',
      'but not share secrets',
      'but not set up webhooks that notify URLs of changes',
      'unheard-of: forbidden',
      'see only what is also in “a”, “b”',
    ])
    expect(text.rows[5]?.details).toEqual(['does not exist yet: it will be created', 'new', 'required'])
    expect(text.rows[6]?.details).toEqual(['in the trash: it will be restored', 'old'])
    expect(text.notes).toEqual([
      'For the device: phone.',
      'How long: 30 days.',
      'The app has another access already. It ends when you accept, and this one takes its place.',
      'The accesses that the app has shared with 2 others end too.',
      'Another stream is called “Heart” already, so the new one gets a number.',
    ])
    expect(text.obstacles[2]).toBe('The app requests permissions that cannot be granted. You can only refuse. (no such stream)')
  })

  it('have the same parts in every language, all translated', () => {
    const texts = languages.map((language) => consentText(full, language))
    const counts = texts.map(({ rows, notes, obstacles }) => [rows.length, notes.length, obstacles.length])
    expect(new Set(counts.map(String)).size).toBe(1)
    for (const part of ['title', 'intro', 'accept', 'refuse'] as const) expect(new Set(texts.map((text) => text[part])).size).toBe(3)
    expect(new Set(texts.flatMap(({ notes }) => notes)).size).toBe(15)
    const problems = ['empty-grant', 'not-subset', 'choice-not-allowed', 'mandatory-refused'] as const
    expect(new Set(languages.flatMap((language) => problems.map((reason) => grantProblemText(reason, language)))).size).toBe(12)
  })

  it.each([
    [offer, 'only asks which account'],
    [{ ...offer, entries: [entryOn('*', 'read')] }, 'will be able to:'],
    [{ ...offer, entries: [entryOn('*', 'read'), entryOn('s', 'read')] }, 'all of this or nothing'],
    [{ ...offer, allowsChoice: true, entries: [entryOn('*', 'read')] }, 'Choose'],
  ])('start with the choice that the user has', (offered, intro) => expect(consentText(offered, 'en').intro).toContain(intro))

  it('mention an existing access and its expiry', () => {
    const { notes } = consentText({ ...offer, expireAfter: 60, granted: { accessId: 'a', until: 1_700_000_000 } }, 'de')
    expect(notes).toEqual(['Die App hat diesen Zugriff schon. Für sie ändert sich nichts, wenn Sie annehmen.', 'Der Zugriff, den sie hat, endet am 14. November 2023.'])
  })

  it('contain no control characters and no direction overrides', () => {
    const odd = 'a\u202eb\n\u001b[31mc\u0000\u200b\ud800'
    const text = consentText(
      {
        ...offer,
        app: { id: odd },
        message: odd,
        deviceName: odd,
        nameConflict: odd,
        entries: [entryOn(odd, 'read', { stream: { name: odd, state: 'there' } }), { ...entryOn('x', 'read'), permission: { tag: odd, level: 'read' } }],
      },
      'en',
    )
    const texts = { ...text, rows: text.rows.map(({ id: _, ...row }) => row) }
    expect(JSON.stringify(texts)).not.toMatch(/\\u|\\n|[\u200b\u202e]/)
    expect(text.app.name).toBe('ab [31mc')
  })

  it.each([
    [0, '0 seconds'],
    [1, '1 second'],
    [60, '1 minute'],
    [90, '90 seconds'],
    [3600, '1 hour'],
    [5400, '90 minutes'],
    [86_400, '1 day'],
    [86_400 * 7.5, '7.5 days'],
    [86_400 * 365, '1 year'],
    [86_400 * 365 * 3, '3 years'],
    [1e300, /years$/],
  ])('format %d seconds as %s', (seconds, text) => {
    if (typeof text === 'string') expect(spanText(seconds, 'en')).toBe(text)
    else expect(spanText(seconds, 'en')).toMatch(text)
  })
})
