/**
 * Table of all settings (docs/interface/limits.md#settings). Their names are part of the interface. Configuration, `coffer
 * config`, help and manual pages derive from it.
 */
import { accountFieldList, emailField } from '../accountFields.js'
import {
  listenAddress,
  oneOf,
  positive,
  proxyList,
  setting,
  webAddress,
  whole,
  yesOrNo,
} from '../setting.js'
import type { Setting } from '../setting.js'
import { accessRequestSettings } from './accessRequests.js'
import { accountSettings } from './account.js'
import { auditSettings } from './audit.js'
import { authSettings } from './auth.js'
import { consentSettings } from './consents.js'
import { dnsSettings } from './dns.js'
import { letsEncryptSettings } from './letsEncrypt.js'
import { limitSettings } from './limits.js'
import { logSettings } from './logs.js'
import { mailSettings } from './mail.js'
import { metricsSettings } from './metrics.js'
import { mfaSettings } from './mfa.js'
import { moveSettings } from './moves.js'
import { oauthSettings } from './oauth.js'
import { passwordSettings } from './passwords.js'
import { platformSettings } from './platform.js'
import { registrationSettings } from './registration.js'
import { remoteControlSettings } from './remoteControl.js'
import { serviceSettings } from './service.js'
import { sharedSecretSettings } from './sharedSecrets.js'
import { ssoSettings } from './sso.js'
import { syncSettings } from './sync.js'
import { tlsSettings } from './tls.js'
import { backupSettings } from './backup.js'
import { webhookSettings } from './webhooks.js'

const sevenDays = 7 * 24 * 60 * 60 * 1000

export const settings = {
  ...authSettings,
  ...passwordSettings,
  ...mfaSettings,
  ...ssoSettings,
  ...accountSettings,
  ...accessRequestSettings,
  ...registrationSettings,
  ...sharedSecretSettings,
  ...consentSettings,
  'dnsLess.isActive': setting(yesOrNo, {
    default: true,
    summary: 'Address accounts by path, /{username}/; false: by host name, {username}.{domain}.',
  }),
  'dnsLess.publicUrl': setting(webAddress, {
    default: null,
    summary: 'Public address of this node, as used by apps; default: the address it listens on.',
  }),
  'http.ip': setting(listenAddress, {
    default: '127.0.0.1',
    summary: 'Address to listen on; 0.0.0.0 or :: exposes the node to the network.',
  }),
  'http.port': setting(whole(0, 65535), { default: 3000, summary: 'Port to listen on; 0 selects a free port.' }),
  ...tlsSettings,
  ...letsEncryptSettings,
  ...dnsSettings,
  'http.trustedProxies': setting(proxyList, {
    default: ['loopback'],
    summary: 'Proxies whose forwarding headers are trusted; an empty list trusts none.',
  }),
  'uploads.maxSizeMb': setting(positive(' of megabytes'), {
    default: 50,
    summary: 'Maximum size of an attachment, in megabytes.',
  }),
  'uploads.maxFiles': setting(whole(1, 10_000, ' of files'), {
    default: 10,
    summary: 'Maximum number of attachments per request.',
  }),
  'eventFiles.previewsCacheMaxAge': setting(whole(0, undefined, ' of milliseconds'), {
    default: sevenDays,
    summary: 'Milliseconds after its last use when a cached image preview is deleted.',
  }),
  'updates.ignoreProtectedFields': setting(yesOrNo, {
    default: false,
    summary: 'Ignore read-only fields in updates; false: reject such updates.',
  }),
  'versioning.forceKeepHistory': setting(yesOrNo, {
    default: false,
    summary: 'Show earlier versions of events in events.getOne (includeHistory), regardless of when and on which node they were created.',
  }),
  'versioning.deletionMode': setting(oneOf('keep-nothing', 'keep-authors', 'keep-everything'), {
    default: 'keep-nothing',
    summary: 'Data that is kept of deleted events.',
  }),
  'integrity.isActive.attachments': setting(yesOrNo, {
    default: true,
    summary: 'Compute a digest of the content of attachments.',
  }),
  'integrity.isActive.events': setting(yesOrNo, { default: true, summary: 'Compute a digest of the content of events.' }),
  'integrity.isActive.accesses': setting(yesOrNo, {
    default: true,
    summary: 'Compute a digest of the content of accesses.',
  }),
  'integrity.algorithm': setting(oneOf('sha256', 'sha512', 'sha1', 'md5'), {
    default: 'sha256',
    summary: 'Hash algorithm of integrity digests.',
  }),
  'accessTracking.isActive': setting(yesOrNo, {
    default: true,
    summary: 'Track when accesses were last used and how often.',
  }),
  ...auditSettings,
  'delegation.active': setting(yesOrNo, {
    default: true,
    summary: 'Let accounts be delegated to other accounts, which act for them.',
  }),
  ...moveSettings,
  ...oauthSettings,
  ...serviceSettings,
  ...platformSettings,
  ...mailSettings,
  'custom.systemStreams.account': setting(accountFieldList, {
    default: [emailField],
    summary: 'Account fields of this platform, in addition to the built-in ones.',
  }),
  ...limitSettings,
  ...webhookSettings,
  ...backupSettings,
  ...syncSettings,
  'store.cacheMb': setting(whole(1, 65_536, ' of megabytes'), {
    default: 32,
    summary: 'Size of the record cache, in megabytes.',
  }),
  ...logSettings,
  ...metricsSettings,
  ...remoteControlSettings,
} as const

export type SettingKey = keyof typeof settings

/** The type of a setting's value; includes `null` where the setting can be unset. */
export type SettingValue<K extends SettingKey> = (typeof settings)[K] extends Setting<infer T> ? T : never

export const settingKeys: readonly SettingKey[] = Object.keys(settings).filter(isSettingKey)

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settings, key)
}

/** Checks whether the value of a setting is secret. */
export const isSecretSetting = (key: SettingKey): boolean => 'secret' in settings[key]

/** Returns the environment variable of a setting or group: `auth.adminAccessKey` → `COFFER_SET_AUTH_ADMIN_ACCESS_KEY`. */
export function environmentName(key: string): string {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_')
  return `COFFER_SET_${words.toUpperCase()}`
}
