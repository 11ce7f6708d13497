/** The list of operator methods: those of every open store, and those that end the process of a running node. */
import type { MethodTypes } from '../call/method.js'
import { accessRequestMethods } from './methods/accessRequests.js'
import { lookupMethods } from './methods/accountLookup.js'
import { accountMethods } from './methods/accounts.js'
import { attentionMethods } from './methods/attention.js'
import { auditMethods } from './methods/audit.js'
import { backupMethods } from './methods/backups.js'
import { certificateMethods } from './methods/certs.js'
import { consentMethods } from './methods/consents.js'
import { coreMethods } from './methods/cores.js'
import { dnsMethods } from './methods/dns.js'
import { doctorMethods } from './methods/doctor.js'
import type { lifecycleMethods } from './lifecycleMethods.js'
import { limitMethods } from './methods/limits.js'
import { mailMethods } from './methods/mail.js'
import { mfaMethods } from './methods/mfa.js'
import { moveMethods } from './methods/moves.js'
import { statusMethods } from './methods/node.js'
import { oauthMethods } from './methods/oauth.js'
import { pageMethods } from './methods/pages.js'
import { passwordMethods } from './methods/passwords.js'
import { platformMethods } from './methods/platform.js'
import { profileMethods } from './methods/profiles.js'
import { registrationMethods } from './methods/registration.js'
import { seriesMethods } from './methods/series.js'
import { sessionMethods } from './methods/sessions.js'
import { ssoMethods } from './methods/sso.js'
import { storeMethods } from './methods/store.js'
import { streamSumMethods } from './methods/streamSums.js'
import { syncMethods } from './methods/sync.js'
import { pairingMethods } from './methods/syncPairing.js'
import { transferMethods } from './methods/transfers.js'
import { userMethods } from './methods/users.js'
import { versionMethods } from './methods/versions.js'

/** Operator methods of every open store. Those with `localCommand` are restricted to the machine of the node. */
export const operatorMethods = [
  ...accessRequestMethods,
  ...accountMethods,
  ...lookupMethods,
  ...attentionMethods,
  ...auditMethods,
  ...backupMethods,
  ...certificateMethods,
  ...consentMethods,
  ...coreMethods,
  ...dnsMethods,
  ...doctorMethods,
  ...limitMethods,
  ...mailMethods,
  ...mfaMethods,
  ...moveMethods,
  ...statusMethods,
  ...oauthMethods,
  ...pageMethods,
  ...passwordMethods,
  ...platformMethods,
  ...profileMethods,
  ...registrationMethods,
  ...seriesMethods,
  ...sessionMethods,
  ...ssoMethods,
  ...storeMethods,
  ...streamSumMethods,
  ...syncMethods,
  ...pairingMethods,
  ...transferMethods,
  ...userMethods,
  ...versionMethods,
] as const

/** Parameters and results of operator methods, by method id. */
export type OperatorMethods = MethodTypes<readonly [...typeof operatorMethods, ...ReturnType<typeof lifecycleMethods>]>
