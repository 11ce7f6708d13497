import * as z from 'zod'
import { platformMethod } from '../method.js'
import { errorAnswer, jsonAnswer, jsonErrors } from './answers.js'
import { textOf, type Asked } from './asked.js'
import { exchangeCode } from './byCode.js'
import { grantToClient } from './byClient.js'
import { refresh } from './byRefresh.js'
import { shownByClient } from './clientAuth.js'
import { proveAtToken } from './dpop.js'
import { OAuthError } from './errors.js'
import type { TokenRequest, TokenSet } from './tokenRequest.js'

const grants: Readonly<Record<string, (request: TokenRequest) => Promise<TokenSet>>> = {
  authorization_code: exchangeCode,
  client_credentials: grantToClient,
  refresh_token: refresh,
}

const parameter = z.unknown().optional()

const Tokens = z.object({
  access_token: z.string(),
  token_type: z.enum(['Bearer', 'DPoP']),
  expires_in: z.number(),
  refresh_token: z.string().optional(),
  scope: z.string(),
  apiEndpoint: z.string(),
})

/** RFC 6749, 3.2; consent supplement 4.7. */
export const token = platformMethod({
  id: 'oauth.token',
  summary: 'Gives OAuth clients tokens.',
  http: { verb: 'POST', path: '/oauth2/token' },
  input: z.looseObject({
    grant_type: parameter,
    client_id: parameter,
    client_secret: parameter,
    client_assertion: parameter,
    client_assertion_type: parameter,
    code: parameter,
    code_verifier: parameter,
    redirect_uri: parameter,
    refresh_token: parameter,
    scope: parameter,
  }),
  output: Tokens,
  protocol: {
    failed: errorAnswer,
    form: true,
    cors: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': 'POST, GET, OPTIONS',
      'Access-Control-Allow-Headers': 'Content-Type, Authorization, DPoP',
      'Access-Control-Expose-Headers': 'API-Version, WWW-Authenticate',
      'Access-Control-Max-Age': '3600',
      Vary: 'Origin',
    },
    answers: { 200: { description: 'The tokens.', type: 'application/json', schema: Tokens }, ...jsonErrors },
  },
  alone: true,
  fails: [],
  async run(call, asked: Asked) {
    const { node, origin } = call
    const proved = origin.proof === undefined ? undefined : await proveAtToken(node, origin.proof)
    const type = textOf(asked, 'grant_type')
    if (type === undefined) throw new OAuthError('invalid_request', 'The parameter grant_type is missing.')
    const grant = Object.hasOwn(grants, type) ? grants[type] : undefined
    if (grant === undefined) throw new OAuthError('unsupported_grant_type', `The grant type "${type}" is not supported.`)
    return jsonAnswer(await grant({ call, asked, shown: shownByClient(call, asked), jkt: proved?.jkt }))
  },
})
