/** Values of events as text for people. */
import { describe, expect, it } from 'vitest'
import { builtInDirectory } from '../../../../src/store/model/eventTypes/directory.js'
import { createEventTypes } from '../../../../src/store/model/eventTypes/types.js'
import type { Language } from '../../../../src/server/base/words.js'
import { fieldName, typeName, valueText, type ValuedEvent } from '../../../../src/server/pages/events/eventValue.js'

const node = { eventTypes: createEventTypes(builtInDirectory()) }
const text = (event: ValuedEvent, language: Language = 'en'): string => valueText(event, { node, language })

describe('the value of an event', () => {
  it.each([
    ['a number with its unit', { type: 'mass/kg', content: 72.5 }, '72.5\u00a0kg'],
    ['a number without a unit', { type: 'count/generic', content: 1234 }, '1,234'],
    ['a share', { type: 'mood/rating', content: 0.75 }, '75%'],
    ['yes', { type: 'boolean/bool', content: true }, 'Yes'],
    ['a text', { type: 'note/txt', content: 'Slept well' }, 'Slept well'],
    ['a long text', { type: 'note/txt', content: 'x'.repeat(400) }, `${'x'.repeat(300)}…`],
    ['a position', { type: 'position/wgs84', content: { latitude: 46.52, longitude: 6.63 } }, '46.52000, 6.63000'],
    ['an object', { type: 'blood-pressure/mmhg-bpm', content: { systolic: 120, diastolic: 80, rate: 60 } }, 'Systolic: 120 · Diastolic: 80 · Rate: 60'],
    ['an object with other objects', { type: 'my/own', content: { a: {}, b: [1, 2], c: null } }, 'A: … · B: 2 items'],
    ['files', { type: 'picture/attached', content: null, attachments: [{ fileName: 'a.jpg' }, { fileName: 'b.jpg' }] }, 'a.jpg, b.jpg'],
    ['a picture as text', { type: 'picture/base64', content: 'AAAA' }, ''],
    ['an encrypted content', { type: 'encrypted/aes-text-base64', content: 'AAAA' }, 'Encrypted'],
    ['a series', { type: 'series:mass/kg', content: { fields: ['value'] } }, ''],
    ['nothing', { type: 'activity/plain', content: null }, ''],
  ])('%s', (_, event, expected) => {
    expect(text(event)).toBe(expected)
  })

  it('follows the language', () => {
    expect(text({ type: 'mass/kg', content: 1234.5 }, 'de')).toBe('1.234,5\u00a0kg')
    expect(text({ type: 'boolean/bool', content: false }, 'fr')).toBe('Non')
  })
})

describe('names of types', () => {
  it.each([
    ['mass/kg', 'en', 'Mass (kilogram)'],
    ['mass/kg', 'fr', 'Masse (kilogramme)'],
    ['series:mass/kg', 'en', 'Mass (kilogram), series'],
    ['note/txt', 'en', 'Note'],
    ['blood-pressure/mmhg-bpm', 'de', 'Blood pressure'],
    ['money/chf', 'en', 'Money (CHF)'],
    ['my-own/thing', 'en', 'my-own/thing'],
    ['constructor/name', 'en', 'constructor/name'],
  ] as const)('%s in %s', (type, language, expected) => {
    expect(typeName(type, { node, language })).toBe(expected)
  })

  it('names fields by their words', () => {
    expect(['heartRate', 'heart_rate', 'heart-rate', 'URL', '_'].map(fieldName)).toEqual(['Heart rate', 'Heart rate', 'Heart rate', 'URL', '_'])
  })
})
