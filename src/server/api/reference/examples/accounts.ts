/** Examples for accounts, profile sets, logins, second factors and delegations. */
import { account, ACCESS_ID, MFA_TOKEN, NODE, RELATION_ID, TIME, TOKEN } from './common.js'
import type { Examples } from './example.js'

const apiEndpoint = `https://${TOKEN}@node.example.org/ana-lovelace/`
const ORIGIN = "-H 'Origin: https://app.example.org'"
const credentials = { username: 'ana-lovelace', password: 'correct horse', appId: 'weight-diary' }
const registration = { ...credentials, email: 'ana@example.org' }
const SECRET = 'JBSWY3DPEHPK3PXP'
const recoveryCodes = [
  '0f9b1c1e-6f1d-4c57-9d0a-2d5c8e1f7a30',
  '1a2b3c4d-5e6f-4a1b-8c9d-0e1f2a3b4c5d',
  '2b3c4d5e-6f7a-4b2c-9d0e-1f2a3b4c5d6e',
]

export const accountExamples: Examples = {
  'account.get': { params: {}, answer: { account } },
  'account.update': { params: { update: { language: 'fr' } }, answer: { account: { ...account, language: 'fr' } } },
  'account.changePassword': { params: { oldPassword: 'correct horse', newPassword: 'battery staple' }, answer: {}, httpOnly: true },
  'account.changeUsername': {
    params: { newUsername: 'ana-byron' },
    answer: { account: { ...account, username: 'ana-byron' }, usernameChangesRemaining: 2 },
  },
  'account.usernameChanges': { params: {}, answer: { usernameChangesUsed: 1, usernameChangesLimit: 3, usernameChangesRemaining: 2 } },
  'account.requestPasswordReset': { params: { appId: 'weight-diary' }, curl: [ORIGIN], answer: {} },
  'account.resetPassword': {
    params: { appId: 'weight-diary', resetToken: '<token of the mail>', newPassword: 'battery staple' },
    curl: [ORIGIN],
    answer: {},
    httpOnly: true,
  },
  'account.verifyEmail': { params: { token: '<token of the mail>' }, answer: { email: 'ana@example.org' }, httpOnly: true },
  'profile.get': { params: { id: 'public' }, answer: { profile: { name: 'Ana' } } },
  'profile.getPublic': { params: {}, answer: { profile: { name: 'Ana' } } },
  'profile.getPrivate': { params: {}, answer: { profile: { theme: 'dark' } } },
  'profile.getApp': { params: {}, authorization: '<token of an app>', answer: { profile: { theme: 'dark' } }, httpOnly: true },
  'profile.update': { params: { id: 'public', update: { name: 'Ana' } }, answer: { profile: { name: 'Ana' } } },
  'profile.updatePublic': { params: { update: { name: 'Ana' } }, answer: { profile: { name: 'Ana' } } },
  'profile.updatePrivate': { params: { update: { theme: 'dark' } }, answer: { profile: { theme: 'dark' } } },
  'profile.updateApp': { params: { update: { theme: 'dark' } }, authorization: '<token of an app>', answer: { profile: { theme: 'dark' } }, httpOnly: true },
  'followedSlices.create': {
    params: { name: 'Ben, heart', url: `${NODE}ben-hopper/`, accessToken: TOKEN },
    answer: { followedSlice: { id: 'cmh2xe5f60000s5s1q1w2e3r4', name: 'Ben, heart', url: `${NODE}ben-hopper/`, accessToken: TOKEN } },
  },
  'followedSlices.get': {
    params: {},
    answer: { followedSlices: [{ id: 'cmh2xe5f60000s5s1q1w2e3r4', name: 'Ben, heart', url: `${NODE}ben-hopper/`, accessToken: TOKEN }] },
  },
  'followedSlices.update': {
    params: { id: 'cmh2xe5f60000s5s1q1w2e3r4', update: { name: 'Ben' } },
    answer: { followedSlice: { id: 'cmh2xe5f60000s5s1q1w2e3r4', name: 'Ben', url: `${NODE}ben-hopper/`, accessToken: TOKEN } },
  },
  'followedSlices.delete': { params: { id: 'cmh2xe5f60000s5s1q1w2e3r4' }, answer: { followedSliceDeletion: { id: 'cmh2xe5f60000s5s1q1w2e3r4' } } },
  'auth.register': { params: registration, answer: { username: 'ana-lovelace', apiEndpoint, token: TOKEN }, httpOnly: true },
  'auth.delete': { params: { username: 'ana-lovelace' }, authorization: '<admin key>', answer: { userDeletion: { username: 'ana-lovelace' } } },
  'auth.emailChallenge': { params: { email: 'ana@example.org' }, answer: { sent: true } },
  'auth.emailChallengeVerify': { params: { email: 'ana@example.org', code: '123456' }, answer: { emailProof: 'pf_3mX9kQ2rT7' } },
  'auth.login': { params: credentials, curl: [ORIGIN], answer: { token: TOKEN, apiEndpoint, preferredLanguage: 'en' }, httpOnly: true },
  'auth.logout': { params: {}, answer: {}, httpOnly: true },
  'auth.sessions': {
    params: {},
    answer: { sessions: [{ id: ACCESS_ID, app: 'weight-diary', since: TIME, lastUsed: TIME + 60, expires: TIME + 1_209_660, current: true }] },
  },
  'auth.endSessions': { params: { ids: [ACCESS_ID] }, answer: { ended: [ACCESS_ID] }, httpOnly: true },
  'auth.ssoProviders': { params: {}, answer: { providers: [{ id: 'google', label: 'Google' }] } },
  'auth.ssoStart': {
    params: { provider: 'google', ssoReturn: 'page=7' },
    curl: ['-i'],
    location: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=node&response_type=code&state=5hQ',
    httpOnly: true,
  },
  'auth.ssoCallback': {
    params: { provider: 'google', code: 'Yq3kR7', state: '5hQ' },
    curl: ['-i', "--cookie '<cookie of auth.ssoStart>'"],
    location: 'https://app.example.org/sign-in#ssoStatus=ok&ssoUser=ana-lovelace&ssoKey=5hQ',
    httpOnly: true,
  },
  'mfa.activate': {
    params: { method: 'totp' },
    answer: {
      mfaToken: MFA_TOKEN,
      method: 'totp',
      otpauthUri: `otpauth://totp/Example%20node:ana-lovelace?secret=${SECRET}&issuer=Example%20node`,
      secret: SECRET,
    },
    httpOnly: true,
  },
  'mfa.confirm': { params: { code: '123456' }, authorization: '<mfaToken>', answer: { recoveryCodes }, httpOnly: true },
  'mfa.challenge': {
    params: {},
    authorization: '<mfaToken>',
    answer: { message: 'Enter the code shown by the authenticator app.', method: 'totp' },
    httpOnly: true,
  },
  'mfa.verify': { params: { code: '123456' }, authorization: '<mfaToken>', answer: { token: TOKEN, apiEndpoint }, httpOnly: true },
  'mfa.recover': { params: { ...credentials, recoveryCode: '0f9b1c1e-6f1d-4c57-9d0a-2d5c8e1f7a30' }, answer: { message: 'The second factor was removed; log in with the password alone.' }, httpOnly: true },
  'mfa.deactivate': { params: { password: 'correct horse' }, answer: { message: 'This account has no second factor.' }, httpOnly: true },
  ...delegations(),
}

