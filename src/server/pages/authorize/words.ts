/** What the pages of an access request say around its permissions; those are worded for the terminal too. */
import type { InLanguages } from '../../base/words.js'

export interface AuthorizeWords {
  asksAccess: string
  otherAccount: string
  changed: string
  unanswered: string
  /** A problem with one of several consents to other accounts. */
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
    asksAccess: 'Access is asked for by',
    otherAccount: 'Use another account',
    changed: 'Something has changed since this page was shown. Please look again.',
    unanswered: 'Please answer each of the consents, with yes or no.',
    ofConsent: (n, problem) => `Consent ${n}: ${problem}`,
    impossible: 'This access cannot be given as it is asked for.',
    overLimits: 'The account is over its limits. Make room in it first.',
    revocable: 'You can take the access back at any time.',
    grantedTitle: 'Access given',
    granted: (account) => `The app now has access to the account ${account}.`,
    mayDo: 'What it may do',
    withdraw: 'You can take it back at any time:',
    withdrawLink: 'Who has access',
    refusedTitle: 'Access refused',
    refused: 'The app has no access.',
    consentRefused: 'You did not agree to something that the app requires.',
    consentFailed: 'A consent that the app requires could not be given.',
    consentsGiven: (count) => (count === 1 ? 'The consent to another account holds.' : `${count} consents to other accounts hold.`),
    consentsNotGiven: (count) =>
      count === 1 ? 'One consent could not be given; the app was told.' : `${count} consents could not be given; the app was told.`,
    answeredTitle: 'Already answered',
    answered: 'This request has been answered already.',
    failedTitle: 'No access given',
    failed: 'The request ended with an error. The app has no access by it.',
    backTo: (host) => `Back to ${host}`,
    unknownTitle: 'This request is over',
    unknown: 'It has been answered, or it has expired: requests of apps live for one hour.',
    startOver: 'To start over, go back to the app and ask for access again.',
  },
  fr: {
    asksAccess: 'Un accès est demandé par',
    otherAccount: 'Utiliser un autre compte',
    changed: 'Quelque chose a changé depuis l’affichage de cette page. Veuillez vérifier à nouveau.',
    unanswered: 'Veuillez répondre à chacun des consentements, par oui ou par non.',
    ofConsent: (n, problem) => `Consentement ${n} : ${problem}`,
    impossible: 'Cet accès ne peut pas être donné tel qu’il est demandé.',
    overLimits: 'Le compte dépasse ses limites. Faites-y d’abord de la place.',
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
      count === 1 ? 'Le consentement envers un autre compte est donné.' : `${count} consentements envers d’autres comptes sont donnés.`,
    consentsNotGiven: (count) =>
      count === 1
        ? 'Un consentement n’a pas pu être donné ; l’application en est avertie.'
        : `${count} consentements n’ont pas pu être donnés ; l’application en est avertie.`,
    answeredTitle: 'Déjà répondu',
    answered: 'Cette demande a déjà reçu une réponse.',
    failedTitle: 'Aucun accès donné',
    failed: 'La demande s’est terminée par une erreur. L’application n’en tire aucun accès.',
    backTo: (host) => `Retour à ${host}`,
    unknownTitle: 'Cette demande est close',
    unknown: 'Elle a reçu une réponse, ou elle a expiré : la demande d’une application vit une heure.',
    startOver: 'Pour recommencer, retournez à l’application et demandez l’accès à nouveau.',
  },
  de: {
    asksAccess: 'Um Zugriff bittet',
    otherAccount: 'Anderes Konto verwenden',
    changed: 'Seit dieser Anzeige hat sich etwas geändert. Bitte prüfen Sie es noch einmal.',
    unanswered: 'Bitte beantworten Sie jede der Einwilligungen, mit Ja oder Nein.',
    ofConsent: (n, problem) => `Einwilligung ${n}: ${problem}`,
    impossible: 'Dieser Zugriff kann so, wie er verlangt wird, nicht gegeben werden.',
    overLimits: 'Das Konto ist über seinen Grenzen. Schaffen Sie zuerst Platz.',
    revocable: 'Sie können den Zugriff jederzeit zurücknehmen.',
    grantedTitle: 'Zugriff gegeben',
    granted: (account) => `Die App hat jetzt Zugriff auf das Konto ${account}.`,
    mayDo: 'Was sie tun darf',
    withdraw: 'Sie können ihn jederzeit zurücknehmen:',
    withdrawLink: 'Wer Zugriff hat',
    refusedTitle: 'Zugriff abgelehnt',
    refused: 'Die App hat keinen Zugriff.',
    consentRefused: 'Sie haben in etwas nicht eingewilligt, das die App verlangt.',
    consentFailed: 'Eine Einwilligung, die die App verlangt, konnte nicht gegeben werden.',
    consentsGiven: (count) =>
      count === 1 ? 'Die Einwilligung gegenüber einem anderen Konto gilt.' : `${count} Einwilligungen gegenüber anderen Konten gelten.`,
    consentsNotGiven: (count) =>
      count === 1
        ? 'Eine Einwilligung konnte nicht gegeben werden; die App weiß davon.'
        : `${count} Einwilligungen konnten nicht gegeben werden; die App weiß davon.`,
    answeredTitle: 'Schon beantwortet',
    answered: 'Diese Anfrage ist schon beantwortet.',
    failedTitle: 'Kein Zugriff gegeben',
    failed: 'Die Anfrage endete mit einem Fehler. Die App hat dadurch keinen Zugriff.',
    backTo: (host) => `Zurück zu ${host}`,
    unknownTitle: 'Diese Anfrage ist vorbei',
    unknown: 'Sie ist beantwortet, oder sie ist abgelaufen: Anfragen von Apps leben eine Stunde.',
    startOver: 'Gehen Sie zurück zur App und bitten Sie dort noch einmal um Zugriff.',
  },
}
