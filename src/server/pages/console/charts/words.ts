/** Texts of the charts. */
import type { InLanguages } from '../../../base/words.js'
import type { SpanName } from './span.js'

interface ChartWords {
  spans: Readonly<Record<SpanName, string>>
  span: string
  earlier: string
  later: string
  choose: string
  chooseHint: string
  show: string
  showTogether: string
  none: string
  noneHint: string
  nothingInSpan: string
  reading: string
  reload: string
  values(count: number): string
  latest: string
  series: string
  remove: string
  compare: string
  zoomHint: string
  data: string
  add: string
  periods: string
  periodsOf(count: number): string
  from: string
  to: string
  running: string
  calendar: string
  month: string
  less: string
  more: string
  noValue: string
  track: string
  trackText(points: number, distance: string): string
  start: string
  end: string
  north: string
  partial: string
  whole: string
  stream: string
}

export const chartWords: InLanguages<ChartWords> = {
  en: {
    spans: { day: 'Day', week: 'Week', month: 'Month', year: 'Year', all: 'All' },
    span: 'Span of time',
    earlier: 'Earlier',
    later: 'Later',
    choose: 'What can be drawn',
    chooseHint: 'Open one, or choose several to see them one below the other.',
    show: 'Open',
    showTogether: 'Show the chosen ones together',
    none: 'There are no numbers to draw yet.',
    noneHint: 'Add values, such as your weight on several days.',
    nothingInSpan: 'No values in this span.',
    reading: 'The values are being read …',
    reload: 'Show them',
    values: (count) => (count === 1 ? '1 value' : `${count} values`),
    latest: 'latest',
    series: 'Series',
    remove: 'Remove from this page',
    compare: 'Add another chart',
    zoomHint: 'Drag across a chart to zoom in, double-click to zoom out.',
    data: 'Entries',
    add: 'Add an entry',
    periods: 'Periods',
    periodsOf: (count) => (count === 1 ? '1 period' : `${count} periods`),
    from: 'From',
    to: 'To',
    running: 'in progress',
    calendar: 'Calendar',
    month: 'Month',
    less: 'lower',
    more: 'higher',
    noValue: 'no value',
    track: 'Track',
    trackText: (points, distance) => `${points} places over ${distance}; north is up.`,
    start: 'Start',
    end: 'End',
    north: 'North is up',
    partial: 'Streams with few values are left out. Choose one by its name:',
    whole: 'All times',
    stream: 'Stream',
  },
  fr: {
    spans: { day: 'Jour', week: 'Semaine', month: 'Mois', year: 'Année', all: 'Tout' },
    span: 'Période',
    earlier: 'Plus tôt',
    later: 'Plus tard',
    choose: 'Ce qui peut être affiché',
    chooseHint: 'Ouvrez un graphique, ou choisissez-en plusieurs pour les voir l’un sous l’autre.',
    show: 'Ouvrir',
    showTogether: 'Afficher ensemble les graphiques choisis',
    none: 'Il n’y a pas encore de nombres à afficher.',
    noneHint: 'Ajoutez des valeurs, comme votre poids sur plusieurs jours.',
    nothingInSpan: 'Aucune valeur dans cette période.',
    reading: 'Lecture des valeurs …',
    reload: 'Afficher',
    values: (count) => (count === 1 ? '1 valeur' : `${count} valeurs`),
    latest: 'dernière',
    series: 'Série',
    remove: 'Retirer de cette page',
    compare: 'Ajouter un graphique',
    zoomHint: 'Glissez sur un graphique pour agrandir, double-cliquez pour revenir.',
    data: 'Entrées',
    add: 'Ajouter une entrée',
    periods: 'Périodes',
    periodsOf: (count) => (count === 1 ? '1 période' : `${count} périodes`),
    from: 'De',
    to: 'À',
    running: 'en cours',
    calendar: 'Calendrier',
    month: 'Mois',
    less: 'moins',
    more: 'plus',
    noValue: 'aucune valeur',
    track: 'Parcours',
    trackText: (points, distance) => `${points} lieux sur ${distance} ; le nord est en haut.`,
    start: 'Départ',
    end: 'Arrivée',
    north: 'Le nord est en haut',
    partial: 'Les flux de peu de valeurs ne sont pas affichés. Choisissez-en un par son nom :',
    whole: 'Toutes les dates',
    stream: 'Flux',
  },
  de: {
    spans: { day: 'Tag', week: 'Woche', month: 'Monat', year: 'Jahr', all: 'Alles' },
    span: 'Zeitraum',
    earlier: 'Früher',
    later: 'Später',
    choose: 'Was sich darstellen lässt',
    chooseHint: 'Öffnen Sie eines, oder wählen Sie mehrere, um sie untereinander zu sehen.',
    show: 'Öffnen',
    showTogether: 'Ausgewählte zusammen zeigen',
    none: 'Es gibt noch keine Zahlen für ein Diagramm.',
    noneHint: 'Erfassen Sie Werte, etwa Ihr Gewicht an mehreren Tagen.',
    nothingInSpan: 'Keine Werte in diesem Zeitraum.',
    reading: 'Die Werte werden gelesen …',
    reload: 'Anzeigen',
    values: (count) => (count === 1 ? '1 Wert' : `${count} Werte`),
    latest: 'neuester',
    series: 'Reihe',
    remove: 'Von dieser Seite entfernen',
    compare: 'Weiteres Diagramm',
    zoomHint: 'Zum Vergrössern über ein Diagramm ziehen, zum Verkleinern doppelklicken.',
    data: 'Einträge',
    add: 'Eintrag erfassen',
    periods: 'Zeiträume',
    periodsOf: (count) => (count === 1 ? '1 Zeitraum' : `${count} Zeiträume`),
    from: 'Von',
    to: 'Bis',
    running: 'läuft',
    calendar: 'Kalender',
    month: 'Monat',
    less: 'tiefer',
    more: 'höher',
    noValue: 'kein Wert',
    track: 'Strecke',
    trackText: (points, distance) => `${points} Orte über ${distance}; Norden ist oben.`,
    start: 'Start',
    end: 'Ziel',
    north: 'Norden ist oben',
    partial: 'Streams mit wenigen Werten fehlen. Wählen Sie einen über seinen Namen:',
    whole: 'Alle Zeiten',
    stream: 'Stream',
  },
}