function delegations(): Examples {
  const delegate = { username: 'ben-hopper', hostSlug: 'node-example-org' }
  const controlled = { username: 'granny-may', hostSlug: 'node-example-org' }
  const times = { requestedAt: TIME, activatedAt: TIME + 3600 }
  const delegation = { relId: RELATION_ID, controlled, status: 'active', activatedAt: TIME + 3600 }
  const endpoint = `https://${TOKEN}@node.example.org/granny-may/`
  return {
    'delegations.requestAttach': {
      params: { delegateUsername: 'ben-hopper' },
      answer: {
        delegation: { relId: RELATION_ID, delegate, status: 'invite', requestedAt: TIME, expiresAt: TIME + 2_592_000 },
      },
    },
    'delegations.listDelegates': {
      params: {},
      answer: { delegates: [{ relId: RELATION_ID, delegate, status: 'active', ...times, lastTokenIssuedAt: TIME + 7200 }] },
    },
    'delegations.cancelInvite': { params: { username: 'ben-hopper' }, answer: {} },
    'delegations.detachDelegate': { params: { username: 'ben-hopper', keepAccessIds: [ACCESS_ID] }, answer: {} },
    'delegations.listControlled': { params: {}, answer: { controlled: [{ relId: RELATION_ID, controlled, status: 'active', ...times }] } },
    'delegations.acceptAttach': { params: { username: 'granny-may' }, answer: { delegation } },
    'delegations.refuseAttach': { params: { username: 'granny-may' }, answer: {} },
    'delegations.createAccount': { params: { username: 'granny-may' }, answer: { delegation }, httpOnly: true },
    'delegations.getToken': { params: { username: 'granny-may' }, answer: { token: TOKEN, apiEndpoint: endpoint } },
    'delegations.dismissControlled': { params: { username: 'granny-may' }, answer: {} },
    'delegations.acceptResponse': {
      params: { delegate: { username: 'ben-hopper' }, notifyApiEndpoint: `https://${TOKEN}@node.example.org/ben-hopper/` },
      answer: { controlApiEndpoint: endpoint, relId: RELATION_ID, activatedAt: TIME + 3600 },
    },
    'delegations.acceptComplete': { params: {}, answer: { ok: true } },
    'delegations.refuseResponse': { params: {}, answer: { ok: true } },
    'delegations.issueToken': { params: {}, answer: { token: TOKEN, apiEndpoint: endpoint } },
    'delegations.notifyDetach': { params: {}, answer: { ok: true } },
    'delegations.release': { params: {}, answer: { ok: true } },
    'system.delegationInvite': {
      params: {
        action: 'create',
        relId: RELATION_ID,
        controlled,
        delegateUsername: 'ben-hopper',
        capabilityUrl: `https://${TOKEN}@node.example.org/granny-may/`,
        expiresAt: TIME + 2_592_000,
      },
      answer: { ok: true },
    },
    'system.delegationCreateAccount': {
      params: { action: 'create', relId: RELATION_ID, username: 'granny-may', delegate, notifyApiEndpoint: `https://${TOKEN}@node.example.org/ben-hopper/` },
      answer: { controlApiEndpoint: endpoint, relId: RELATION_ID, controlledHostSlug: 'node-example-org' },
    },
  }
}
