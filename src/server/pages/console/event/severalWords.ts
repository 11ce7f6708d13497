/** Texts of the page that adds several events at once. */
import type { InLanguages } from '../../../base/words.js'
import type { RowProblem } from './table.js'

interface SeveralWords {
  title: string
  intro: string
  type: string
  typeHint: string
  rows: string
  rowsHint(columns: string, max: number): string
  value: string
  stream: string
  streamMissing: string
  rowsMissing: string
  wrongType: string
  preview: string
  previewTitle: string
  save(count: number): string
  line: string
  time: string
  description: string
  heading: string
  shortened(max: number): string
  shown(count: number, all: number): string
  problems: Readonly<Record<RowProblem, string>>
  refusedLine: string
  summary(good: number, bad: number): string
  done(count: number): string
  partly(created: number, refused: number): string
  reason(line: number, text: string): string
  toStream: string
  toChart: string
}

export const severalWords: InLanguages<SeveralWords> = {
  en: {
    title: 'Add several entries',
    intro: 'Copy a table from a spreadsheet, or type one entry in each line: first its time, then its value.',
    type: 'Type of the entries',
    typeHint: 'The name of an event type, such as mass/kg.',
    rows: 'Table',
    rowsHint: (columns, max) => `Columns: ${columns}. At most ${max} lines; separate the columns by tabs, semicolons or commas. A date without a time is at noon.`,
    value: 'Value',
    stream: 'Stream in which the entries are saved',
    streamMissing: 'Choose a stream.',
    rowsMissing: 'Enter at least one line.',
    wrongType: 'Entries of this type cannot be read from a table. Choose a type with a number, a text, or a few fields.',
    preview: 'Check the table',
    previewTitle: 'Preview',
    save: (count) => (count === 1 ? 'Save 1 entry' : `Save ${count} entries`),
    line: 'Line',
    time: 'Time',
    description: 'Description',
    heading: 'The first line names the columns and is left out.',
    shortened: (max) => `Only the first ${max} lines are read. Add the others afterwards.`,
    shown: (count, all) => `${count} of ${all} entries are shown.`,
    problems: {
      time: 'The time cannot be read. Examples: 2026-11-27 14:05, 27.11.2026.',
      ambiguous: 'The date can be read in two ways. Write it as 2026-11-27.',
      value: 'The value cannot be read.',
      columns: 'The value is missing.',
      quotes: 'A quotation mark has no counterpart in its cell.',
    },
    refusedLine: 'Cannot be saved',
    summary: (good, bad) => `${good === 1 ? '1 line' : `${good} lines`} can be saved${bad === 0 ? '' : `, ${bad} cannot`}.`,
    done: (count) => (count === 1 ? '1 entry was saved.' : `${count} entries were saved.`),
    partly: (created, refused) => `${created === 1 ? '1 entry was' : `${created} entries were`} saved, ${refused} refused. The refused lines are still below.`,
    reason: (line, text) => `Line ${line}: ${text}`,
    toStream: 'Show the stream',
    toChart: 'Show the chart',
  },
  fr: {
    title: 'Ajouter plusieurs entrées',
    intro: 'Copiez un tableau d’un tableur, ou saisissez une entrée par ligne : d’abord son heure, puis sa valeur.',
    type: 'Type des entrées',
    typeHint: 'Le nom d’un type d’événement, par exemple mass/kg.',
    rows: 'Tableau',
    rowsHint: (columns, max) => `Colonnes : ${columns}. Au plus ${max} lignes ; séparez les colonnes par des tabulations, des points-virgules ou des virgules. Une date sans heure est à midi.`,
    value: 'Valeur',
    stream: 'Flux dans lequel les entrées sont enregistrées',
    streamMissing: 'Choisissez un flux.',
    rowsMissing: 'Saisissez au moins une ligne.',
    wrongType: 'Les entrées de ce type ne peuvent pas être lues d’un tableau. Choisissez un type avec un nombre, un texte ou quelques champs.',
    preview: 'Vérifier le tableau',
    previewTitle: 'Prévisualisation',
    save: (count) => (count === 1 ? 'Enregistrer 1 entrée' : `Enregistrer ${count} entrées`),
    line: 'Ligne',
    time: 'Heure',
    description: 'Description',
    heading: 'La première ligne nomme les colonnes et est ignorée.',
    shortened: (max) => `Seules les ${max} premières lignes sont lues. Ajoutez les autres ensuite.`,
    shown: (count, all) => `${count} entrées sur ${all} sont affichées.`,
    problems: {
      time: 'L’heure est illisible. Exemples : 2026-11-27 14:05, 27.11.2026.',
      ambiguous: 'La date peut être lue de deux façons. Écrivez-la comme 2026-11-27.',
      value: 'La valeur est illisible.',
      columns: 'La valeur manque.',
      quotes: 'Un guillemet n’a pas son pendant dans la cellule.',
    },
    refusedLine: 'Ne peut pas être enregistrée',
    summary: (good, bad) => `${good === 1 ? '1 ligne peut être enregistrée' : `${good} lignes peuvent être enregistrées`}${bad === 0 ? '' : `, ${bad} non`}.`,
    done: (count) => (count === 1 ? '1 entrée a été enregistrée.' : `${count} entrées ont été enregistrées.`),
    partly: (created, refused) => `${created === 1 ? '1 entrée enregistrée' : `${created} entrées enregistrées`}, ${refused} refusées. Les lignes refusées sont encore ci-dessous.`,
    reason: (line, text) => `Ligne ${line} : ${text}`,
    toStream: 'Afficher le flux',
    toChart: 'Afficher le graphique',
  },
  de: {
    title: 'Mehrere Einträge hinzufügen',
    intro: 'Kopieren Sie eine Tabelle aus einer Tabellenkalkulation, oder schreiben Sie in jede Zeile einen Eintrag: zuerst die Zeit, dann den Wert.',
    type: 'Typ der Einträge',
    typeHint: 'Der Name eines Ereignistyps, zum Beispiel mass/kg.',
    rows: 'Tabelle',
    rowsHint: (columns, max) => `Spalten: ${columns}. Höchstens ${max} Zeilen; trennen Sie die Spalten durch Tabulatoren, Strichpunkte oder Kommas. Ein Datum ohne Uhrzeit gilt für den Mittag.`,
    value: 'Wert',
    stream: 'Stream, in dem die Einträge gespeichert werden',
    streamMissing: 'Wählen Sie einen Stream.',
    rowsMissing: 'Geben Sie mindestens eine Zeile ein.',
    wrongType: 'Einträge dieses Typs lassen sich nicht aus einer Tabelle lesen. Wählen Sie einen Typ mit einer Zahl, einem Text oder wenigen Feldern.',
    preview: 'Tabelle prüfen',
    previewTitle: 'Vorschau',
    save: (count) => (count === 1 ? '1 Eintrag speichern' : `${count} Einträge speichern`),
    line: 'Zeile',
    time: 'Zeit',
    description: 'Beschreibung',
    heading: 'Die erste Zeile benennt die Spalten und wird ausgelassen.',
    shortened: (max) => `Nur die ersten ${max} Zeilen werden gelesen. Fügen Sie die anderen danach hinzu.`,
    shown: (count, all) => `${count} von ${all} Einträgen sind aufgeführt.`,
    problems: {
      time: 'Die Zeit ist nicht lesbar. Beispiele: 2026-11-27 14:05, 27.11.2026.',
      ambiguous: 'Das Datum lässt sich auf zwei Arten lesen. Schreiben Sie es wie 2026-11-27.',
      value: 'Der Wert ist nicht lesbar.',
      columns: 'Der Wert fehlt.',
      quotes: 'Ein Anführungszeichen hat in seiner Zelle kein Gegenstück.',
    },
    refusedLine: 'Lässt sich nicht speichern',
    summary: (good, bad) => `${good === 1 ? '1 Zeile lässt' : `${good} Zeilen lassen`} sich speichern${bad === 0 ? '' : `, ${bad} nicht`}.`,
    done: (count) => (count === 1 ? '1 Eintrag wurde gespeichert.' : `${count} Einträge wurden gespeichert.`),
    partly: (created, refused) => `${created === 1 ? '1 Eintrag' : `${created} Einträge`} gespeichert, ${refused} abgelehnt. Die abgelehnten Zeilen stehen noch unten.`,
    reason: (line, text) => `Zeile ${line}: ${text}`,
    toStream: 'Stream anzeigen',
    toChart: 'Diagramm anzeigen',
  },
}
