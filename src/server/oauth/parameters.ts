/** Parameters of OAuth requests, as forms, queries or JSON bring them. */
import { OAuthError } from './errors.js'

/** What a client sent, by name. */
export type OAuthParameters = Readonly<Record<string, unknown>>

/**
 * The text of a parameter; undefined when it was not sent, or without a value.
 * @throws OAuthError `invalid_request` when it is no text, or was sent more than once (RFC 6749, 3.1, 3.2)
 */
export function textOf(input: OAuthParameters, name: string): string | undefined {
  const value = input[name]
  if (value === undefined || value === null || value === '') return undefined
  if (Array.isArray(value)) throw new OAuthError('invalid_request', `The parameter ${name} was sent more than once.`)
  if (typeof value !== 'string') throw new OAuthError('invalid_request', `The parameter ${name} must be a text.`)
  return value
}

/** The text of a parameter that must be there. Throws OAuthError `invalid_request`. */
export function required(input: OAuthParameters, name: string): string {
  const value = textOf(input, name)
  if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`)
  return value
}
