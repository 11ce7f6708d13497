import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCompiler } from '../../../src/store/model/eventTypes/compile.js'
import { builtInDirectory, hierarchical, readDirectory } from '../../../src/store/model/eventTypes/directory.js'
import { createEventTypes } from '../../../src/store/model/eventTypes/types.js'

/** Classes whose formats are all plain numbers, one class per line. See docs/interface/event-types.md#numeric-types. */
const numericClasses = `
  absorbed-dose: gy
  absorbed-dose-equivalent: sv
  absorbed-dose-rate: gy-s
  angle: deg grad rad
  angular-acceleration: rad-s2
  angular-speed: rad-s
  area: ac ft2 ha in2 km2 m2 mm2 yd2 mi2
  capacitance: f
  catalytic-activity: kat
  concentration: mmol-l iu-l g-dl g-l mg-l ug-l mg-dl
  count: steps generic
  data-quantity: b bits gb gbits kb kbits mb mbits tb
  density: kg-m3 g-cm3
  dynamic-viscosity: pa-s
  electric-charge: c
  electric-charge-line-density: c-m
  electric-current: a
  electrical-conductivity: s us
  electromotive-force: v
  energy: btu cal ev erg ftlb j kcal ws kwh nm wh
  force: dyn n pdl
  frequency: bpm brpm ghz hz khz megahz millihz nhz rpm thz uhz
  gas-consumption: mlpkgmin
  length: cm m mm km a au ch lea ft in ly mil mi fur nmi p pica ftm cb um yd
  linear-acceleration: m-s2
  luminous-intensity: cd
  mass: kg g mg gr dr l-t lb t oz s-t st
  mol: mol lb-mol
  money: aed ang ars aud bgn bhd bnd bob brl bwp cad chf clp cny cop crc czk dkk dop dzd eek egp eur fjd gbp hkd
    hnl hrk huf idr ils inr jmd jod jpy kes krw kwd kyd kzt lbp lkr ltl lvl mad mdl mkd mur mxn myr nad ngn nio nok
    npr nzd omr pen pgk php pkr pln pyg qar ron rsd rub sar scr sek sgd skk sll svc thb tnd try ttd twd tzs uah ugx
    usd uyu uzs vnd yer zar zmk btc all afn awg azn bsd bbd byr bzd bmd bam khr cup xcd fkp ghc gip gtq ggp gyd isk
    irr imp jep kpw kgs lak lrd mnt mzn pab shp sbd sos srd syp trl tvd vef zwd
  power: btu-min ftlb-s hp kw w
  pressure: at bar mmhg cmhg inhg kg-m2 pa kpa psf psi db
  ratio: percent
  speed: ft-m ft-s km-h kt m-min m-s mph lpm
  temperature: c k f
  time: d h min ms s y
  volume: l m3 c cm3 floz ft3 galgb galus in3 yd3 ml pt qt bbloil tbs tsp iu`

/** Formats that moved to another class. See docs/interface/event-types.md#numeric-types. */
const movedTypes = ['density/g-dl', 'density/mg-dl', 'density/mmol-l']

const numericTypes = numericClasses
  .trim()
  .split(/\n(?=  \S)/)
  .flatMap((line) => {
    const [className = '', formats = ''] = line.trim().split(':')
    const listed = formats.trim().split(/\s+/)
    return listed.map((format) => `${className}/${format}`)
  })
  .concat(movedTypes)

/** See docs/interface/event-types.md#other-types. */
const otherTypes = `
  activity/plain attributes/biological-sex attributes/blood-type attributes/skin-type audio/attached audio/url
  audiogram/data blood-pressure/mmhg-bpm boolean/bool calendar/ical-event call/name call/skype call/telephone
  clinical/fhir consent/request-cmc consent/accept-cmc consent/refuse-cmc consent/revoke-cmc consent/back-channel-cmc
  consent/scope-request-cmc consent/scope-update-cmc consent/invalidate-link-cmc contact/facebook contact/vcard
  credentials/pryv-api-endpoint date/iso-8601 encrypted/aes-256-gcm encrypted/ecies-aes-256-gcm
  encrypted/aes-text-base64 file/attached file/attached-multiple file/url log/user-api log/user-api-error message/email
  message/facebook message/twitter message/chat-cmc mood/rating mood/emoticon music/basic music/soundcloud note/txt
  note/html note/webclip notification/alert-cmc notification/ack-cmc picture/attached picture/base64 picture/url
  position/wgs84 ratio/generic reproductive-health/sexual-activity reproductive-health/menstrual-flow
  reproductive-health/mucus-quality reproductive-health/ovulation shared-secret/item sleep/analysis symptoms/severity
  symptoms/appetite-changes url/http video/attached video/url video/vimeo video/youtube`
  .trim()
  .split(/\s+/)

