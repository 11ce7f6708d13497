/** Examples for accesses, access requests, OAuth, shared secrets and webhooks. */
import { access, ACCESS_ID, NODE, permissions, requested, serviceInfo, TIME, TOKEN } from './common.js'
import type { Examples } from './example.js'

const KEY = 'Vh3kQ9xT2mLr7pWz'
const SECRET_KEY = 'cmh2xg7h80000t6s1u5i6o7p8.9fK2xQ7vLm4RtY1cHs8WdZ3nPb6JgAeU0oXiTq5kVyM'
const WEBHOOK_ID = 'cmh2xj9k00000u7s1a2s3d4f5'
const account = { username: 'ana-lovelace', apiEndpoint: `https://${TOKEN}@node.example.org/ana-lovelace/` }

const request = {
  status: 'NEED_SIGNIN',
  key: KEY,
  url: `${NODE}web/authorize?key=${KEY}`,
  authUrl: `${NODE}web/authorize?key=${KEY}`,
  poll: `${NODE}reg/access/${KEY}`,
  poll_rate_ms: 1000,
  requestingAppId: 'weight-diary',
  requestedPermissions: requested,
  lang: 'en',
  serviceInfo,
}

const webhook = {
  id: WEBHOOK_ID,
  accessId: ACCESS_ID,
  url: 'https://lab.example.org/changes',
  state: 'active',
  runCount: 2,
  failCount: 0,
  lastRun: { status: 200, timestamp: TIME + 60 },
  runs: [
    { status: 200, timestamp: TIME + 60 },
    { status: 200, timestamp: TIME },
  ],
  currentRetries: 0,
  maxRetries: 5,
  minIntervalMs: 5000,
  created: TIME,
  createdBy: ACCESS_ID,
  modified: TIME,
  modifiedBy: ACCESS_ID,
}

const sharedSecret = {
  id: 'cmh2xg7h80000t6s1u5i6o7p8',
  title: 'Wi-Fi',
  status: 'pending',
  statusHistory: [{ status: 'pending', time: TIME }],
  onConsumed: { message: 'This link has already been used.' },
  expires: TIME + 3600,
}

export const sharingExamples: Examples = {
  getAccessInfo: {
    params: {},
    answer: {
      id: ACCESS_ID,
      token: TOKEN,
      type: 'app',
      name: 'weight-diary',
      permissions,
      lastUsed: TIME + 60,
      created: TIME,
      createdBy: 'cmh2x1q2w0000k1s1p9o8i7u6',
      modified: TIME,
      modifiedBy: 'cmh2x1q2w0000k1s1p9o8i7u6',
      calls: { 'events:get': 12, 'events:create': 3 },
      user: { username: 'ana-lovelace' },
    },
  },
  'accesses.create': { params: { name: 'Dr Weber', permissions, expireAfter: 2_592_000 }, answer: { access } },
  'accesses.get': { params: { includeExpired: true }, answer: { accesses: [access] } },
  'accesses.getOne': { params: { id: access.id, includeHistory: true }, answer: { access, history: [] } },
  'accesses.update': {
    params: { id: access.id, update: { name: 'Dr Weber, until May', expireAfter: 86_400 } },
    answer: { access: { ...access, id: `${access.id}:1`, name: 'Dr Weber, until May', expires: TIME + 86_400 } },
  },
  'accesses.delete': { params: { id: access.id }, answer: { accessDeletion: { id: access.id } } },
  'accesses.checkApp': {
    params: { requestingAppId: 'weight-diary', requestedPermissions: requested },
    answer: { checkedPermissions: [{ streamId: 'weight', level: 'contribute', name: 'Weight' }] },
  },
  'accessRequest.ask': { params: { requestingAppId: 'weight-diary', requestedPermissions: requested }, answer: request },
  'accessRequest.poll': { params: { key: KEY }, answer: { status: 'ACCEPTED', ...account, token: TOKEN }, status: 200 },
  'accessRequest.decide': {
    params: { key: KEY, status: 'ACCEPTED', username: 'ana-lovelace', token: TOKEN },
    answer: { status: 'ACCEPTED', ...account, token: TOKEN },
    status: 200,
  },
  'oauth.authorize': {
    params: {
      client_id: 'heart-lab',
      response_type: 'code',
      redirect_uri: 'https://lab.example.org/callback',
      scope: 'cmc:heart',
      state: 'af0ifjsldkj',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
    curl: ['-i'],
    location: `${NODE}web/oauth-consent?state=eyJjbGllbnRJZCI&pryvApi=https%3A%2F%2Fnode.example.org`,
    httpOnly: true,
  },
  'oauth.accept': {
    params: { state: '<state of oauth.authorize>', username: 'ana-lovelace', userToken: '<personal token>', grantedPermissions: permissions },
    answer: { redirectTo: 'https://lab.example.org/callback?code=Yq3kR7&state=af0ifjsldkj&iss=https%3A%2F%2Fnode.example.org' },
    httpOnly: true,
  },
  'oauth.refuse': {
    params: { state: '<state of oauth.authorize>' },
    answer: { redirectTo: 'https://lab.example.org/callback?error=access_denied&state=af0ifjsldkj&iss=https%3A%2F%2Fnode.example.org' },
    httpOnly: true,
  },
  'oauth.token': {
    params: { grant_type: 'refresh_token', client_id: 'heart-lab', refresh_token: '<refresh token>' },
    answer: {
      access_token: TOKEN,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'rt_8sKd02mXq',
      scope: 'cmc:heart',
      apiEndpoint: account.apiEndpoint,
    },
    httpOnly: true,
  },
  'oauth.metadata': {
    params: {},
    answer: {
      issuer: 'https://node.example.org',
      authorization_endpoint: `${NODE}oauth2/authorize`,
      token_endpoint: `${NODE}oauth2/token`,
      scopes_supported: ['cmc:*'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt', 'none'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      dpop_signing_alg_values_supported: ['ES256'],
    },
  },
  'sharedSecrets.create': {
    params: { title: 'Wi-Fi', ttl: 3600, onConsumed: { message: 'This link has already been used.' }, secret: 'correct horse' },
    answer: { sharedSecret: { ...sharedSecret, key: SECRET_KEY } },
  },
  'sharedSecrets.getOne': { params: { key: SECRET_KEY }, answer: { sharedSecret } },
  'sharedSecrets.retrieve': { params: { key: SECRET_KEY }, answer: { secret: 'correct horse' } },
  'webhooks.create': {
    params: { url: 'https://lab.example.org/changes' },
    authorization: '<token of an app>',
    answer: { webhook: { ...webhook, runCount: 0, lastRun: { status: 0, timestamp: 0 }, runs: [] } },
  },
  'webhooks.get': { params: {}, answer: { webhooks: [webhook] } },
  'webhooks.getOne': { params: { id: WEBHOOK_ID }, answer: { webhook } },
  'webhooks.update': { params: { id: WEBHOOK_ID, update: { state: 'inactive' } }, answer: { webhook: { ...webhook, state: 'inactive', modified: TIME + 120 } } },
  'webhooks.delete': { params: { id: WEBHOOK_ID }, answer: { webhookDeletion: { id: WEBHOOK_ID, deleted: TIME + 120 } } },
  'webhooks.test': { params: { id: WEBHOOK_ID }, answer: { webhook } },
}
