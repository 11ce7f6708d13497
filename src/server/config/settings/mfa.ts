/** Settings of the second factor (accounts supplement 5.12). */
import * as z from 'zod'
import { listOf, oneOf, setting, text, whole, yesOrNo, type Kind } from '../setting.js'

/** A request to the operator's text message service; `{{ name }}` stands for a value of the enrolment, or the code. */
export interface SmsEndpoint {
  url: string
  method: 'POST' | 'GET'
  body?: string
  headers: Record<string, string>
  /** What the answer to a code must hold for the code to be right. */
  success?: { jsonPath: string; equals: unknown }
}

const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_-]+)\s*\}\}/g

const template = z.string().refine((url) => {
  // No value of an account may choose the host.
  return /^https?:\/\/[^/?#{}]+([/?#]|$)/.test(url) && URL.canParse(url.replace(PLACEHOLDER, 'x'))
})

const endpointSchema = z
  .strictObject({
    url: template,
    method: z.enum(['POST', 'GET']).default('POST'),
    body: z.string().optional(),
    headers: z.record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/), z.string()).default({}),
    success: z.strictObject({ jsonPath: z.string().min(1), equals: z.json() }).optional(),
  })
  // Values are escaped by what the body is: one of an unknown kind would take them as they are.
  .refine(({ body, headers }) => body === undefined || bodyKind(headers) !== undefined)

/** How values are escaped in the body of a request, by its `Content-Type`: JSON without one; undefined for others. */
export function bodyKind(headers: Readonly<Record<string, string>>): 'json' | 'form' | undefined {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  if (type === undefined || /^application\/([\w.-]+\+)?json\b/i.test(type)) return 'json'
  return /^application\/x-www-form-urlencoded\b/i.test(type) ? 'form' : undefined
}

/** A template with `{{ name }}` replaced once, each value by what `escape` makes of it; unknown names stay as written. */
export function filledTemplate(
  text: string,
  values: Readonly<Record<string, string>>,
  escape: (value: string) => string,
): string {
  return text.replace(PLACEHOLDER, (written, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return value === undefined ? written : escape(value)
  })
}

const endpoint: Kind<SmsEndpoint> = {
  reads: 'literal',
  form: 'an object with url, and where needed method (POST or GET), body (JSON or a form), headers, success { jsonPath, equals }',
  schema: endpointSchema as z.ZodType<SmsEndpoint>,
}

const modes = ['single', 'challenge-verify'] as const
const seconds = ' of seconds'

const sending = (when: string) =>
  setting(endpoint, { default: null, secret: true, summary: `Request to the text message service ${when}.` })