const directory = builtInDirectory()
const types = createEventTypes(directory)

describe('the built-in directory', () => {
  it('is version 1.1.2 and contains exactly the types of these tables', () => {
    expect(directory.version).toBe('1.1.2')
    expect(Object.keys(directory.types).sort()).toEqual([...numericTypes, ...otherTypes].sort())
    expect(new Set(numericTypes).size).toBe(numericTypes.length)
  })

  it('requires a plain number in the numeric classes', () => {
    for (const type of numericTypes) {
      const { symbol, ...schema } = directory.types[type] ?? {}
      expect(schema, type).toEqual({ type: 'number' })
      expect(symbol === undefined, type).toBe(!['pressure/db', 'volume/iu', 'gas-consumption/mlpkgmin'].includes(type))
    }
  })

  it('has no entry for types of account fields and invented types', () => {
    for (const type of [
      'language/iso-639-1',
      'identifier/string',
      'token/string',
      'email/string',
      'test/test',
      'temperature/celsius',
      'numset/anything',
      '__proto__',
      'constructor',
      'series:mass/kg',
      '',
    ]) {
      expect(types.knows(type), type).toBe(false)
      expect(types.check(type, { any: ['thing'] }), type).toBeUndefined()
    }
  })

  it('names every type and class in two languages, and lists known types in its sets', () => {
    for (const type of Object.keys(directory.types)) {
      expect(directory.extras[type]?.name.en, type).toBeTruthy()
      expect(directory.extras[type]?.name.fr, type).toBeTruthy()
      const described = directory.classes[type.split('/')[0] ?? '']
      expect(described?.description, type).toBeTruthy()
      expect(described?.extras.name.fr, type).toBeTruthy()
    }
    expect(directory.extras['mass/kg']).toEqual({ name: { en: 'kilogram', fr: 'kilogramme' }, symbol: 'kg' })
    expect(directory.extras['money/chf']?.symbol).toBe('CHF')
    expect(Object.keys(directory.sets).sort()).toEqual(
      (
        'all-measures basic-measurements-imperial basic-measurements-metric basic-measurements-us ' +
        'generic-measurements-imperial generic-measurements-metric generic-measurements-us generic-medical ' +
        'money-africa money-america money-asia money-europe money-indonesia-australia money-middleeast ' +
        'money-most-used navigation'
      ).split(' '),
    )
    for (const [set, { types: members }] of Object.entries(directory.sets)) {
      for (const [className, formats] of Object.entries(members)) {
        for (const format of formats) expect(types.knows(`${className}/${format}`), `${set} ${format}`).toBe(true)
      }
    }
  })

  it('has schemas that compile', () => {
    const compiler = createCompiler({ checkSchemas: true })
    for (const schema of Object.values(directory.types)) {
      expect(() => compiler.compile(schema, 'first')).not.toThrow()
      expect(() => compiler.compile(schema, 'all')).not.toThrow()
    }
  })

  it('consists of JSON values alone', () => {
    expect(JSON.parse(JSON.stringify(directory))).toEqual(directory)
  })
})

