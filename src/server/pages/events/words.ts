/** Words in the values of events. */
import type { InLanguages } from '../../base/words.js'

interface EventWords {
  yes: string
  no: string
  encrypted: string
  items(count: number): string
  series(name: string): string
  /** Description of a chart for screen readers. */
  chart(from: string, to: string, lowest: string, highest: string, values: number): string
  table: string
  time: string
  mean: string
  lowest: string
  highest: string
}

export const eventWords: InLanguages<EventWords> = {
  en: {
    yes: 'Yes',
    no: 'No',
    encrypted: 'Encrypted',
    items: (count) => (count === 1 ? '1 item' : `${count} items`),
    series: (name) => `${name}, series`,
    chart: (from, to, lowest, highest, values) => `From ${from} to ${to}: ${values} values, from ${lowest} to ${highest}.`,
    table: 'Values as a table',
    time: 'Time',
    mean: 'Mean',
    lowest: 'Lowest',
    highest: 'Highest',
  },
  fr: {
    yes: 'Oui',
    no: 'Non',
    encrypted: 'Chiffré',
    items: (count) => (count === 1 ? '1 élément' : `${count} éléments`),
    series: (name) => `${name}, série`,
    chart: (from, to, lowest, highest, values) => `Du ${from} au ${to} : ${values} valeurs, de ${lowest} à ${highest}.`,
    table: 'Valeurs en tableau',
    time: 'Date',
    mean: 'Moyenne',
    lowest: 'Minimum',
    highest: 'Maximum',
  },
  de: {
    yes: 'Ja',
    no: 'Nein',
    encrypted: 'Verschlüsselt',
    items: (count) => (count === 1 ? '1 Eintrag' : `${count} Einträge`),
    series: (name) => `${name}, Reihe`,
    chart: (from, to, lowest, highest, values) => `Vom ${from} bis zum ${to}: ${values} Werte, von ${lowest} bis ${highest}.`,
    table: 'Werte als Tabelle',
    time: 'Zeit',
    mean: 'Mittel',
    lowest: 'Tiefster Wert',
    highest: 'Höchster Wert',
  },
}
