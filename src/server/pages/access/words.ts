/** Texts of the owner's page about access. */
import type { InLanguages } from '../../base/words.js'

interface AccessWords {
  title: string
  onlyYou: string
  sessions: string
  sessionsText: string
  secondFactor: string
  /** Title of the session of these pages. */
  pages: string
  thisSession: string
  types: { app: string; shared: string; personal: string; delegate: string }
  expired: string
  id: string
  device: string
  may: string
  mayNothing: string
  /** Permissions of a delegate. */
  mayAll: string
  /** Note about how a delegation ends. */
  delegationText: string
  /** Label of the delegate who gave an access. */
  givenBy: string
  more(count: number): string
  lastUsed: string
  never: string
  created: string
  expires: string
  expiredOn: string
  manager: string
  details: string
  signOutOf: string
  pager: string
  page(page: number, pages: number): string
  previous: string
  next: string
  revokeTitle: string
  revokeText: string
  withShares(count: number): string
  /** Heading of the other accesses of an OAuth consent. */
  together: string
  revoke: string
  endTitle: string
  endText: string
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
    onlyYou: 'Only you have access.',
    sessions: 'Where you are signed in',
    sessionsText: 'These apps have full access to your account, because you signed in to them with your password.',
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
    delegationText: 'To remove a delegate, end the delegation. This also ends the access that the delegate gave to others.',
    givenBy: 'Given by',
    more: (count) => `and ${count} more`,
    lastUsed: 'Last used',
    never: 'never',
    created: 'Created',
    expires: 'Expires',
    expiredOn: 'Expired',
    manager: 'Shared by',
    details: 'Manage access',
    signOutOf: 'Sign out there',
    pager: 'Pages',
    page: (page, pages) => `Page ${page} of ${pages}`,
    previous: 'Previous',
    next: 'Next',
    revokeTitle: 'Revoke this access?',
    revokeText: 'It ends immediately. Data that was already read cannot be taken back.',
    withShares: (count) => (count === 1 ? 'This also ends the access it shared with one other:' : `This also ends the access it shared with ${count} others:`),
    together: 'You gave this access with the same consent, so it ends too:',
    revoke: 'Revoke access',
    endTitle: 'Sign out of this session?',
    endText: 'You will have to enter your password again in this app.',
    end: 'Sign out there',
    keep: 'Keep access',
    revoked: 'Access revoked.',
    revokedToo: (count) => (count === 1 ? 'One other access ended with it.' : `${count} other accesses ended with it.`),
    signedOut: 'Session ended.',
    gone: 'This access no longer exists.',
    stale: 'This access has changed in the meantime. Check what it may do now, and decide again.',
  },
  fr: {
    title: 'Qui a accès',
    onlyYou: 'Vous seul avez accès.',
    sessions: 'Où vous êtes connecté',
    sessionsText: 'Ces applications ont un accès complet à votre compte, parce que vous vous y êtes connecté avec votre mot de passe.',
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
    delegationText: 'Pour retirer un délégué, mettez fin à la délégation. Les accès qu’il a donnés à d’autres prennent fin aussi.',
    givenBy: 'Donné par',
    more: (count) => (count === 1 ? 'et un autre' : `et ${count} autres`),
    lastUsed: 'Dernier usage',
    never: 'jamais',
    created: 'Créé',
    expires: 'Expire',
    expiredOn: 'Expiré',
    manager: 'Partagé par',
    details: 'Gérer l’accès',
    signOutOf: 'Y mettre fin',
    pager: 'Pages',
    page: (page, pages) => `Page ${page} sur ${pages}`,
    previous: 'Précédente',
    next: 'Suivante',
    revokeTitle: 'Retirer cet accès ?',
    revokeText: 'Il prend fin immédiatement. Les données déjà lues ne peuvent pas être reprises.',
    withShares: (count) =>
      count === 1 ? 'Cet accès partagé avec une autre personne prend fin aussi :' : `Ces accès partagés avec ${count} autres personnes prennent fin aussi :`,
    together: 'Vous avez donné cet accès par le même consentement ; il prend fin aussi :',
    revoke: 'Retirer l’accès',
    endTitle: 'Mettre fin à cette session ?',
    endText: 'Vous devrez saisir à nouveau votre mot de passe dans cette application.',
    end: 'Mettre fin à la session',
    keep: 'Garder l’accès',
    revoked: 'Accès retiré.',
    revokedToo: (count) => (count === 1 ? 'Un autre accès a pris fin avec lui.' : `${count} autres accès ont pris fin avec lui.`),
    signedOut: 'Session terminée.',
    gone: 'Cet accès n’existe plus.',
    stale: 'Cet accès a été modifié entre-temps. Voyez ce qu’il permet maintenant, et décidez à nouveau.',
  },
  de: {
    title: 'Wer Zugriff hat',
    onlyYou: 'Nur Sie haben Zugriff.',
    sessions: 'Wo Sie angemeldet sind',
    sessionsText: 'Diese Apps haben vollen Zugriff auf Ihr Konto, weil Sie sich dort mit Ihrem Passwort angemeldet haben.',
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
    delegationText: 'Um eine Vertretung zu entfernen, beenden Sie die Delegation. Zugriffe, die sie anderen gegeben hat, enden auch.',
    givenBy: 'Gegeben von',
    more: (count) => (count === 1 ? 'und 1 weitere' : `und ${count} weitere`),
    lastUsed: 'Zuletzt benutzt',
    never: 'nie',
    created: 'Erstellt',
    expires: 'Läuft ab',
    expiredOn: 'Abgelaufen',
    manager: 'Geteilt von',
    details: 'Zugriff verwalten',
    signOutOf: 'Dort abmelden',
    pager: 'Seiten',
    page: (page, pages) => `Seite ${page} von ${pages}`,
    previous: 'Vorherige',
    next: 'Nächste',
    revokeTitle: 'Diesen Zugriff entziehen?',
    revokeText: 'Er endet sofort. Bereits gelesene Daten lassen sich nicht zurückholen.',
    withShares: (count) =>
      count === 1 ? 'Auch dieser mit einer anderen Person geteilte Zugriff endet:' : `Auch diese mit ${count} anderen geteilten Zugriffe enden:`,
    together: 'Diesen Zugriff haben Sie mit derselben Einwilligung gegeben; er endet auch:',
    revoke: 'Zugriff entziehen',
    endTitle: 'Dort abmelden?',
    endText: 'Sie müssen Ihr Passwort in dieser App erneut eingeben.',
    end: 'Dort abmelden',
    keep: 'Zugriff behalten',
    revoked: 'Zugriff entzogen.',
    revokedToo: (count) => (count === 1 ? 'Ein weiterer Zugriff endete mit ihm.' : `${count} weitere Zugriffe endeten mit ihm.`),
    signedOut: 'Sitzung beendet.',
    gone: 'Diesen Zugriff gibt es nicht mehr.',
    stale: 'Dieser Zugriff wurde inzwischen geändert. Sehen Sie nach, was er jetzt erlaubt, und entscheiden Sie neu.',
  },
}
