/** Parameters of OAuth requests, from forms, queries or JSON. */
import * as z from 'zod'
import { OAuthError } from './errors.js'

/** Schema of a parameter that the method validates itself, since errors of this protocol have their own format. */
export const oauthParameter = z.unknown().optional().meta({ type: 'string' })

/** Parameters by name. */
export type OAuthParameters = Readonly<Record<string, unknown>>

/**
 * Returns a text parameter; undefined when absent or empty.
 * @throws OAuthError `invalid_request` when it is not a string, or was sent more than once (RFC 6749, 3.1, 3.2)
 */
export function textOf(input: OAuthParameters, name: string): string | undefined {
  const value = input[name]
  if (value === undefined || value === null || value === '') return undefined
  if (Array.isArray(value)) throw new OAuthError('invalid_request', `The parameter ${name} was sent more than once.`)
  if (typeof value !== 'string') throw new OAuthError('invalid_request', `The parameter ${name} must be a string.`)
  return value
}

/**
 * Returns a required text parameter.
 * @throws OAuthError `invalid_request`
 */
export function required(input: OAuthParameters, name: string): string {
  const value = textOf(input, name)
  if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`)
  return value
}
