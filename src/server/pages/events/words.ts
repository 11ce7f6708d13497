/** Words in the values of events. */
import type { InLanguages } from '../../base/words.js'

interface EventWords {
  yes: string
  no: string
  encrypted: string
  items(count: number): string
  series(name: string): string
}

export const eventWords: InLanguages<EventWords> = {
  en: { yes: 'Yes', no: 'No', encrypted: 'Encrypted', items: (count) => (count === 1 ? '1 item' : `${count} items`), series: (name) => `${name}, series` },
  fr: { yes: 'Oui', no: 'Non', encrypted: 'Chiffré', items: (count) => (count === 1 ? '1 élément' : `${count} éléments`), series: (name) => `${name}, série` },
  de: { yes: 'Ja', no: 'Nein', encrypted: 'Verschlüsselt', items: (count) => (count === 1 ? '1 Eintrag' : `${count} Einträge`), series: (name) => `${name}, Reihe` },
}
