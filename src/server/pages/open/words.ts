/** Texts of a one-time link that is used or expired. */
import type { InLanguages } from '../../base/words.js'

interface OpenWords {
  title: string
  text: string
  again: string
  signIn: string
}

export const openWords: InLanguages<OpenWords> = {
  en: {
    title: 'This link is no longer valid',
    text: 'It was already used, or has expired. Each link works once, within two minutes.',
    again: 'To create a new one, run in the terminal of the node:',
    signIn: 'Go to the page',
  },
  fr: {
    title: 'Ce lien n’est plus valable',
    text: 'Il a déjà été utilisé, ou a expiré. Chaque lien fonctionne une seule fois, dans les deux minutes.',
    again: 'Pour en créer un nouveau, exécutez dans le terminal du nœud :',
    signIn: 'Aller à la page',
  },
  de: {
    title: 'Dieser Link ist nicht mehr gültig',
    text: 'Er wurde schon verwendet oder ist abgelaufen. Jeder Link funktioniert einmal, innerhalb von zwei Minuten.',
    again: 'Um einen neuen zu erstellen, führen Sie im Terminal des Knotens aus:',
    signIn: 'Zur Seite',
  },
}
