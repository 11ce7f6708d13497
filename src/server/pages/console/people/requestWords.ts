/** Texts of the page about requests of apps and connected services. */
import type { InLanguages } from '../../../base/words.js'

interface RequestWords {
  requests: string
  text: string
  code: string
  codeHint: string
  open: string
  unknown: string
  empty: string
  services: string
  servicesText: string
  noServices: string
}

export const requestWords: InLanguages<RequestWords> = {
  en: {
    requests: 'Answer the request of an app',
    text: 'An app that wants access opens a page of this node, or shows its address or a code. A request belongs to no account before it is answered, so none are listed here. It is valid for one hour.',
    code: 'Address or code of the request',
    codeHint: 'Paste the whole address, or the code (key) of 16 characters.',
    open: 'Look at the request',
    unknown: 'There is no such request. It may have expired: start again in the app.',
    empty: 'Enter the address or the code.',
    services: 'Connected services',
    servicesText: 'Services that you connected by signing in here (OAuth). Withdrawing one also ends the consent that you gave it.',
    noServices: 'No service is connected.',
  },
  fr: {
    requests: 'Répondre à la demande d’une app',
    text: 'Une app qui veut un accès ouvre une page de ce nœud, ou montre son adresse ou un code. Une demande n’appartient à personne tant que personne n’y répond ; aucune n’est donc affichée ici. Elle est valable une heure.',
    code: 'Adresse ou code de la demande',
    codeHint: 'Collez l’adresse entière, ou le code (clé) de 16 caractères.',
    open: 'Voir la demande',
    unknown: 'Cette demande n’existe pas. Elle a peut-être expiré : recommencez dans l’app.',
    empty: 'Saisissez l’adresse ou le code.',
    services: 'Services reliés',
    servicesText: 'Les services que vous avez reliés en vous connectant ici (OAuth). Retirer un service met aussi fin au consentement donné.',
    noServices: 'Aucun service n’est relié.',
  },
  de: {
    requests: 'Anfrage einer App beantworten',
    text: 'Eine App, die Zugriff möchte, öffnet eine Seite dieses Knotens oder zeigt deren Adresse oder einen Code. Eine Anfrage gehört niemandem, bis jemand sie beantwortet; darum sind hier keine aufgeführt. Sie gilt eine Stunde.',
    code: 'Adresse oder Code der Anfrage',
    codeHint: 'Fügen Sie die ganze Adresse ein, oder den Code (Schlüssel) mit 16 Zeichen.',
    open: 'Anfrage ansehen',
    unknown: 'Diese Anfrage gibt es nicht. Vielleicht ist sie abgelaufen: Beginnen Sie in der App von vorn.',
    empty: 'Geben Sie die Adresse oder den Code ein.',
    services: 'Verbundene Dienste',
    servicesText: 'Dienste, die Sie mit einer Anmeldung hier verbunden haben (OAuth). Wer einen entzieht, beendet auch die Einwilligung dazu.',
    noServices: 'Kein Dienst ist verbunden.',
  },
}