export const mfaSettings = {
  'services.mfa.active': setting(yesOrNo, {
    default: true,
    summary: 'Accounts may have a second factor; false: none is asked for, and none can be set up.',
  }),
  'services.mfa.defaultMethod': setting(oneOf('totp', 'sms'), {
    default: 'totp',
    summary: 'The second factor that is set up when an app names none, as far as it is offered.',
  }),
  'services.mfa.methods.totp.active': setting(yesOrNo, { default: true, summary: 'Authenticator apps are offered.' }),
  'services.mfa.methods.totp.issuer': setting(text(), {
    default: '',
    summary: 'What authenticator apps call this service; without it, its domain, else its name.',
  }),
  'services.mfa.methods.totp.digits': setting(whole(6, 8), {
    default: 6,
    summary: 'Digits of a code of an authenticator app, for new enrolments.',
  }),
  'services.mfa.methods.totp.periodSeconds': setting(whole(1, 3600, seconds), {
    default: 30,
    summary: 'How long an authenticator app shows a code, for new enrolments.',
  }),
  'services.mfa.methods.totp.driftSteps': setting(whole(0, 10), {
    default: 1,
    summary: 'How many codes before and after the present one are taken, for clocks that differ.',
  }),
  'services.mfa.methods.sms.active': setting(yesOrNo, {
    default: false,
    summary: 'Codes by text message are offered, through a service of the operator.',
  }),
  'services.mfa.methods.sms.mode': setting(oneOf(...modes), {
    default: 'single',
    summary: 'Who makes the codes. single: the node; challenge-verify: the text message service, which checks them too.',
  }),
  'services.mfa.methods.sms.endpoints.single': sending('that sends a code of the node'),
  'services.mfa.methods.sms.endpoints.challenge': sending('that makes and sends a code'),
  'services.mfa.methods.sms.endpoints.verify': sending('that checks a code'),
  'services.mfa.methods.sms.contentKeys': setting(
    listOf(z.string().regex(/^(?!(phone|code|password|method)$)[A-Za-z0-9_-]{1,64}$/), 'a list of names'),
    { default: [], summary: 'What an app may give beside the phone number, for the text message service.' },
  ),
  'services.mfa.methods.sms.codeLength': setting(whole(4, 10), {
    default: 6,
    summary: 'Digits of a code by text message.',
  }),
  'services.mfa.methods.sms.codeTtlSeconds': setting(whole(1, 86_400, seconds), {
    default: 300,
    summary: 'How long a code by text message is taken.',
  }),
  'services.mfa.methods.sms.sendLimits.minIntervalSeconds': setting(whole(0, 86_400, seconds), {
    default: 30,
    summary: 'Least time between two text messages of one login; 0 is off.',
  }),
  'services.mfa.methods.sms.sendLimits.perUserPerHour': setting(whole(0), {
    default: 5,
    summary: 'Most text messages of one account in an hour; 0 is off.',
  }),
  'services.mfa.methods.sms.sendLimits.perDestinationPerDay': setting(whole(0), {
    default: 10,
    summary: 'Most text messages to one phone number in a day; 0 is off.',
  }),
  'services.mfa.mode': setting(oneOf('disabled', ...modes), {
    default: 'disabled',
    summary: 'Older way to offer text messages, in this mode and alone; disabled leaves it to the other settings.',
  }),
  'services.mfa.sms.endpoints.single': sending('that sends a code, in its older place'),
  'services.mfa.sms.endpoints.challenge': sending('that makes and sends a code, in its older place'),
  'services.mfa.sms.endpoints.verify': sending('that checks a code, in its older place'),
  'services.mfa.sessions.ttlSeconds': setting(whole(1, 86_400, seconds), {
    default: 1800,
    summary: 'How long a login waits for its second factor, and a new factor for its confirmation.',
  }),
  'services.mfa.sessions.maxPending': setting(whole(1), {
    default: 10_000,
    summary: 'Most logins and new factors that may wait at a time.',
  }),
  'services.mfa.sessions.maxPendingPerUser': setting(whole(1), {
    default: 5,
    summary: 'Most logins of one account that may wait at a time: one more ends the oldest.',
  }),
  'services.mfa.attempts.perSession': setting(whole(1), {
    default: 5,
    summary: 'Wrong codes that one waiting login stands: the last of them ends it.',
  }),
  'services.mfa.attempts.perAccount': setting(whole(0), {
    default: 20,
    summary: 'Wrong codes after which an account takes none for a while; 0 is off.',
  }),
  'services.mfa.attempts.perAccountWindowSeconds': setting(whole(1, undefined, seconds), {
    default: 900,
    summary: 'Wrong codes are forgotten when the latest is older than this.',
  }),
  'services.mfa.attempts.lockoutSeconds': setting(whole(0, undefined, seconds), {
    default: 900,
    summary: 'How long an account takes no code after too many wrong ones.',
  }),
  'services.mfa.attempts.backoff.freeFailures': setting(whole(0), {
    default: 3,
    summary: 'Wrong codes that do not delay the next attempt.',
  }),
  'services.mfa.attempts.backoff.baseSeconds': setting(whole(0, undefined, seconds), {
    default: 2,
    summary: 'The first delay after wrong codes; each further one doubles it.',
  }),
  'services.mfa.attempts.backoff.maxSeconds': setting(whole(0, undefined, seconds), {
    default: 300,
    summary: 'The longest delay after wrong codes; 0 switches off all that is counted by account.',
  }),
  'services.mfa.stepUp.required': setting(yesOrNo, {
    default: false,
    summary: 'Taking the second factor away asks for the password or a code; replacing it always does.',
  }),
  'services.mfa.allowLoginWhenMethodInactive': setting(yesOrNo, {
    default: false,
    summary: 'Accounts whose second factor is not offered any more log in without it; false: they cannot log in.',
  }),
} as const

/**
 * What settings of the second factor lack beside each other: text messages need the requests of their mode.
 * `get` answers the effective value of a setting.
 */
export function mfaLacks(get: (key: keyof typeof mfaSettings) => unknown): { key: keyof typeof mfaSettings; why: string } | undefined {
  if (get('services.mfa.active') === false) return undefined
  const older = get('services.mfa.mode')
  const isOlder = older !== 'disabled'
  if (!isOlder && get('services.mfa.methods.sms.active') !== true) return undefined
  const mode = isOlder ? older : get('services.mfa.methods.sms.mode')
  for (const name of mode === 'single' ? (['single'] as const) : (['challenge', 'verify'] as const)) {
    const key = `services.mfa.methods.sms.endpoints.${name}` as const
    const isGiven = get(key) !== null || get(`services.mfa.sms.endpoints.${name}`) !== null
    if (!isGiven) return { key, why: `codes by text message in the mode ${String(mode)} need ${key}` }
  }
  return undefined
}
