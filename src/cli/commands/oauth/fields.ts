/** Options and file fields that describe an OAuth client, and their conversion for the API. */
import { readInput } from '../../terminal/input/text.js'
import { usageError } from '../../framework/exit.js'
import { recordOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { ParamsOf } from '../../client/nodeClient.js'
import { choice, inputFile, list, text } from '../../framework/option.js'
import type { Terminal } from '../../terminal/terminal.js'

export const clientOptions = {
  name: text('Display name', { placeholder: 'name' }),
  redirectUri: list('Redirect URI, compared character by character', { placeholder: 'uri' }),
  cmcOffer: list('Consent offer that the client can request, with its capabilityUrl', { placeholder: 'name=url' }),
  scope: list('Additional scope that the client can request', { placeholder: 'scope' }),
  grantType: list('Grant type', {
    placeholder: 'grant',
    suggests: ['authorization_code', 'refresh_token', 'client_credentials'],
  }),
  clientUri: text('URL of its home page', { placeholder: 'url' }),
  logoUri: text('URL of its logo', { placeholder: 'url' }),
  applicationType: choice(['web', 'native'] as const, 'Kind of application'),
  jwks: inputFile('File with its public keys, EC P-256, as JSON'),
  user: text('App account of the client', { placeholder: 'username', names: 'user' }),
  file: inputFile('File with all fields as JSON, named as in the output of show; options override it'),
}

interface ClientOptions {
  name: string | undefined
  redirectUri: readonly string[]
  cmcOffer: readonly string[]
  scope: readonly string[]
  grantType: readonly string[]
  clientUri: string | undefined
  logoUri: string | undefined
  applicationType: string | undefined
  jwks: string | undefined
  user: string | undefined
  file: string | undefined
}

/** Field names in files, mapped to those of the API. */
const NAMES: Readonly<Record<string, string>> = {
  client_id: 'clientId',
  client_name: 'clientName',
  redirect_uris: 'redirectUris',
  grant_types: 'grantTypes',
  scope: 'scope',
  client_uri: 'clientUri',
  logo_uri: 'logoUri',
  application_type: 'applicationType',
  jwks: 'jwks',
  cmc_offers: 'cmcOffers',
  username: 'username',
}

/** Fields of a client. The node validates their values, which may come from a file. */
export type ClientInput = Partial<ParamsOf<'oauth.clients.create'>['client']>

/** Returns the given fields of a client. @throws CommandError 2 for invalid input */
export async function clientOf<C extends ClientInput | ParamsOf<'oauth.clients.update'>['client']>(terminal: Terminal, options: ClientOptions): Promise<C> {
  const fields = options.file === undefined ? {} : fromFile(recordOf(await readJson(terminal, '--file', options.file)))
  const input: Record<string, unknown> = {
    clientName: options.name,
    redirectUris: some(options.redirectUri),
    scope: some(options.scope),
    grantTypes: some(options.grantType),
    clientUri: options.clientUri === '' ? null : options.clientUri,
    logoUri: options.logoUri === '' ? null : options.logoUri,
    applicationType: options.applicationType,
    username: options.user,
    cmcOffers: offersOf(options.cmcOffer),
  }
  for (const [name, value] of Object.entries(input)) if (value !== undefined) fields[name] = value
  if (options.jwks !== undefined) fields['jwks'] = keysIn(await readJson(terminal, '--jwks', options.jwks))
  return fields as C
}

const some = (words: readonly string[]): readonly string[] | undefined => (words.length === 0 ? undefined : words)

function fromFile(file: Record_): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(file)) {
    const field = NAMES[name]
    if (field === undefined) {
      throw usageError(`--file: unknown field "${name}"`, `Known fields: ${Object.keys(NAMES).join(', ')}`)
    }
    if (value === null) continue
    fields[field] = name === 'scope' && typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : value
  }
  return fields
}

/** Parses `study=https://…` options; an empty URL removes the offer. */
function offersOf(words: readonly string[]): Record<string, { capabilityUrl: string } | null> | undefined {
  if (words.length === 0) return undefined
  const offers: Record<string, { capabilityUrl: string } | null> = {}
  for (const word of words) {
    const at = word.indexOf('=')
    if (at <= 0) throw usageError(`--cmc-offer takes a name and a URL, such as study=https://<token>@host/lab/, not ${JSON.stringify(word)}`)
    const url = word.slice(at + 1)
    offers[word.slice(0, at)] = url === '' ? null : { capabilityUrl: url }
  }
  return offers
}

/** Wraps a single key in a key set. */
const keysIn = (value: unknown): unknown => ('kty' in recordOf(value) ? { keys: [value] } : value)

async function readJson(terminal: Terminal, option: string, named: string): Promise<unknown> {
  const input = await readInput(terminal, named, 'the JSON', 2)
  try {
    return JSON.parse(input) as unknown
  } catch {
    throw usageError(`${option}: ${named === '-' ? 'stdin' : `the file ${named}`} is not valid JSON`)
  }
}
