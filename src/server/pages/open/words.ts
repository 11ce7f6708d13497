/** Words for a link that is good no more. */
import type { InLanguages } from '../../base/words.js'

interface OpenWords {
  title: string
  says: string
  again: string
  signIn: string
}

export const openWords: InLanguages<OpenWords> = {
  en: {
    title: 'This link is not valid any more',
    says: 'It was used already, or its time is over. Each link opens the page once, within two minutes.',
    again: 'For a new one, type at the terminal of the node:',
    signIn: 'Go to the page',
  },
  fr: {
    title: 'Ce lien n’est plus valable',
    says: 'Il a déjà été utilisé, ou son délai est écoulé. Chaque lien ouvre la page une seule fois, dans les deux minutes.',
    again: 'Pour en obtenir un nouveau, tapez au terminal du nœud :',
    signIn: 'Aller à la page',
  },
  de: {
    title: 'Dieser Link gilt nicht mehr',
    says: 'Er wurde schon verwendet, oder seine Zeit ist um. Jeder Link öffnet die Seite einmal, innert zwei Minuten.',
    again: 'Für einen neuen tippen Sie am Terminal des Knotens:',
    signIn: 'Zur Seite',
  },
}
