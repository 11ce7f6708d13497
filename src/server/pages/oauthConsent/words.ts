/** What the page of OAuth clients says around the permissions. */
import type { InLanguages } from '../../base/words.js'

interface OAuthConsentWords {
  /** How far the name of the client can be relied on. */
  registered(id: string): string
  account(name: string): string
  offer: string
  leadsTo(place: string): string
  /** Above what the account of the client may write to the person. */
  contact(account: string): string
  /** How the two accesses of a consent end. */
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
    offer: 'What the app says it is for:',
    contact: (account) => `The account ${account}, which makes this offer, gets the same access to your data until you withdraw it. It will also be able to:`,
    together: 'What you give here ends together: when you withdraw the access of the app or that of the account, both end.',
    leadsTo: (place) => `When you have decided, you are led back to ${place}.`,
    overTitle: 'This request is over',
    over: 'There are five minutes to answer a request like this one.',
    startOver: 'To start over, go back to the app and try again.',
    changed: 'Something has changed since this page was shown. Please look again.',
    incomplete: 'What is chosen cannot be given like this. Please choose again.',
    rejected: 'The app’s offer cannot be accepted any more, or has been accepted already.',
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
    offer: 'Ce que l’application dit de son but :',
    contact: (account) => `Le compte ${account}, qui fait cette offre, obtient le même accès à vos données jusqu’à ce que vous le retiriez. Il pourra aussi :`,
    together: 'Ce que vous donnez ici prend fin ensemble : si vous retirez l’accès de l’application ou celui du compte, les deux prennent fin.',
    leadsTo: (place) => `Une fois votre décision prise, vous retournez à ${place}.`,
    overTitle: 'Cette demande est close',
    over: 'On dispose de cinq minutes pour répondre à une telle demande.',
    startOver: 'Pour recommencer, retournez à l’application et réessayez.',
    changed: 'Quelque chose a changé depuis l’affichage de cette page. Veuillez vérifier à nouveau.',
    incomplete: 'Ce choix ne peut pas être accordé ainsi. Veuillez choisir à nouveau.',
    rejected: 'L’offre de l’application ne peut plus être acceptée, ou l’a déjà été.',
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
    offer: 'Wozu es laut der App dient:',
    contact: (account) => `Das Konto ${account}, das dieses Angebot macht, erhält denselben Zugriff auf Ihre Daten, bis Sie ihn entziehen. Es wird auch können:`,
    together: 'Was Sie hier geben, endet zusammen: Entziehen Sie der App oder dem Konto den Zugriff, enden beide.',
    leadsTo: (place) => `Nach Ihrer Entscheidung kehren Sie zu ${place} zurück.`,
    overTitle: 'Diese Anfrage ist vorbei',
    over: 'Für die Antwort auf eine solche Anfrage sind fünf Minuten Zeit.',
    startOver: 'Gehen Sie zurück zur App und versuchen Sie es noch einmal.',
    changed: 'Seit dieser Anzeige hat sich etwas geändert. Bitte prüfen Sie es noch einmal.',
    incomplete: 'Diese Auswahl kann so nicht gegeben werden. Bitte wählen Sie noch einmal.',
    rejected: 'Das Angebot der App kann nicht mehr angenommen werden, oder es ist schon angenommen.',
    ownerOnly: 'Nur wem ein Konto gehört, kann hierin einwilligen.',
    failed: 'Der Zugriff konnte nicht gegeben werden. Bitte versuchen Sie es noch einmal.',
    doneTitle: 'Zugriff gegeben',
    done: 'Die App erhält ihren Zugriff, sobald Sie zu ihr zurückkehren.',
    refusedTitle: 'Zugriff abgelehnt',
    refused: 'Die App erhält keinen Zugriff.',
    backTo: (place) => `Zurück zu ${place}`,
  },
}
