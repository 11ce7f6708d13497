import * as z from 'zod'
import { anybody } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { errorAnswer, publicAnswer } from './answers.js'
import { authorizationEndpoint, issuerOf, tokenEndpoint } from './issuer.js'
import { scopeNamespaces } from './scopes.js'

const CACHE_SECONDS = 300

const Metadata = z.looseObject({
  issuer: z.string().describe('Identifier of this authorization server: its base URL.'),
  authorization_endpoint: z.string().describe('URL of oauth.authorize.'),
  token_endpoint: z.string().describe('URL of oauth.token.'),
  scopes_supported: z.array(z.string()).describe('Forms of scopes.'),
  response_types_supported: z.array(z.string()).describe('Supported response types.'),
  grant_types_supported: z.array(z.string()).describe('Supported grant types.'),
  code_challenge_methods_supported: z.array(z.string()).describe('Supported PKCE methods.'),
})

const metadataOf = (node: Context): z.output<typeof Metadata> => ({
  issuer: issuerOf(node),
  authorization_endpoint: authorizationEndpoint(node),
  token_endpoint: tokenEndpoint(node),
  scopes_supported: scopeNamespaces.map((namespace) => `${namespace}:*`),
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: node.config.get('oauth.grantTypesSupported'),
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt', 'none'],
  token_endpoint_auth_signing_alg_values_supported: ['ES256'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  dpop_signing_alg_values_supported: ['ES256'],
})

/** Authorization server metadata (RFC 8414; docs/interface/oauth.md#metadata). */
export const metadata = platformMethod({
  id: 'oauth.metadata',
  summary: 'Describes this OAuth authorization server.',
  http: { verb: 'GET', path: '/.well-known/oauth-authorization-server' },
  caller: anybody,
  input: z.unknown(),
  output: () => Metadata,
  protocol: {
    failed: errorAnswer,
    cors: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Methods': 'GET, OPTIONS', 'Access-Control-Max-Age': '3600' },
    answers: { 200: { description: 'The metadata.', type: 'application/json', schema: Metadata } },
  },
  notInBatch: true,
  fails: [],
  run: ({ node }) => publicAnswer(metadataOf(node), CACHE_SECONDS),
})
