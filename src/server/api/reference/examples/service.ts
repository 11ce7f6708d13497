/** Examples for service information, registration look-ups and operator routes. */
import { ACCESS_ID, NODE, serviceInfo, TIME } from './common.js'
import type { Examples } from './example.js'

const MS = 1000
const template = { type: 'welcome-email', lang: 'en' }
const invitation = { id: 'cmh2xl1m20000w8s1g6h7j8k9', createdAt: TIME * MS, createdBy: 'operator', description: 'For the study' }
const app = { id: 'weight-diary', displayName: 'Weight diary', appURL: 'https://app.example.org/', active: true, support: ['help@example.org'] }
const certificate = { hostname: 'node.example.org', issuedAt: TIME * MS, expiresAt: (TIME + 7_776_000) * MS }
const storageUsed = { dbDocuments: 18_432, attachedFiles: 48_213 }

export const serviceExamples: Examples = {
  'service.info': { params: {}, answer: serviceInfo },
  openapi: { params: {}, answer: { openapi: '3.1.0', info: { title: 'Example node', version: '2.0.0' }, paths: {} } },
  'metrics.get': { params: {}, text: '# TYPE coffer_accounts gauge\ncoffer_accounts 12\n', httpOnly: true },
  'assets.css': { params: {}, text: 'body { font-family: system-ui, sans-serif; }\n', httpOnly: true },
  'assets.definitions': {
    params: {},
    answer: {
      baseUrl: `${NODE}assets/`,
      favicon: { default: { url: 'favicon.svg' } },
      css: { default: { url: 'default.css' } },
      'lib-js': { buttonSignIn: { css: 'sign-in/button.css', html: 'sign-in/button.html', messages: 'sign-in/messages.json' } },
    },
  },
  'assets.eventTypes': {
    params: {},
    answer: {
      version: '1.0.0',
      types: { 'mass/kg': { type: 'number' } },
      extras: { 'mass/kg': { name: { en: 'Kilograms' }, symbol: 'kg' } },
      classes: { mass: { description: 'Mass of a body.' } },
      sets: {},
    },
  },
  'assets.favicon': { params: {}, text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"></svg>\n', httpOnly: true },
  'assets.signInButton': { params: {}, text: '<button type="button" class="coffer-sign-in"></button>\n', httpOnly: true },
  'assets.signInStyles': { params: {}, text: '.coffer-sign-in { display: inline-flex; }\n', httpOnly: true },
  'assets.signInMessages': {
    params: {},
    answer: {
      LOADING: { en: 'Loading…', fr: 'Chargement…', de: 'Wird geladen …' },
      ERROR: { en: 'Error', fr: 'Erreur', de: 'Fehler' },
      LOGIN: { en: 'Sign in', fr: 'Se connecter', de: 'Anmelden' },
      SIGNOUT_CONFIRM: { en: 'Sign out?', fr: 'Se déconnecter ?', de: 'Abmelden?' },
    },
  },
  'reg.app': { params: { appid: 'weight-diary' }, answer: { app } },
  'reg.apps': { params: {}, answer: { apps: [app] } },
  'reg.checkEmail': { params: { email: 'ana@example.org' }, answer: { exists: true, reserved: true } },
  'reg.checkInvitation': { params: { invitationtoken: 'enjoy' }, text: 'true' },
  'reg.checkUsername': { params: { username: 'ana-lovelace' }, answer: { reserved: true } },
  'reg.cores': { params: { username: 'ana-lovelace' }, answer: { core: { url: NODE } } },
  'reg.hostings': {
    params: {},
    answer: {
      regions: {
        default: {
          name: 'Example node',
          zones: {
            default: { name: 'Example node', hostings: { default: { name: 'Example node', available: true, availableCore: NODE } } },
          },
        },
      },
    },
  },
  'reg.serverOf': { params: { username: 'ana-lovelace' }, answer: { server: NODE, alias: 'ana-lovelace' } },
  'reg.toServer': { params: { username: 'ana-lovelace' }, curl: ['-i'], answer: { server: `${NODE}?username=ana-lovelace`, alias: 'ana-lovelace' } },
  'reg.uidOf': { params: { email: 'ana@example.org' }, answer: { uid: 'ana-lovelace' } },
  'reg.usernameOf': { params: { email: 'ana@example.org' }, answer: { username: 'ana-lovelace' } },
  'reg.setRecords': {
    params: { subdomain: 'www', records: { a: ['192.0.2.1'] } },
    answer: { subdomain: 'www', records: { a: ['192.0.2.1'] }, status: 'ok' },
  },
  'reg.deleteRecords': { params: { subdomain: 'www' }, answer: { subdomain: 'www', status: 'deleted' } },
  'invitations.get': { params: {}, answer: { invitations: [{ ...invitation, consumedAt: (TIME + 60) * MS, consumedBy: 'ana-lovelace' }] } },
  'invitations.post': { params: { count: '1', message: 'For the study' }, answer: { data: [{ ...invitation, id: 'Zk4mT9wQx2Lr' }] } },
  'system.access': {
    params: { accessId: ACCESS_ID },
    answer: { accessIndex: { username: 'ana-lovelace', type: 'app', created: TIME, lastModified: TIME } },
  },
  'system.accessRequest': {
    params: { key: 'kq3Vb0yGx1cPp9d2' },
    answer: { request: { key: 'kq3Vb0yGx1cPp9d2', requestingAppId: 'weight-diary', requestedPermissions: [{ streamId: 'weight', level: 'read' }], languageCode: 'en', createdAt: TIME, expiresAt: TIME + 3600 } },
    httpOnly: true,
  },
  'system.ackCore': {
    params: { coreId: 'core-b', token: 'kq3Vb0yGx1cPp9d2mT7uJfZs5wLh8nRe4aXi6oCv_Qk' },
    answer: {
      ok: true,
      coreId: 'core-b',
      cluster: {
        cores: [
          { id: 'core-a', url: 'https://core-a.example.org/', hosting: null, available: true },
          { id: 'core-b', url: 'https://core-b.example.org/', hosting: null, available: true },
        ],
        lscIps: ['192.0.2.1', '192.0.2.2'],
      },
    },
    httpOnly: true,
  },
  'system.certs': { params: {}, answer: { certs: [{ ...certificate, daysUntilExpiry: 90 }] } },
  'system.forceRenewCert': { params: { hostname: 'node.example.org' }, answer: { ok: true, ...certificate } },
  'system.checkPlatformIntegrity': {
    params: {},
    answer: {
      checks: [
        {
          title: 'Platform DB vs users repository',
          infos: { usersCountOnPlatform: 12, usersCountOnRepository: 12, emailCrossCheckSkipped: false },
          errors: [],
        },
        { title: 'Users local index vs database', infos: { namesCount: 12, uniqueValuesCount: 12 }, errors: [] },
      ],
      unnamed: [],
    },
  },
  'system.cores': { params: {}, answer: { cores: [{ id: 'single', url: NODE, hosting: null, available: true, userCount: 12 }] } },
  'system.createUser': {
    params: { username: 'ana-lovelace', password: 'correct horse', email: 'ana@example.org', appId: 'weight-diary' },
    answer: { id: 'cmh2x0a1b0000h1s1z9y8x7w6' },
    httpOnly: true,
  },
  'system.deactivateMfa': { params: { username: 'ana-lovelace' } },
  'system.mailTemplate': { params: { ...template, part: 'html' }, text: 'p Welcome, #{USERNAME}\n' },
  'system.mailTemplates': { params: {}, answer: { templates: [{ ...template, part: 'subject', length: 9 }] } },
  'system.setMailTemplate': { params: { ...template, part: 'subject', pug: '| Welcome' } },
  'system.removeMailTemplate': { params: { ...template, part: 'subject' } },
  'system.removeMailTemplates': { params: template },
  'system.sendTestMail': { params: { ...template, recipient: 'ana@example.org' }, answer: { sent: true } },
  'system.servers': { params: {}, answer: { servers: { [NODE]: { userCount: 12 } } } },
  'system.serverUsers': { params: { serverName: 'single' }, answer: { users: [{ username: 'ana-lovelace' }] } },
  'system.renameServer': { params: { srcServerName: 'core-1', dstServerName: 'single' }, answer: { count: 0 } },
  'system.unregisterUser': { params: { username: 'ana-lovelace', onlyReg: true, dryRun: true }, answer: { result: { dryRun: true, deleted: false } } },
  'system.updateUser': { params: { username: 'ana-lovelace', user: { email: 'ana@example.org' } }, answer: { user: true } },
  'system.user': { params: { username: 'ana-lovelace' }, answer: { username: 'ana-lovelace', email: 'ana@example.org', language: 'en', appId: 'weight-diary' } },
  'system.userInfo': {
    params: { username: 'ana-lovelace' },
    answer: {
      userInfo: {
        username: 'ana-lovelace',
        storageUsed,
        lastAccess: TIME + 60,
        callsTotal: 15,
        callsDetail: { 'events:get': 12, 'events:create': 3 },
        callsPerAccess: { shared: 0, 'weight-diary': 15 },
      },
    },
  },
  'system.users': { params: {}, answer: { users: [{ username: 'ana-lovelace', id: 'cmh2x0a1b0000h1s1z9y8x7w6', email: 'ana@example.org', language: 'en' }] } },
  'system.validateUser': { params: { username: 'ana-lovelace', uniqueFields: { email: 'ana@example.org' } }, answer: { reservation: true } },
}
