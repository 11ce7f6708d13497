/**
 * Every setting that this release honours, as one table (data supplement 17, accounts supplement 25).
 * Names are those of the specification. Configuration, `coffer config`, help and manual pages are projections of it.
 */
import { z } from 'zod'
import { isMethodWord } from './audit/filter.js'
import { accountFieldList, emailField } from './config/accountFields.js'
import {
  listenAddress,
  listOf,
  oneOf,
  positive,
  proxyList,
  setting,
  text,
  textLike,
  webAddress,
  whole,
  yesOrNo,
} from './config/setting.js'
import type { Setting } from './config/setting.js'
import { authSettings } from './settings/auth.js'
import { mfaSettings } from './settings/mfa.js'
import { passwordSettings } from './settings/passwords.js'

/** Words of filters of methods. */
const methodWords = listOf(
  z.string().refine(isMethodWord),
  'a list of method ids such as events.get, of groups such as events.all, or the word all',
)

const sevenDays = 7 * 24 * 60 * 60 * 1000

export const settings = {
  ...authSettings,
  ...mfaSettings,
  ...passwordSettings,
  'dnsLess.isActive': setting(yesOrNo, {
    default: true,
    summary: 'Accounts are addressed by path, /{username}/; false: by host name, {username}.{domain}.',
  }),
  'dnsLess.publicUrl': setting(webAddress, {
    default: null,
    summary: 'The address by which apps reach this node; without it, the one it listens on.',
  }),
  'dns.domain': setting(textLike(/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'a domain name in lower case'), {
    default: null,
    summary: 'Domain whose host names carry the usernames, when accounts are addressed by host name.',
  }),
  'http.ip': setting(listenAddress, {
    default: '127.0.0.1',
    summary: 'Address to listen on; 0.0.0.0 or :: opens the node to the network.',
  }),
  'http.port': setting(whole(0, 65535), { default: 3000, summary: 'Port to listen on; 0 takes any free one.' }),
  'http.trustedProxies': setting(proxyList, {
    default: ['loopback'],
    summary: 'Proxies whose forwarding headers are believed; an empty list believes none.',
  }),
  'uploads.maxSizeMb': setting(positive(' of megabytes'), {
    default: 50,
    summary: 'Largest attached file, in megabytes.',
  }),
  'uploads.maxFiles': setting(whole(1, 10_000, ' of files'), {
    default: 100,
    summary: 'Most files that one request may attach.',
  }),
  'eventFiles.previewsCacheMaxAge': setting(whole(0, undefined, ' of milliseconds'), {
    default: sevenDays,
    summary: 'A preview of a picture is kept this many milliseconds after it was last asked for.',
  }),
  'updates.ignoreProtectedFields': setting(yesOrNo, {
    default: false,
    summary: 'Updates that name read-only fields are taken without them; false: refused.',
  }),
  'versioning.forceKeepHistory': setting(yesOrNo, {
    default: false,
    summary: 'Every change of an event keeps the version before it.',
  }),
  'versioning.deletionMode': setting(oneOf('keep-nothing', 'keep-authors', 'keep-everything'), {
    default: 'keep-nothing',
    summary: 'What remains of an event that is deleted.',
  }),
  'integrity.isActive.attachments': setting(yesOrNo, {
    default: true,
    summary: 'Attached files carry a digest of their bytes.',
  }),
  'integrity.isActive.events': setting(yesOrNo, { default: true, summary: 'Events carry a digest of their content.' }),
  'integrity.isActive.accesses': setting(yesOrNo, {
    default: true,
    summary: 'Accesses carry a digest of their content.',
  }),
  'integrity.algorithm': setting(oneOf('sha256', 'sha512', 'sha1', 'md5'), {
    default: 'sha256',
    summary: 'Digest used for integrity.',
  }),
  'accessTracking.isActive': setting(yesOrNo, {
    default: true,
    summary: 'Accesses remember when they were last used and how often.',
  }),
  'audit.active': setting(yesOrNo, {
    default: true,
    summary: 'Every call of an account is recorded, for its owner to read.',
  }),
  'audit.storage.filter.methods.include': setting(methodWords, {
    default: ['all'],
    summary: 'Methods whose calls are recorded; an empty list is none.',
  }),
  'audit.storage.filter.methods.exclude': setting(methodWords, {
    default: [],
    summary: 'Methods whose calls are not recorded, though included.',
  }),
  invitationTokens: setting(listOf(z.string().min(1), 'a list of texts, or null for open registration'), {
    default: null,
    summary: 'Who may register: null is everybody, an empty list nobody, else those who give one of these tokens.',
  }),
  'user-account.delete': setting(
    listOf(z.enum(['adminToken', 'personalToken']), 'a list of adminToken and personalToken'),
    { default: ['adminToken'], summary: 'Who may delete an account: the operator, its owner, or both.' },
  ),
  'custom.systemStreams.account': setting(accountFieldList, {
    default: [emailField],
    summary: 'Account fields of this platform, beside the built-in ones.',
  }),
  'service.name': setting(text(), { default: 'coffer', summary: 'Name of the service, as apps show it.' }),
  'service.serial': setting(text(), {
    default: '1',
    summary: 'Serial of the service information; change it to make apps read the information again.',
  }),
  'service.home': setting(text('an address'), {
    default: null,
    summary: 'Home page of the service; without it, the address of the node.',
  }),
  'service.support': setting(text('an address or an e-mail address'), {
    default: null,
    summary: 'Where users find help; without it, the address of the node.',
  }),
  'service.terms': setting(text('an address or a text'), {
    default: null,
    summary: 'Terms of use; without it, the address of the node.',
  }),
  'service.eventTypes': setting(text('an address or a file'), {
    default: null,
    summary:
      'Directory of event types to load over the built-in one, by address or file; without it, the built-in one.',
  }),
  'service.version': setting(text(), {
    default: null,
    summary: 'API version to announce; without it, the one this release implements.',
  }),
  'limits.json.maxSizeMb': setting(positive(' of megabytes'), {
    default: 10,
    summary: 'Largest JSON body of a request, in megabytes.',
  }),
  'limits.batch.maxTotalItems': setting(whole(1), {
    default: 100_000,
    summary: 'Most items that one batch or websocket call may answer.',
  }),
  'limits.batch.maxCalls': setting(whole(1), { default: 1000, summary: 'Most calls in one batch.' }),
  'store.cacheMb': setting(whole(1, 65_536, ' of megabytes'), {
    default: 32,
    summary: 'Memory for cached records, in megabytes.',
  }),
  'logs.level': setting(oneOf('silent', 'error', 'warn', 'info', 'debug'), {
    default: 'info',
    summary: 'Least importance of what is logged.',
  }),
} as const

export type SettingKey = keyof typeof settings

/** The type of a setting's value; includes `null` where the setting can be unset. */
export type SettingValue<K extends SettingKey> = (typeof settings)[K] extends Setting<infer T> ? T : never

export const settingKeys: readonly SettingKey[] = Object.keys(settings).filter(isSettingKey)

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settings, key)
}

/** The environment variable of a setting: `auth.adminAccessKey` → `COFFER_SET_AUTH_ADMIN_ACCESS_KEY`. */
export function environmentName(key: SettingKey): string {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_')
  return `COFFER_SET_${words.toUpperCase()}`
}
