/** Words of the owner's page: who has access. */
import type { InLanguages } from '../../base/words.js'

interface AccessWords {
  title: string
  nobody: string
  sessions: string
  sessionsSay: string
  secondFactor: string
  /** The session of these pages. */
  pages: string
  thisSession: string
  types: { app: string; shared: string; personal: string; delegate: string }
  expired: string
  id: string
  device: string
  may: string
  mayNothing: string
  /** What a delegate may do. */
  mayAll: string
  /** How a delegation ends. */
  delegationSays: string
  /** The delegate by whose right something was given. */
  givenBy: string
  more(count: number): string
  lastUsed: string
  never: string
  made: string
  ends: string
  ended: string
  manager: string
  details: string
  signOutOf: string
  pager: string
  page(page: number, pages: number): string
  previous: string
  next: string
  revokeTitle: string
  revokeSays: string
  withShares(count: number): string
  /** Above the other accesses of an OAuth consent. */
  together: string
  revoke: string
  endTitle: string
  endSays: string
  end: string
  keep: string
  revoked: string
  revokedToo(count: number): string
  signedOut: string
  gone: string
  stale: string
}

export const accessWords: InLanguages<AccessWords> = {
  en: {
    title: 'Who has access',
    nobody: 'Nobody but you.',
    sessions: 'Where you are signed in',
    sessionsSay: 'Apps that may do everything in your name, since you signed in there with your password.',
    secondFactor: 'Second factor',
    pages: 'These pages',
    thisSession: 'this session',
    types: { app: 'App', shared: 'Shared', personal: 'Session', delegate: 'Delegate' },
    expired: 'expired',
    id: 'Id',
    device: 'Device',
    may: 'May',
    mayNothing: 'see nothing',
    mayAll: 'everything, in your name',
    delegationSays: 'A delegate is removed by ending the delegation; what the delegate has given others ends with it.',
    givenBy: 'Given by',
    more: (count) => (count === 1 ? 'and one thing more' : `and ${count} things more`),
    lastUsed: 'Last used',
    never: 'never',
    made: 'Made',
    ends: 'Ends',
    ended: 'Ended',
    manager: 'Shared by',
    details: 'Details and withdrawal',
    signOutOf: 'Sign out there',
    pager: 'Pages',
    page: (page, pages) => `Page ${page} of ${pages}`,
    previous: 'Previous',
    next: 'Next',
    revokeTitle: 'Withdraw this access?',
    revokeSays: 'It ends at once. What was read before cannot be called back.',
    withShares: (count) => (count === 1 ? 'What it has shared with one other ends too:' : `What it has shared with ${count} others ends too:`),
    together: 'You gave this together with it, and it ends too:',
    revoke: 'Withdraw the access',
    endTitle: 'Sign out there?',
    endSays: 'The app has to ask for your password again.',
    end: 'Sign out there',
    keep: 'Leave it',
    revoked: 'The access was withdrawn.',
    revokedToo: (count) => (count === 1 ? 'One other access ended with it.' : `${count} other accesses ended with it.`),
    signedOut: 'That session has ended.',
    gone: 'This access is not there any more.',
    stale: 'This access was changed meanwhile. Look at what it may do now, and decide again.',
  },
  fr: {
    title: 'Qui a accès',
    nobody: 'Personne d’autre que vous.',
    sessions: 'Où vous êtes connecté',
    sessionsSay: 'Des applications qui peuvent tout faire en votre nom, parce que vous vous y êtes connecté avec votre mot de passe.',
    secondFactor: 'Second facteur',
    pages: 'Ces pages',
    thisSession: 'cette session',
    types: { app: 'Application', shared: 'Partage', personal: 'Session', delegate: 'Délégué' },
    expired: 'expiré',
    id: 'Identifiant',
    device: 'Appareil',
    may: 'Peut',
    mayNothing: 'ne rien voir',
    mayAll: 'tout faire en votre nom',
    delegationSays: 'On retire un délégué en mettant fin à la délégation ; ce qu’il a donné à d’autres prend fin avec elle.',
    givenBy: 'Donné par',
    more: (count) => (count === 1 ? 'et une autre chose' : `et ${count} autres choses`),
    lastUsed: 'Dernier usage',
    never: 'jamais',
    made: 'Créé',
    ends: 'Prend fin',
    ended: 'A pris fin',
    manager: 'Partagé par',
    details: 'Détails et retrait',
    signOutOf: 'Y mettre fin',
    pager: 'Pages',
    page: (page, pages) => `Page ${page} sur ${pages}`,
    previous: 'Précédente',
    next: 'Suivante',
    revokeTitle: 'Retirer cet accès ?',
    revokeSays: 'Il prend fin immédiatement. Ce qui a déjà été lu ne peut pas être repris.',
    withShares: (count) =>
      count === 1 ? 'Ce qu’elle a partagé avec une autre personne prend fin aussi :' : `Ce qu’elle a partagé avec ${count} autres personnes prend fin aussi :`,
    together: 'Vous avez donné ceci en même temps, qui prend fin aussi :',
    revoke: 'Retirer l’accès',
    endTitle: 'Mettre fin à cette session ?',
    endSays: 'L’application devra redemander votre mot de passe.',
    end: 'Mettre fin à la session',
    keep: 'Ne rien changer',
    revoked: 'L’accès a été retiré.',
    revokedToo: (count) => (count === 1 ? 'Un autre accès a pris fin avec lui.' : `${count} autres accès ont pris fin avec lui.`),
    signedOut: 'Cette session a pris fin.',
    gone: 'Cet accès n’existe plus.',
    stale: 'Cet accès a été modifié entre-temps. Voyez ce qu’il permet maintenant, et décidez à nouveau.',
  },
  de: {
    title: 'Wer Zugriff hat',
    nobody: 'Niemand ausser Ihnen.',
    sessions: 'Wo Sie angemeldet sind',
    sessionsSay: 'Apps, die in Ihrem Namen alles dürfen, weil Sie sich dort mit Ihrem Passwort angemeldet haben.',
    secondFactor: 'Zweiter Faktor',
    pages: 'Diese Seiten',
    thisSession: 'diese Sitzung',
    types: { app: 'App', shared: 'Geteilt', personal: 'Sitzung', delegate: 'Vertretung' },
    expired: 'abgelaufen',
    id: 'Id',
    device: 'Gerät',
    may: 'Darf',
    mayNothing: 'nichts sehen',
    mayAll: 'alles, in Ihrem Namen',
    delegationSays: 'Eine Vertretung endet, wenn Sie sie beenden; was sie anderen gegeben hat, endet mit ihr.',
    givenBy: 'Gegeben von',
    more: (count) => (count === 1 ? 'und eines mehr' : `und ${count} weitere`),
    lastUsed: 'Zuletzt benutzt',
    never: 'nie',
    made: 'Erstellt',
    ends: 'Endet',
    ended: 'Beendet',
    manager: 'Geteilt von',
    details: 'Einzelheiten und Entzug',
    signOutOf: 'Dort abmelden',
    pager: 'Seiten',
    page: (page, pages) => `Seite ${page} von ${pages}`,
    previous: 'Vorherige',
    next: 'Nächste',
    revokeTitle: 'Diesen Zugriff entziehen?',
    revokeSays: 'Er endet sofort. Was schon gelesen wurde, lässt sich nicht zurückholen.',
    withShares: (count) =>
      count === 1 ? 'Was sie mit einer anderen Person geteilt hat, endet auch:' : `Was sie mit ${count} anderen geteilt hat, endet auch:`,
    together: 'Dies haben Sie zusammen damit gegeben, und es endet auch:',
    revoke: 'Zugriff entziehen',
    endTitle: 'Dort abmelden?',
    endSays: 'Die App muss Ihr Passwort erneut verlangen.',
    end: 'Dort abmelden',
    keep: 'So lassen',
    revoked: 'Der Zugriff wurde entzogen.',
    revokedToo: (count) => (count === 1 ? 'Ein weiterer Zugriff endete mit ihm.' : `${count} weitere Zugriffe endeten mit ihm.`),
    signedOut: 'Diese Sitzung ist beendet.',
    gone: 'Diesen Zugriff gibt es nicht mehr.',
    stale: 'Dieser Zugriff wurde inzwischen geändert. Sehen Sie nach, was er jetzt erlaubt, und entscheiden Sie neu.',
  },
}
