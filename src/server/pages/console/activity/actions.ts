/** Maps the methods in audit records to the phrases that describe them, and to the kinds that Activity filters by. */

export const kinds = ['reading', 'writing', 'sharing', 'signIn', 'refused'] as const
/** Kinds of actions that a reader can choose. */
export type Kind = (typeof kinds)[number]

export type PhraseId =
  | 'dataRead'
  | 'eventRead'
  | 'fileRead'
  | 'seriesRead'
  | 'streamsRead'
  | 'eventAdded'
  | 'eventChanged'
  | 'eventDeleted'
  | 'fileAdded'
  | 'fileDeleted'
  | 'pointsAdded'
  | 'streamAdded'
  | 'streamChanged'
  | 'streamDeleted'
  | 'batch'
  | 'accessesRead'
  | 'accessInfoRead'
  | 'accessGiven'
  | 'accessChanged'
  | 'accessWithdrawn'
  | 'accessAsked'
  | 'requestAnswered'
  | 'requestRead'
  | 'signedIn'
  | 'signedOut'
  | 'loginLinked'
  | 'secondFactorUsed'
  | 'codeSent'
  | 'secondFactorOn'
  | 'secondFactorOff'
  | 'passwordChanged'
  | 'resetRequested'
  | 'emailVerified'
  | 'accountCreated'
  | 'accountDeleted'
  | 'accountRead'
  | 'accountChanged'
  | 'profileRead'
  | 'profileChanged'
  | 'followedRead'
  | 'followedChanged'
  | 'webhooksRead'
  | 'webhooksChanged'
  | 'secretShared'
  | 'secretRead'
  | 'delegationRead'
  | 'delegationChanged'
  | 'devicesRead'
  | 'deviceAdded'
  | 'deviceChanged'
  | 'deviceRemoved'
  | 'sessionsRead'
  | 'sessionsEnded'
  | 'oauth'
  | 'operator'
  | 'register'
  | 'other'

type ActionKind = Exclude<Kind, 'refused'> | 'other'

export interface Action {
  phrase: PhraseId
  kind: ActionKind
}

const action = (kind: ActionKind, phrase: PhraseId): Action => ({ kind, phrase })

