/**
 * Built-in event types in short form (docs/interface/event-types.md#numeric-types, docs/interface/event-types.md#other-types).
 * `directory.ts` expands the table to the published document.
 */
import { any, b, filled, i, list, n, nothing, nullable, o, obj, oneOf, pattern, s, strings, text } from './schema.js'
import type { Fields, Schema } from './schema.js'

/** Version of the directory in this table. */
export const tableVersion = '1.1.2'

/** Classes whose formats are all plain numbers; the format names the unit. */
export const numericFormats: Readonly<Record<string, string>> = {
  'absorbed-dose': 'gy',
  'absorbed-dose-equivalent': 'sv',
  'absorbed-dose-rate': 'gy-s',
  angle: 'deg grad rad',
  'angular-acceleration': 'rad-s2',
  'angular-speed': 'rad-s',
  area: 'ac ft2 ha in2 km2 m2 mm2 yd2 mi2',
  capacitance: 'f',
  'catalytic-activity': 'kat',
  concentration: 'mmol-l iu-l g-dl g-l mg-l ug-l mg-dl',
  count: 'steps generic',
  'data-quantity': 'b bits gb gbits kb kbits mb mbits tb',
  // The last three belong to `concentration` and stay for events written before that class existed.
  density: 'kg-m3 g-cm3 g-dl mg-dl mmol-l',
  'dynamic-viscosity': 'pa-s',
  'electric-charge': 'c',
  'electric-charge-line-density': 'c-m',
  'electric-current': 'a',
  'electrical-conductivity': 's us',
  'electromotive-force': 'v',
  energy: 'btu cal ev erg ftlb j kcal ws kwh nm wh',
  force: 'dyn n pdl',
  frequency: 'bpm brpm ghz hz khz megahz millihz nhz rpm thz uhz',
  'gas-consumption': 'mlpkgmin',
  length: 'cm m mm km a au ch lea ft in ly mil mi fur nmi p pica ftm cb um yd',
  'linear-acceleration': 'm-s2',
  'luminous-intensity': 'cd',
  mass: 'kg g mg gr dr l-t lb t oz s-t st',
  mol: 'mol lb-mol',
  money:
    'aed ang ars aud bgn bhd bnd bob brl bwp cad chf clp cny cop crc czk dkk dop dzd eek egp eur fjd gbp hkd hnl hrk ' +
    'huf idr ils inr jmd jod jpy kes krw kwd kyd kzt lbp lkr ltl lvl mad mdl mkd mur mxn myr nad ngn nio nok npr nzd ' +
    'omr pen pgk php pkr pln pyg qar ron rsd rub sar scr sek sgd skk sll svc thb tnd try ttd twd tzs uah ugx usd uyu ' +
    'uzs vnd yer zar zmk btc all afn awg azn bsd bbd byr bzd bmd bam khr cup xcd fkp ghc gip gtq ggp gyd isk irr imp ' +
    'jep kpw kgs lak lrd mnt mzn pab shp sbd sos srd syp trl tvd vef zwd',
  power: 'btu-min ftlb-s hp kw w',
  pressure: 'at bar mmhg cmhg inhg kg-m2 pa kpa psf psi db',
  ratio: 'percent',
  speed: 'ft-m ft-s km-h kt m-min m-s mph lpm',
  temperature: 'c k f',
  time: 'd h min ms s y',
  volume: 'l m3 c cm3 floz ft3 galgb galus in3 yd3 ml pt qt bbloil tbs tsp iu',
}

/** Numeric types whose schema has a symbol, because the format id does not name the unit. */
export const schemaSymbols: Readonly<Record<string, string>> = {
  'pressure/db': 'dB',
  'volume/iu': 'IU',
  'gas-consumption/mlpkgmin': 'mL/kg/min',
}

const url = pattern('^(https?)://.+$')
const note = text(0, 4_194_304)
/** Files are expected as attachments; an event without any is accepted. */
const attached: Schema = { ...nothing, attachmentRequired: true }

