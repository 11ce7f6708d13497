import { describe, expect, it } from 'vitest'
import { answerStream } from '../../../../src/cli/commands/consents/shared/link.js'
import { featuresOf, grantOf, choiceOf, offerLines, offerOf } from '../../../../src/cli/commands/consents/shared/offer.js'
import { wordsByLanguage } from '../../../../src/cli/commands/consents/shared/words.js'

const diary = { streamId: 'diary', level: 'read' }
const steps = { streamId: 'steps', level: 'contribute', mandatory: true }
const sleep = { streamId: 'sleep', level: 'read', optIn: true, defaultName: 'Sleep' }
const add = { streamId: 'diary', level: 'create-only' }
const feature = { feature: 'selfRevoke', setting: 'forbidden' }
const offer = (permissions: object[], more: object = {}) =>
  offerOf({
    originStreamId: ':_cmc:apps:study:s1',
    requesterMeta: { displayName: 'Dr A', appId: 'study' },
    request: { title: { en: 'Study', fr: 'Étude' }, description: { en: 'D' }, consent: { en: 'C' }, permissions, ...more },
  }, 'ana@a.example')
const choice = { allowUserChoice: true }

describe('the permissions granted for an offer', () => {
  const rows: [permissions: object[], more: object, without: string[], also: string[], granted: object[]][] = [
    [[diary, steps], {}, [], [], [diary, steps]],
    // Opt-in permissions are granted too when the offer allows no choice.
    [[diary, sleep], {}, [], [], [diary, sleep]],
    [[diary, steps, sleep], choice, [], [], [diary, steps]],
    [[diary, steps, sleep], choice, ['diary'], ['sleep'], [steps, sleep]],
    [[diary, add, feature], choice, ['diary'], [], [feature]],
    [[diary, add, feature], choice, ['diary:read', 'selfRevoke'], [], [add]],
  ]
  it.each(rows)('of %j %j without %j and with %j are %j', (permissions, more, without, also, granted) => {
    expect(choiceOf(offer(permissions, more), without, also)).toEqual(granted)
  })

  const refused: [more: object, without: string[], also: string[], words: string][] = [
    [choice, ['mood'], [], 'does not request "mood"'],
    [choice, [], ['diary:manage'], 'does not request "diary:manage"'],
    [choice, ['steps'], [], 'The offer requires it'],
    [{}, ['diary'], [], 'all or nothing'],
  ]
  it.each(refused)('cannot be chosen with %j without %j and with %j: %s', (more, without, also, words) => {
    expect(() => choiceOf(offer([diary, steps], more), without, also)).toThrow(words)
  })

  it('are sent without the annotations of the offer', () => {
    expect([diary, steps, sleep, feature].map(grantOf)).toEqual([
      { streamId: 'diary', level: 'read' },
      { streamId: 'steps', level: 'contribute' },
      { streamId: 'sleep', level: 'read' },
      feature,
    ])
  })
})

describe('an offer', () => {
  it('is shown with its texts, checkboxes and mandatory permissions', () => {
    const given = offer([diary, steps, sleep], { ...choice, features: { chat: false } })
    expect(offerLines(given, choiceOf(given, [], []), 'fr')).toEqual([
      'Étude',
      'requested by Dr A, ana@a.example',
      'D',
      '',
      'They can:',
      '  [x] read diary',
      '  [x] read and change steps (required)',
      '  [ ] read sleep',
      '  - send you alerts',
      '  - ask you for more access, which you can refuse',
      '  - write to your consent inbox, without reading it',
      '',
      'You agree to: C',
    ])
  })

  it.each([
    [undefined, false, { chat: true, systemMessaging: true }],
    [{ chat: false }, false, { chat: false, systemMessaging: true }],
    [{ chat: true, systemMessaging: false }, true, { chat: false, systemMessaging: false }],
  ])('with the features %j and --no-chat %j gives %j', (features, noChat, given) => {
    expect(featuresOf(offer([], { features }), noChat)).toEqual(given)
  })

  it('is answered in its scope, else in the scope of its app', () => {
    expect(answerStream(offer([]))).toBe(':_cmc:apps:study:s1')
    expect(answerStream(offerOf({ requesterMeta: { appId: 'study' } }, ''))).toBe(':_cmc:apps:study')
    expect(answerStream(offerOf({ requesterMeta: { appId: 'No App' } }, ''))).toBe(':_cmc:apps:coffer')
  })

  it('with malformed content is shown without an error', () => {
    for (const content of [{}, { request: 7 }, { request: { permissions: [null, 7, {}], title: [] } }]) {
      const given = offerOf(content, '')
      expect(offerLines(given, choiceOf(given, [], []), 'en').length).toBeGreaterThan(0)
    }
  })
})

describe('texts by language', () => {
  it.each([
    [[], undefined],
    [['Study'], { en: 'Study' }],
    [['Study', 'fr=Étude'], { en: 'Study', fr: 'Étude' }],
    [['a = b'], { en: 'a = b' }],
    [['x=y'], { en: 'x=y' }],
    [['gsw=Studie'], { gsw: 'Studie' }],
  ])('are parsed from %j to %j', (words, texts) => expect(wordsByLanguage(words, '--title')).toEqual(texts))

  it.each([[['a', 'b']], [['en=a', 'b']], [['fr=']], [[' ']]])('reject %j', (words) => {
    expect(() => wordsByLanguage(words, '--title')).toThrow('--title')
  })
})
