/**
 * What the operator can ask of a running or opened node beside the methods of the interface, in two lists: what may be
 * asked from anywhere, with the operator key, and what belongs to the machine of the node.
 */
import type { NodeMethod } from './control.js'
import { accessRequestMethods } from './operator/accessRequests.js'
import { accountMethods } from './operator/accounts.js'
import { auditMethods } from './operator/audit.js'
import { attentionMethods } from './operator/attention.js'
import { backupMethods } from './operator/backups.js'
import { certificateMethods } from './operator/certs.js'
import { consentMethods } from './operator/consents.js'
import { dnsMethods } from './operator/dns.js'
import { doctorMethods } from './operator/doctor.js'
import { limitMethods } from './operator/limits.js'
import { mailMethods } from './operator/mail.js'
import { mfaMethods } from './operator/mfa.js'
import { moveMethods } from './operator/moves.js'
import { statusMethods } from './operator/node.js'
import { oauthMethods } from './operator/oauth.js'
import { pageMethods } from './operator/pages.js'
import { passwordMethods } from './operator/passwords.js'
import { profileMethods } from './operator/profiles.js'
import { registrationMethods } from './operator/registration.js'
import { seriesMethods } from './operator/series.js'
import { sessionMethods } from './operator/sessions.js'
import { ssoMethods } from './operator/sso.js'
import { storeMethods } from './operator/store.js'
import { streamSumMethods } from './operator/streamSums.js'
import { syncMethods } from './operator/sync.js'
import { pairingMethods } from './operator/syncPairing.js'
import { importMethods, transferMethods } from './operator/transfers.js'
import { userMethods } from './operator/users.js'
import { versionMethods } from './operator/versions.js'

/** Nothing in these tells a secret of the node itself, or names a place on its disk. */
export const operatorMethods: Readonly<Record<string, NodeMethod>> = {
  ...accessRequestMethods,
  ...accountMethods,
  ...attentionMethods,
  ...auditMethods,
  ...certificateMethods,
  ...consentMethods,
  ...dnsMethods,
  ...ssoMethods,
  ...importMethods,
  ...limitMethods,
  ...mailMethods,
  ...mfaMethods,
  ...moveMethods,
  ...statusMethods,
  ...oauthMethods,
  ...pageMethods,
  ...passwordMethods,
  ...profileMethods,
  ...registrationMethods,
  ...seriesMethods,
  ...sessionMethods,
  ...storeMethods,
  ...streamSumMethods,
  ...syncMethods,
  ...pairingMethods,
  ...userMethods,
  ...versionMethods,
}

/** These hand over what opens the node's key, or read and write files by their paths. */
const machineMethods: Readonly<Record<string, NodeMethod>> = {
  ...backupMethods,
  ...doctorMethods,
  ...transferMethods,
}

/** What to type on the machine of a node in place of its methods that stay there; those of a node that runs included. */
export const machineCommands: Readonly<Record<string, string>> = {
  'backup.checkpoint': 'coffer backup create',
  'backup.release': 'coffer backup create',
  'doctor.facts': 'coffer doctor',
  'doctor.expect': 'coffer doctor',
  'doctor.came': 'coffer doctor',
  'node.restart': 'coffer restart',
  'node.stop': 'coffer stop',
  'users.import': 'coffer users import <folder>',
}

export const nodeMethods: Readonly<Record<string, NodeMethod>> = { ...operatorMethods, ...machineMethods }