const level = oneOf('none, read, create-only, contribute, manage')
/** Creates the schema of permissions in a consent; `more` are the annotations of an entry. */
const permissions = (more: Fields): Schema => {
  const stream = obj({ streamId: s, level }, { defaultName: filled, name: s, ...more })
  const feature = obj({ feature: filled, setting: oneOf('forbidden, allowed') }, more)
  return list({ oneOf: [stream, feature] }, 1)
}
const scopes: Schema = { type: 'array', minItems: 1 }
const features = obj({}, { chat: b, systemMessaging: b })
const identity = obj(strings('username host'))
const consentRequest = obj(
  { title: o, description: o, consent: o, permissions: permissions({ mandatory: b, optIn: b }) },
  { features, expiresAt: nullable('number'), allowUserChoice: b, accessType: oneOf('shared, app') },
)
const person = obj(strings('name id'))
const sensitivity = obj({ frequency: n }, { leftEarSensitivity: n, rightEarSensitivity: n })
const secretStatus = oneOf('pending, consumed, discarded')
// sharedSecrets.create accepted the address, ignoring the case of the scheme.
const onConsumed = obj({ message: filled }, { returnUrl: pattern('^[Hh][Tt][Tt][Pp][Ss]?://.+$') })
const auditSource = obj({ name: s }, { ip: s })

