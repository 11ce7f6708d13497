/** Texts of the consent page of OAuth clients. */
import type { InLanguages } from '../../base/words.js'

interface OAuthConsentWords {
  /** Note on whether the name of the client is verified. */
  registered(id: string): string
  account(name: string): string
  offer: string
  leadsTo(place: string): string
  /** Heading of the messages that the client's account may send to the person. */
  contact(account: string): string
  /** Note on how the two accesses of a consent end. */
  together: string
  overTitle: string
  over: string
  startOver: string
  changed: string
  incomplete: string
  rejected: string
  ownerOnly: string
  failed: string
  doneTitle: string
  done: string
  refusedTitle: string
  refused: string
  backTo(place: string): string
}

export const oauthConsentWords: InLanguages<OAuthConsentWords> = {
  en: {
    registered: (id) => `Registered by the operator of this node as ${id}.`,
    account: (name) => `For the account ${name}.`,
    offer: 'Purpose, according to the app:',
    contact: (account) => `The account ${account}, which makes this offer, gets the same access to your data until you revoke it. It can also:`,
    together: 'Both accesses end together: if you revoke the access of the app or of the account, the other ends too.',
    leadsTo: (place) => `After your decision, you return to ${place}.`,
    overTitle: 'This request has expired',
    over: 'Requests like this one expire after five minutes.',
    startOver: 'To start over, go back to the app and try again.',
    changed: 'Something has changed since you opened this page. Please check again.',
    incomplete: 'This selection cannot be granted. Please choose again.',
    rejected: 'The app’s offer is no longer open, or has already been accepted.',
    ownerOnly: 'Only the owner of an account can consent to this.',
    failed: 'The access could not be given. Please try again.',
    doneTitle: 'Access given',
    done: 'The app gets its access when you go back to it.',
    refusedTitle: 'Access refused',
    refused: 'The app gets no access.',
    backTo: (place) => `Back to ${place}`,
  },
  fr: {
    registered: (id) => `Enregistrée par l’opérateur de ce nœud sous ${id}.`,
    account: (name) => `Pour le compte ${name}.`,
    offer: 'But, selon l’application :',
    contact: (account) => `Le compte ${account}, qui fait cette offre, obtient le même accès à vos données jusqu’à ce que vous le retiriez. Il pourra aussi :`,
    together: 'Les deux accès prennent fin ensemble : si vous retirez celui de l’application ou celui du compte, l’autre prend fin aussi.',
    leadsTo: (place) => `Une fois votre décision prise, vous retournez à ${place}.`,
    overTitle: 'Cette demande a expiré',
    over: 'Une telle demande expire après cinq minutes.',
    startOver: 'Pour recommencer, retournez à l’application et réessayez.',
    changed: 'Quelque chose a changé depuis que vous avez ouvert cette page. Veuillez vérifier à nouveau.',
    incomplete: 'Ce choix ne peut pas être accordé. Veuillez choisir à nouveau.',
    rejected: 'L’offre de l’application n’est plus ouverte, ou a déjà été acceptée.',
    ownerOnly: 'Seul le titulaire d’un compte peut donner ce consentement.',
    failed: 'L’accès n’a pas pu être donné. Veuillez réessayer.',
    doneTitle: 'Accès donné',
    done: 'L’application reçoit son accès dès que vous y retournez.',
    refusedTitle: 'Accès refusé',
    refused: 'L’application ne reçoit aucun accès.',
    backTo: (place) => `Retour à ${place}`,
  },
  de: {
    registered: (id) => `Vom Betreiber dieses Knotens als ${id} registriert.`,
    account: (name) => `Für das Konto ${name}.`,
    offer: 'Zweck laut der App:',
    contact: (account) => `Das Konto ${account}, das dieses Angebot macht, erhält denselben Zugriff auf Ihre Daten, bis Sie ihn entziehen. Es kann auch:`,
    together: 'Beide Zugriffe enden zusammen: Entziehen Sie den der App oder den des Kontos, endet auch der andere.',
    leadsTo: (place) => `Nach Ihrer Entscheidung kehren Sie zu ${place} zurück.`,
    overTitle: 'Diese Anfrage ist abgelaufen',
    over: 'Solche Anfragen laufen nach fünf Minuten ab.',
    startOver: 'Gehen Sie zurück zur App und versuchen Sie es noch einmal.',
    changed: 'Seit Sie diese Seite geöffnet haben, hat sich etwas geändert. Bitte prüfen Sie noch einmal.',
    incomplete: 'Diese Auswahl ist nicht möglich. Bitte wählen Sie noch einmal.',
    rejected: 'Das Angebot der App ist nicht mehr offen oder wurde schon angenommen.',
    ownerOnly: 'Nur die Inhaberin oder der Inhaber eines Kontos kann hier einwilligen.',
    failed: 'Der Zugriff konnte nicht gegeben werden. Bitte versuchen Sie es noch einmal.',
    doneTitle: 'Zugriff gegeben',
    done: 'Die App erhält ihren Zugriff, sobald Sie zu ihr zurückkehren.',
    refusedTitle: 'Zugriff abgelehnt',
    refused: 'Die App erhält keinen Zugriff.',
    backTo: (place) => `Zurück zu ${place}`,
  },
}
