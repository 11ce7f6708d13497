/** Input of a registration (docs/interface/registration.md#parameters), with an error code for each faulty field. */
import * as z from 'zod'
import { fieldFault, LANGUAGE, MAX_EMAIL } from '../../../store/model/accountFieldValue.js'
import { invalidFormat, type ValidationItem } from '../../../store/model/failure.js'
import { isJsonObject } from '../../../store/model/json.js'
import type { SystemStreams } from '../../../store/model/systemStreams.js'

export interface Registration {
  username: string
  password: string
  appId: string
  language: string
  invitationToken?: string
  referer?: string
  /** Key of the hosting whose cores may have the account; any core without it. */
  hosting?: string
  /** Proof obtained for a mailed code, where registration requires a verified address. */
  emailProof?: string
  /** Values of the configured account fields, by field name. */
  fields: Record<string, string | number>
}

interface Bounds {
  min: number
  max: number
  pattern?: RegExp
}

export const USERNAME = /^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]$/
const BOUNDS: Record<string, Bounds> = {
  username: { min: 5, max: 60, pattern: USERNAME },
  password: { min: 6, max: 100 },
  appId: { min: 6, max: 99 },
  language: { min: 2, max: 5, pattern: LANGUAGE },
  invitationToken: { min: 0, max: 1000 },
  referer: { min: 1, max: 99 },
  email: { min: 1, max: MAX_EMAIL },
  emailProof: { min: 1, max: 200 },
}
/**
 * Documentation schema of a registration; `readRegistration` validates it. Account fields of the node's settings are members too.
 */
export const RegistrationBody = z.looseObject({
  username: z.string().min(5).max(60).regex(USERNAME).describe('User name: a-z, 0-9 and hyphens.'),
  password: z.string().min(6).max(100).describe("Password; must meet the node's password rules."),
  appId: z.string().min(6).max(99).describe('Id of the app that registers.'),
  email: z.string().max(MAX_EMAIL).optional().describe("E-mail address; required unless the node's settings say otherwise."),
  language: z.string().max(5).regex(LANGUAGE).optional().describe('Language, such as en or pt-BR; default en.'),
  invitationToken: z.string().max(1000).optional().describe('Invitation token, where the node requires one.'),
  emailProof: z.string().max(200).optional().describe('Proof of auth.emailChallengeVerify, where the node requires verified addresses.'),
  referer: z.string().max(99).optional().describe('Where the person came from.'),
  hosting: z.string().optional().describe('Key of the hosting that serves the account, as in reg.hostings; default: any.'),
})

/** Length limits of configured fields without limits of their own. */
const FIELD_BOUNDS: Bounds = { min: 0, max: 1000 }

/** Checks whether a text has the form of a user name. */
export const isUsername = (text: string): boolean => USERNAME.test(text)

const TITLES: Record<string, string> = { username: 'Username', password: 'Password', appId: 'App id', email: 'Email' }
const titleOf = (name: string): string => TITLES[name] ?? name.charAt(0).toUpperCase() + name.slice(1)

/**
 * Parses a registration. Required account fields may be absent when `isWhole` is false.
 * @throws Failure `invalid-parameters-format` with an item per faulty field
 */
export function readRegistration(body: unknown, systemStreams: SystemStreams, isWhole = true): Registration {
  if (!isJsonObject(body)) {
    throw invalidFormat([{ code: 'INVALID_TYPE', message: 'The body must be a JSON object.', path: '#/' }])
  }
  const members = new Map<string, unknown>(Object.entries(body))
  const email = members.get('email')
  // Trims addresses, since forms send surrounding blanks.
  if (typeof email === 'string') members.set('email', email.trim())
  const legacyAppId = members.get('appid')
  if (members.get('appId') === undefined && legacyAppId !== undefined) members.set('appId', legacyAppId)
  const items: ValidationItem[] = []

  function required(name: string): void {
    items.push({ code: `${name}-required`, message: `${titleOf(name)} is required`, path: '#/', param: name })
  }
  function invalid(name: string): undefined {
    items.push({
      code: `${name.toLowerCase() === 'appid' ? 'appid' : name}-invalid`,
      message: `${titleOf(name)} is invalid`,
      path: `#/${name}`,
      param: name,
    })
    return undefined
  }
  function text(name: string): string | undefined {
    const value = members.get(name)
    if (value === undefined) return undefined
    const bounds = BOUNDS[name] ?? FIELD_BOUNDS
    if (typeof value !== 'string' || value.length < bounds.min || value.length > bounds.max) return invalid(name)
    return bounds.pattern === undefined || bounds.pattern.test(value) ? value : invalid(name)
  }

  for (const name of ['username', 'password', 'appId']) if (members.get(name) === undefined) required(name)
  const username = text('username')
  const password = text('password')
  const appId = text('appId')
  const language = text('language')
  const invitationToken = text('invitationToken')
  const emailProof = text('emailProof')
  const referer = members.get('referer') === null ? undefined : text('referer')
  const fields: Record<string, string | number> = {}
  for (const field of systemStreams.fields) {
    if (!field.streamId.startsWith(':system:') || field.isContainer) continue
    const value = members.get(field.id)
    if (value === undefined) {
      if (isWhole && field.isRequiredInValidation) required(field.id)
      continue
    }
    const read = typeof value === 'number' && field.id !== 'email' ? value : text(field.id)
    if (read === undefined) continue
    const fault = fieldFault(field, read)
    if (fault === undefined) fields[field.id] = read
    else items.push(fault)
  }
  if (items.length > 0 || username === undefined || password === undefined || appId === undefined) {
    throw invalidFormat(items)
  }
  const registration: Registration = { username, password, appId, language: language ?? 'en', fields }
  if (invitationToken !== undefined) registration.invitationToken = invitationToken
  if (referer !== undefined) registration.referer = referer
  const hosting = members.get('hosting')
  // Clients also send null, or an empty text.
  if (typeof hosting === 'string' && hosting !== '') registration.hosting = hosting
  if (emailProof !== undefined) registration.emailProof = emailProof
  return registration
}
