import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { builtInDirectory } from '../../../src/store/model/eventTypes/directory.js'
import { createEventTypes } from '../../../src/store/model/eventTypes/types.js'

const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => /[\\/]ajv[\\/]/.test(path))

it('loads the schema validator only when content has more than a basic type', () => {
  const types = createEventTypes(builtInDirectory())
  for (const [type, content] of [
    ['mass/kg', 1],
    ['mass/kg', 'x'],
    ['pressure/db', 1],
    ['contact/vcard', 'x'],
    ['boolean/bool', true],
    ['activity/plain', null],
    ['file/attached', null],
    ['unknown/type', {}],
  ] as const) {
    types.check(type, content)
  }
  expect(types.seriesType('series:position/wgs84')).toBeDefined()
  expect(loaded()).toBe(false)
  expect(types.check('position/wgs84', { latitude: 1, longitude: 2 })).toBeUndefined()
  expect(loaded()).toBe(true)
})