const actions: Readonly<Record<string, Action>> = {
  'events.get': action('reading', 'dataRead'),
  'events.summary': action('reading', 'dataRead'),
  'events.getOne': action('reading', 'eventRead'),
  'events.getAttachment': action('reading', 'fileRead'),
  'events.getAttachmentByName': action('reading', 'fileRead'),
  'events.preview': action('reading', 'fileRead'),
  'series.get': action('reading', 'seriesRead'),
  'series.summary': action('reading', 'seriesRead'),
  'streams.get': action('reading', 'streamsRead'),
  'streams.summary': action('reading', 'streamsRead'),
  'events.create': action('writing', 'eventAdded'),
  'events.update': action('writing', 'eventChanged'),
  'events.start': action('writing', 'eventAdded'),
  'events.stop': action('writing', 'eventChanged'),
  'events.delete': action('writing', 'eventDeleted'),
  'events.addAttachment': action('writing', 'fileAdded'),
  'events.deleteAttachment': action('writing', 'fileDeleted'),
  'series.add': action('writing', 'pointsAdded'),
  'series.batch': action('writing', 'pointsAdded'),
  'streams.create': action('writing', 'streamAdded'),
  'streams.update': action('writing', 'streamChanged'),
  'streams.delete': action('writing', 'streamDeleted'),
  callBatch: action('writing', 'batch'),
  'accesses.get': action('reading', 'accessesRead'),
  'accesses.getOne': action('reading', 'accessesRead'),
  'accesses.checkApp': action('reading', 'accessesRead'),
  getAccessInfo: action('reading', 'accessInfoRead'),
  'accesses.create': action('sharing', 'accessGiven'),
  'accesses.update': action('sharing', 'accessChanged'),
  'accesses.delete': action('sharing', 'accessWithdrawn'),
  'accessRequest.ask': action('sharing', 'accessAsked'),
  'accessRequest.decide': action('sharing', 'requestAnswered'),
  'accessRequest.poll': action('sharing', 'requestRead'),
  'auth.login': action('signIn', 'signedIn'),
  'auth.ssoCallback': action('signIn', 'signedIn'),
  'auth.ssoStart': action('signIn', 'signedIn'),
  'auth.ssoProviders': action('signIn', 'signedIn'),
  'auth.ssoLink': action('other', 'loginLinked'),
  'auth.ssoUnlink': action('other', 'loginLinked'),
  'auth.logout': action('other', 'signedOut'),
  'auth.register': action('other', 'accountCreated'),
  'auth.delete': action('other', 'accountDeleted'),
  'auth.emailChallenge': action('other', 'codeSent'),
  'auth.emailChallengeVerify': action('other', 'emailVerified'),
  'mfa.verify': action('signIn', 'secondFactorUsed'),
  'mfa.challenge': action('signIn', 'codeSent'),
  'mfa.activate': action('other', 'codeSent'),
  'mfa.confirm': action('signIn', 'secondFactorOn'),
  'mfa.deactivate': action('other', 'secondFactorOff'),
  'mfa.recover': action('signIn', 'secondFactorOff'),
  'account.changePassword': action('other', 'passwordChanged'),
  'account.resetPassword': action('signIn', 'passwordChanged'),
  'account.requestPasswordReset': action('signIn', 'resetRequested'),
  'account.verifyEmail': action('other', 'emailVerified'),
  'auth.whoAmI': action('reading', 'accountRead'),
  'account.get': action('reading', 'accountRead'),
  'account.usernameChanges': action('reading', 'accountRead'),
  'account.update': action('writing', 'accountChanged'),
  'account.changeUsername': action('writing', 'accountChanged'),
  'profile.get': action('reading', 'profileRead'),
  'profile.getApp': action('reading', 'profileRead'),
  'profile.getPrivate': action('reading', 'profileRead'),
  'profile.getPublic': action('reading', 'profileRead'),
  'followedSlices.get': action('reading', 'followedRead'),
  'webhooks.get': action('reading', 'webhooksRead'),
  'webhooks.getOne': action('reading', 'webhooksRead'),
  'sharedSecrets.create': action('sharing', 'secretShared'),
  'sharedSecrets.getOne': action('reading', 'secretRead'),
  'sharedSecrets.retrieve': action('reading', 'secretRead'),
  'auth.sessions': action('reading', 'sessionsRead'),
  'auth.endSessions': action('other', 'sessionsEnded'),
  'devices.get': action('reading', 'devicesRead'),
  'devices.conflicts': action('reading', 'devicesRead'),
  'devices.history': action('reading', 'devicesRead'),
  'devices.pairings': action('reading', 'devicesRead'),
  'devices.startPairing': action('sharing', 'deviceAdded'),
  'devices.acceptPairing': action('sharing', 'deviceAdded'),
  'devices.confirmPairing': action('sharing', 'deviceAdded'),
  'devices.cancelPairing': action('sharing', 'deviceChanged'),
  'devices.update': action('sharing', 'deviceChanged'),
  'devices.delete': action('sharing', 'deviceRemoved'),
  'delegations.listControlled': action('reading', 'delegationRead'),
  'delegations.listDelegates': action('reading', 'delegationRead'),
}

/** Actions of methods that are not listed, by the part of their id before the dot. */
const groups: Readonly<Record<string, Action>> = {
  profile: action('writing', 'profileChanged'),
  followedSlices: action('writing', 'followedChanged'),
  webhooks: action('sharing', 'webhooksChanged'),
  delegations: action('sharing', 'delegationChanged'),
  oauth: action('sharing', 'oauth'),
  system: action('other', 'operator'),
  metrics: action('other', 'operator'),
  reg: action('other', 'register'),
}

const OTHER = action('other', 'other')

/** Returns the action of a method; a general one for methods without words of their own. */
export function actionOf(method: string): Action {
  if (Object.hasOwn(actions, method)) return actions[method] ?? OTHER
  const [group = ''] = method.split('.', 1)
  return Object.hasOwn(groups, group) ? (groups[group] ?? OTHER) : OTHER
}