/** All types that are not plain numbers. */
export const otherTypes: Fields = {
  'activity/plain': nothing,
  'attributes/biological-sex': oneOf('notSet, female, male, other'),
  'attributes/blood-type': oneOf(
    'notSet, aPositive, bPositive, oPositive, abPositive, aNegative, bNegative, abNegative, oNegative',
  ),
  'attributes/skin-type': oneOf(
    'notSet, Pale white skin, White skin, White to light brown skin, Beige-olive skin, Brown skin, ' +
      'Dark brown to black skin',
  ),
  'audio/attached': attached,
  'audio/url': url,
  'audiogram/data': obj({ sensitivityPoints: list(sensitivity), start: s, end: s }, { metadata: o }),
  'blood-pressure/mmhg-bpm': obj({ systolic: n, diastolic: n }, { rate: n }),
  'boolean/bool': b,
  'calendar/ical-event': obj(
    { dtstart: s },
    {
      ...strings('uid summary description location rrule organizer status dtend'),
      sequence: { type: 'integer', minimum: 0 },
      dateOnly: b,
    },
  ),
  'call/name': s,
  'call/skype': s,
  'call/telephone': s,
  'clinical/fhir': obj(
    {
      displayName: s,
      clinicalType: oneOf(
        'allergyRecord, immunizationRecord, conditionRecord, labResultRecord, medicationRecord, procedureRecord, ' +
          'vitalSignRecord',
      ),
    },
    {
      fhir: obj({
        identifier: s,
        resourceType: oneOf(
          'allergyIntolerance, condition, immunization, medicationOrder, medicationDispense, medicationStatement, ' +
            'observation, procedure',
        ),
      }),
    },
  ),
  'consent/request-cmc': obj(
    { to: any, request: consentRequest },
    { capabilityRequested: b, requesterMeta: obj({}, strings('displayName appId appUrl')) },
  ),
  'consent/accept-cmc': obj(
    {},
    {
      ...strings('capabilityUrl accessName'),
      grantedPermissions: permissions({}),
      extra: features,
      grantedAccess: obj({ apiEndpoint: s }),
      from: identity,
    },
  ),
  'consent/refuse-cmc': obj({ capabilityUrl: s }, { reason: o }),
  'consent/revoke-cmc': obj({ accessId: s }, { reason: o }),
  'consent/back-channel-cmc': obj(
    { from: identity, apiEndpoint: s },
    strings('remoteChatStreamId remoteCollectorStreamId appCode'),
  ),
  'consent/scope-request-cmc': obj({ newPermissions: scopes }, { expires: n, message: o }),
  'consent/scope-update-cmc': obj(
    {},
    {
      ...strings('scopeRequestEventId accessId'),
      accept: b,
      newPermissions: scopes,
      previousPermissions: list(obj({}, strings('streamId level'))),
    },
  ),
  'consent/invalidate-link-cmc': obj({ capabilityId: filled }, { reason: o }),
  'contact/facebook': obj({ id: s }),
  'contact/vcard': s,
  'credentials/pryv-api-endpoint': pattern('^(https?)://.+@.+$'),
  'date/iso-8601': s,
  'encrypted/aes-256-gcm': obj({ payload: s }, { keyRef: s, hint: any }),
  'encrypted/ecies-aes-256-gcm': obj({ payload: s }, { keyRef: s, hint: any }),
  'encrypted/aes-text-base64': obj({ payload: s }, { keyRef: s, hint: s }),
  'file/attached': attached,
  'file/attached-multiple': attached,
  'file/url': url,
  'log/user-api': obj({ source: auditSource, action: s }, { query: o }),
  'log/user-api-error': obj({ source: auditSource, action: s, id: s, message: s }, { query: o }),
  // The plain text, or the object that the node converts it to.
  'message/chat-cmc': { ...text(1, 10_240), ...obj({ content: text(1, 10_240) }), type: ['string', 'object'] },
  'message/email': obj(strings('from to body'), {
    ...strings('cc bcc subject message-id reply-to'),
    'x-headers': o,
  }),
  'message/facebook': obj(strings('id message'), {
    from: person,
    to: obj({}, { data: list(person) }),
    ...strings('source properties picture status-type'),
  }),
  'message/twitter': obj(strings('id screen-name text')),
  'mood/emoticon': s,
  'mood/rating': { type: 'number', minimum: 0, maximum: 1 },
  'music/basic': obj({}, { ...strings('title artist album genre'), track: i, year: i }),
  'music/soundcloud': obj({ id: i }),
  'note/html': note,
  'note/txt': note,
  'note/webclip': obj({ url }, { content: note }),
  'notification/ack-cmc': obj({ alertEventId: filled, ackId: filled }),
  'notification/alert-cmc': obj(
    { level: oneOf('info, warning, critical'), title: o, body: o },
    { code: s, ackRequired: b, ackId: s },
  ),
  'picture/attached': attached,
  'picture/base64': s,
  'picture/url': url,
  'position/wgs84': obj(
    { latitude: n, longitude: n },
    { altitude: n, horizontalAccuracy: n, verticalAccuracy: n, speed: n, bearing: n },
  ),
  'ratio/generic': obj({ value: n, relativeTo: n }),
  'reproductive-health/menstrual-flow': oneOf('unspecified, none, light, medium, heavy'),
  'reproductive-health/mucus-quality': oneOf('dry, sticky, creamy, watery, eggWhite'),
  'reproductive-health/ovulation': oneOf('negative, luteinizingHormoneSurge, indeterminate, estrogenSurge'),
  'reproductive-health/sexual-activity': oneOf('notSet, protectionUsed, protectionNotUsed'),
  'shared-secret/item': obj(
    {
      keyHash: pattern('^[0-9a-f]{64}$'),
      title: filled,
      status: secretStatus,
      statusHistory: list(obj({ status: secretStatus, time: n }, { info: s }), 1),
      onConsumed,
    },
    { signature: obj({ type: oneOf('secret, hmac-sha256') }, { value: filled }), secret: any },
  ),
  'sleep/analysis': obj({}, { analysis: oneOf('inBed, asleep, awake') }),
  'symptoms/appetite-changes': oneOf('decreased, increased, noChange, unspecified'),
  'symptoms/severity': oneOf('notPresent, mild, moderate, severe, unspecified'),
  'url/http': url,
  'video/attached': attached,
  'video/url': url,
  'video/vimeo': s,
  'video/youtube': s,
}
