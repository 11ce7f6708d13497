/**
 * Lists of operator methods outside the API: those available to remote callers with the operator key, and those restricted to
 * the machine of the node.
 */
import type { NodeMethod } from './control.js'
import { accessRequestMethods } from './methods/accessRequests.js'
import { accountMethods } from './methods/accounts.js'
import { auditMethods } from './methods/audit.js'
import { attentionMethods } from './methods/attention.js'
import { backupMethods } from './methods/backups.js'
import { certificateMethods } from './methods/certs.js'
import { consentMethods } from './methods/consents.js'
import { dnsMethods } from './methods/dns.js'
import { doctorMethods } from './methods/doctor.js'
import { limitMethods } from './methods/limits.js'
import { mailMethods } from './methods/mail.js'
import { mfaMethods } from './methods/mfa.js'
import { moveMethods } from './methods/moves.js'
import { statusMethods } from './methods/node.js'
import { oauthMethods } from './methods/oauth.js'
import { pageMethods } from './methods/pages.js'
import { passwordMethods } from './methods/passwords.js'
import { profileMethods } from './methods/profiles.js'
import { registrationMethods } from './methods/registration.js'
import { seriesMethods } from './methods/series.js'
import { sessionMethods } from './methods/sessions.js'
import { ssoMethods } from './methods/sso.js'
import { storeMethods } from './methods/store.js'
import { streamSumMethods } from './methods/streamSums.js'
import { syncMethods } from './methods/sync.js'
import { pairingMethods } from './methods/syncPairing.js'
import { importMethods, transferMethods } from './methods/transfers.js'
import { userMethods } from './methods/users.js'
import { versionMethods } from './methods/versions.js'

/** Methods that reveal no secrets of the node and no paths of its disk. */
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

/** Methods that return the node's key, or read and write files by path. */
const machineMethods: Readonly<Record<string, NodeMethod>> = {
  ...backupMethods,
  ...doctorMethods,
  ...transferMethods,
}

/** Commands to run on the machine of a node instead of its local methods, including those of a running node. */
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
