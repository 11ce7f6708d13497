/**
 * Texts of the pages of an access request. The texts of permissions are shared with the terminal and live elsewhere.
 */
import type { InLanguages } from '../../base/words.js'

export interface AuthorizeWords {
  wantsAccess: string
  otherAccount: string
  changed: string
  unanswered: string
  /** Prefixes a problem with the number of the consent that it is about. */
  ofConsent(n: string, problem: string): string
  impossible: string
  overLimits: string
  revocable: string
  grantedTitle: string
  granted(account: string): string
  mayDo: string
  withdraw: string
  withdrawLink: string
  refusedTitle: string
  refused: string
  consentRefused: string
  consentFailed: string
  consentsGiven(count: number): string
  consentsNotGiven(count: number): string
  answeredTitle: string
  answered: string
  failedTitle: string
  failed: string
  backTo(host: string): string
  unknownTitle: string
  unknown: string
  startOver: string
}

export const authorizeWords: InLanguages<AuthorizeWords> = {
  en: {
    wantsAccess: 'wants access to your account',
    otherAccount: 'Use another account',
    changed: 'Something has changed since you opened this page. Please check again.',
    unanswered: 'Please answer each consent with yes or no.',
    ofConsent: (n, problem) => `Consent ${n}: ${problem}`,
    impossible: 'This access cannot be granted as requested.',
    overLimits: 'The account is over its storage limit. Free up space first.',
    revocable: 'You can revoke the access at any time.',
    grantedTitle: 'Access given',
    granted: (account) => `The app now has access to the account ${account}.`,
    mayDo: 'What it may do',
    withdraw: 'You can revoke it at any time:',
    withdrawLink: 'Who has access',
    refusedTitle: 'Access refused',
    refused: 'The app has no access.',
    consentRefused: 'You did not agree to something that the app requires.',
    consentFailed: 'A consent that the app requires could not be given.',
    consentsGiven: (count) => (count === 1 ? 'You gave one consent to another account.' : `You gave ${count} consents to other accounts.`),
    consentsNotGiven: (count) =>
      count === 1 ? 'One consent could not be given; the app was notified.' : `${count} consents could not be given; the app was notified.`,
    answeredTitle: 'Already answered',
    answered: 'This request has already been answered.',
    failedTitle: 'No access given',
    failed: 'The request ended with an error. The app did not get access.',
    backTo: (host) => `Back to ${host}`,
    unknownTitle: 'This request has expired or was answered',
    unknown: 'Requests of apps expire after one hour.',
    startOver: 'To start over, go back to the app and ask for access again.',
  },
  fr: {
    wantsAccess: 'demande l’accès à votre compte',
    otherAccount: 'Utiliser un autre compte',
    changed: 'Quelque chose a changé depuis que vous avez ouvert cette page. Veuillez vérifier à nouveau.',
    unanswered: 'Veuillez répondre par oui ou par non à chaque consentement.',
    ofConsent: (n, problem) => `Consentement ${n} : ${problem}`,
    impossible: 'Cet accès ne peut pas être accordé tel que demandé.',
    overLimits: 'Le compte dépasse sa limite de stockage. Libérez d’abord de l’espace.',
    revocable: 'Vous pouvez retirer l’accès à tout moment.',
    grantedTitle: 'Accès donné',
    granted: (account) => `L’application a maintenant accès au compte ${account}.`,
    mayDo: 'Ce qu’elle peut faire',
    withdraw: 'Vous pouvez le retirer à tout moment :',
    withdrawLink: 'Qui a accès',
    refusedTitle: 'Accès refusé',
    refused: 'L’application n’a pas d’accès.',
    consentRefused: 'Vous n’avez pas consenti à quelque chose que l’application exige.',
    consentFailed: 'Un consentement exigé par l’application n’a pas pu être donné.',
    consentsGiven: (count) =>
      count === 1 ? 'Vous avez donné un consentement à un autre compte.' : `Vous avez donné ${count} consentements à d’autres comptes.`,
    consentsNotGiven: (count) =>
      count === 1
        ? 'Un consentement n’a pas pu être donné ; l’application en est avertie.'
        : `${count} consentements n’ont pas pu être donnés ; l’application en est avertie.`,
    answeredTitle: 'Déjà répondu',
    answered: 'Cette demande a déjà reçu une réponse.',
    failedTitle: 'Aucun accès donné',
    failed: 'La demande s’est terminée par une erreur. L’application n’a pas obtenu d’accès.',
    backTo: (host) => `Retour à ${host}`,
    unknownTitle: 'Cette demande a expiré ou a déjà reçu une réponse',
    unknown: 'Les demandes des applications expirent après une heure.',
    startOver: 'Pour recommencer, retournez à l’application et demandez l’accès à nouveau.',
  },
  de: {
    wantsAccess: 'möchte Zugriff auf Ihr Konto',
    otherAccount: 'Anderes Konto verwenden',
    changed: 'Seit Sie diese Seite geöffnet haben, hat sich etwas geändert. Bitte prüfen Sie noch einmal.',
    unanswered: 'Bitte beantworten Sie jede Einwilligung mit Ja oder Nein.',
    ofConsent: (n, problem) => `Einwilligung ${n}: ${problem}`,
    impossible: 'Dieser Zugriff kann nicht wie angefragt gegeben werden.',
    overLimits: 'Das Konto überschreitet seine Speichergrenze. Geben Sie zuerst Speicherplatz frei.',
    revocable: 'Sie können den Zugriff jederzeit entziehen.',
    grantedTitle: 'Zugriff gegeben',
    granted: (account) => `Die App hat jetzt Zugriff auf das Konto ${account}.`,
    mayDo: 'Was sie tun darf',
    withdraw: 'Sie können ihn jederzeit entziehen:',
    withdrawLink: 'Wer Zugriff hat',
    refusedTitle: 'Zugriff abgelehnt',
    refused: 'Die App hat keinen Zugriff.',
    consentRefused: 'Sie haben in etwas nicht eingewilligt, das die App verlangt.',
    consentFailed: 'Eine Einwilligung, die die App verlangt, konnte nicht gegeben werden.',
    consentsGiven: (count) =>
      count === 1 ? 'Sie haben einem anderen Konto eine Einwilligung gegeben.' : `Sie haben anderen Konten ${count} Einwilligungen gegeben.`,
    consentsNotGiven: (count) =>
      count === 1
        ? 'Eine Einwilligung konnte nicht gegeben werden; die App wurde benachrichtigt.'
        : `${count} Einwilligungen konnten nicht gegeben werden; die App wurde benachrichtigt.`,
    answeredTitle: 'Schon beantwortet',
    answered: 'Diese Anfrage ist schon beantwortet.',
    failedTitle: 'Kein Zugriff gegeben',
    failed: 'Die Anfrage endete mit einem Fehler. Die App hat keinen Zugriff erhalten.',
    backTo: (host) => `Zurück zu ${host}`,
    unknownTitle: 'Diese Anfrage ist abgelaufen oder schon beantwortet',
    unknown: 'Anfragen von Apps laufen nach einer Stunde ab.',
    startOver: 'Gehen Sie zurück zur App und bitten Sie dort noch einmal um Zugriff.',
  },
}