describe('readDirectory', () => {
  it('reads back both forms of the built-in directory', () => {
    expect(readDirectory(JSON.parse(JSON.stringify(directory)))).toEqual(directory)
    expect(readDirectory(JSON.parse(JSON.stringify(hierarchical(directory))))).toEqual(directory)
    expect(hierarchical(directory).classes.mass?.formats.kg).toEqual({ type: 'number' })
    expect(hierarchical(directory).classes.mass?.extras?.name.fr).toBe('Masse')
  })

  it('adds and alters types and keeps the others', () => {
    const own = readDirectory({
      version: '9',
      types: {
        'own/type': { type: 'string', minLength: 2 },
        'mood/rating': { type: 'number', maximum: 5 },
        'position/wgs84': { required: ['altitude'], properties: { speed: { minimum: 0 } } },
        'sleep/analysis': { type: 'string' },
        'numset/*': { type: 'number' },
      },
      extras: { 'own/type': { name: { en: 'Own' } }, 'mass/kg': 'nonsense' },
      classes: { own: { description: 'Own.', extras: { name: { en: 'Own' } } } },
      sets: { mine: { name: { en: 'Mine' }, description: 'Mine.', types: { own: ['type'] } } },
    })
    expect(own.version).toBe('9')
    expect(own.types['own/type']).toEqual({ type: 'string', minLength: 2 })
    expect(own.types['mood/rating']).toEqual({ type: 'number', minimum: 0, maximum: 5 })
    expect(own.types['position/wgs84']).toMatchObject({
      type: 'object',
      required: ['altitude'],
      properties: { latitude: { type: 'number' }, speed: { type: 'number', minimum: 0 } },
    })
    expect(own.types['sleep/analysis']).toEqual({ type: 'string' })
    expect(own.types['mass/kg']).toEqual({ type: 'number' })
    expect(own.extras['own/type']).toEqual({ name: { en: 'Own' } })
    expect(own.extras['mass/kg']).toEqual(directory.extras['mass/kg'])
    expect(own.classes.own?.description).toBe('Own.')
    expect(own.sets.mine?.types).toEqual({ own: ['type'] })
    expect(builtInDirectory()).toEqual(directory)
  })

  it('does not pollute prototypes', () => {
    const types = '{"own/type":{"properties":{"__proto__":{"polluted":"x"}},"__proto__":{"polluted":"x"}}}'
    const extras = '{"__proto__":{"name":{"polluted":"x"}}}'
    readDirectory(JSON.parse(`{"types":${types},"extras":${extras},"classes":${extras}}`))
    expect('polluted' in {}).toBe(false)
  })

  let deep: unknown = {}
  let deepList: unknown = {}
  for (let level = 0; level < 50_000; level += 1) {
    deep = { not: deep }
    deepList = { oneOf: [deepList] }
  }
  const refused: [what: string, document: unknown, message: RegExp][] = [
    ['nothing', undefined, /JSON object/],
    ['a text', 'types', /JSON object/],
    ['a list', [], /JSON object/],
    ['an empty object', {}, /`types`/],
    ['classes without formats', { classes: { mass: { description: 'x' } } }, /`types`/],
    ['types that are a list', { types: [] }, /`types`/],
    ['formats that are a list', { classes: { mass: { formats: [] } } }, /class mass/],
    ['a name that is not a type', { types: { kilogram: {} } }, /"kilogram"/],
    ['a name that pollutes prototypes', JSON.parse('{"types":{"__proto__":{}}}'), /"__proto__"/],
    ['a schema that is a text', { types: { 'own/type': 'number' } }, /own\/type/],
    ['a schema of unknown type', { types: { 'own/type': { type: 'numeric' } } }, /own\/type is not valid/],
    ['a malformed keyword', { types: { 'own/type': { type: 'object', required: true } } }, /own\/type is not valid/],
    ['an impossible bound', { types: { 'own/type': { minLength: -1 } } }, /own\/type is not valid/],
    ['a property list of numbers', { types: { 'own/type': { required: [1] } } }, /own\/type is not valid/],
    ['a malformed pattern', { types: { 'own/type': { type: 'string', pattern: '(' } } }, /own\/type is not valid/],
    ['an external reference', { types: { 'own/type': { $ref: 'https://x/y' } } }, /own\/type is not valid/],
    ['a nested malformed schema', { types: { 'own/type': { items: { minimum: 'x' } } } }, /own\/type is not valid/],
    ['a built-in type made malformed', { types: { 'mass/kg': { minimum: 'x' } } }, /mass\/kg is not valid/],
    ['another form with a malformed schema', { classes: { own: { formats: { a: { type: 1 } } } } }, /own\/a is not/],
    ['one malformed schema among good ones', { types: { 'own/a': {}, 'own/b': { enum: 'x' } } }, /own\/b is not valid/],
    ['a bottomless schema', { types: { 'own/type': deep } }, /own\/type is nested too deeply/],
    ['a bottomless list of schemas', { types: { 'own/type': deepList } }, /own\/type is not valid/],
  ]
  for (const [what, document, message] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => readDirectory(document)).toThrow(message)
    })
  }

  it('throws nothing but an Error for any document', () => {
    const schema = fc.oneof(fc.jsonValue(), fc.record({ type: fc.jsonValue(), required: fc.jsonValue() }))
    const document = fc.oneof(fc.jsonValue(), fc.record({ types: fc.dictionary(fc.constant('own/type'), schema) }))
    fc.assert(
      fc.property(document, fc.jsonValue(), (input, content) => {
        try {
          createEventTypes(readDirectory(input)).check('own/type', content)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      }),
      { numRuns: 200 },
    )
  })
})
