/** Texts of the forms of events. */
import type { InLanguages } from '../../../base/words.js'

interface FormWords {
  newTitle: string
  editTitle: string
  chooseKind: string
  otherType: string
  otherTypeHint: string
  next: string
  several: string
  files: string
  changeKind: string
  unit: string
  value: string
  text: string
  rating: string
  ratingOther(text: string): string
  low: string
  high: string
  yes: string
  no: string
  notGiven: string
  optional(name: string): string
  usePosition: string
  noPosition: string
  asJson: string
  asJsonHint: string
  keepsContent: string
  when: string
  timeHint(zone: string): string
  time: string
  timeNow: string
  hasPeriod: string
  until: string
  running: string
  streams: string
  description: string
  tags: string
  tagsHint: string
  problems: Readonly<Record<'number' | 'required' | 'json' | 'time' | 'until' | 'order' | 'streams' | 'type' | 'period', string>>
  wrong: string
  meanwhile: string
  latitude: string
  longitude: string
  noStreams: string
  newStream: string
  attached: string
  removed: string
}

export const formWords: InLanguages<FormWords> = {
  en: {
    newTitle: 'Add an entry',
    editTitle: 'Edit the entry',
    chooseKind: 'What do you want to add?',
    otherType: 'Another type',
    otherTypeHint: 'The name of an event type, such as mass/kg.',
    next: 'Continue',
    several: 'Several values, or a table',
    files: 'Pictures and files',
    changeKind: 'Add something else',
    unit: 'Unit',
    value: 'Value',
    text: 'Text',
    rating: 'Rating',
    ratingOther: (text) => `As it is (${text})`,
    low: 'lowest',
    high: 'highest',
    yes: 'Yes',
    no: 'No',
    notGiven: 'Not given',
    optional: (name) => `${name} (optional)`,
    usePosition: 'Use my position',
    noPosition: 'The position of this device is not available.',
    asJson: 'Content as JSON',
    asJsonHint: 'A number, a text in quotes, true, false, a list or an object. Leave it empty for an entry without content.',
    keepsContent: 'The content of this type cannot be changed here.',
    when: 'When',
    timeHint: (zone) => `Times are in the time zone ${zone}.`,
    time: 'Time',
    timeNow: 'Leave it empty for now.',
    hasPeriod: 'It lasts for a time',
    until: 'Until',
    running: 'It is still in progress',
    streams: 'Streams',
    description: 'Description',
    tags: 'Tags',
    tagsHint: 'Separate tags by commas.',
    problems: {
      number: 'Enter a number.',
      required: 'This field is required.',
      json: 'This is not valid JSON.',
      time: 'Enter a date and a time.',
      until: 'Enter the end, or choose that it is still in progress.',
      order: 'The end must be after the begin.',
      streams: 'Choose at least one stream.',
      type: 'This is not the name of an event type. An example is mass/kg.',
      period: 'Enter a duration of at least 0.',
    },
    wrong: 'Some fields need a correction. Nothing was saved yet.',
    meanwhile: 'The entry was changed by somebody else meanwhile. Check your changes, and save again to replace theirs.',
    latitude: 'Latitude',
    longitude: 'Longitude',
    noStreams: 'You have no stream yet. Create one first.',
    newStream: 'Create a stream',
    attached: 'Entries of this type consist of a file.',
    removed: 'This type is made by apps. It cannot be added here.',
  },
  fr: {
    newTitle: 'Ajouter une entrée',
    editTitle: 'Modifier l’entrée',
    chooseKind: 'Que voulez-vous ajouter ?',
    otherType: 'Un autre type',
    otherTypeHint: 'Le nom d’un type d’événement, par exemple mass/kg.',
    next: 'Continuer',
    several: 'Plusieurs valeurs, ou un tableau',
    files: 'Images et fichiers',
    changeKind: 'Ajouter autre chose',
    unit: 'Unité',
    value: 'Valeur',
    text: 'Texte',
    rating: 'Évaluation',
    ratingOther: (text) => `Comme elle est (${text})`,
    low: 'la plus basse',
    high: 'la plus haute',
    yes: 'Oui',
    no: 'Non',
    notGiven: 'Non indiqué',
    optional: (name) => `${name} (facultatif)`,
    usePosition: 'Utiliser ma position',
    noPosition: 'La position de cet appareil n’est pas disponible.',
    asJson: 'Contenu en JSON',
    asJsonHint: 'Un nombre, un texte entre guillemets, true, false, une liste ou un objet. Laissez vide pour une entrée sans contenu.',
    keepsContent: 'Le contenu de ce type ne peut pas être modifié ici.',
    when: 'Quand',
    timeHint: (zone) => `Les heures sont dans le fuseau horaire ${zone}.`,
    time: 'Heure',
    timeNow: 'Laissez vide pour maintenant.',
    hasPeriod: 'Elle dure un certain temps',
    until: 'Jusqu’à',
    running: 'Elle est encore en cours',
    streams: 'Flux',
    description: 'Description',
    tags: 'Étiquettes',
    tagsHint: 'Séparez les étiquettes par des virgules.',
    problems: {
      number: 'Saisissez un nombre.',
      required: 'Ce champ est obligatoire.',
      json: 'Ce n’est pas du JSON valable.',
      time: 'Saisissez une date et une heure.',
      until: 'Saisissez la fin, ou indiquez qu’elle est encore en cours.',
      order: 'La fin doit suivre le début.',
      streams: 'Choisissez au moins un flux.',
      type: 'Ce n’est pas le nom d’un type d’événement. Un exemple : mass/kg.',
      period: 'Saisissez une durée d’au moins 0.',
    },
    wrong: 'Des champs sont à corriger. Rien n’a encore été enregistré.',
    meanwhile: 'L’entrée a été modifiée entre-temps par quelqu’un d’autre. Vérifiez vos modifications, et enregistrez de nouveau pour remplacer les siennes.',
    latitude: 'Latitude',
    longitude: 'Longitude',
    noStreams: 'Vous n’avez pas encore de flux. Créez-en un d’abord.',
    newStream: 'Créer un flux',
    attached: 'Les entrées de ce type consistent en un fichier.',
    removed: 'Ce type est créé par des apps. Il ne peut pas être ajouté ici.',
  },
  de: {
    newTitle: 'Eintrag hinzufügen',
    editTitle: 'Eintrag bearbeiten',
    chooseKind: 'Was möchten Sie hinzufügen?',
    otherType: 'Ein anderer Typ',
    otherTypeHint: 'Der Name eines Ereignistyps, zum Beispiel mass/kg.',
    next: 'Weiter',
    several: 'Mehrere Werte oder eine Tabelle',
    files: 'Bilder und Dateien',
    changeKind: 'Etwas anderes hinzufügen',
    unit: 'Einheit',
    value: 'Wert',
    text: 'Text',
    rating: 'Bewertung',
    ratingOther: (text) => `Wie bisher (${text})`,
    low: 'am tiefsten',
    high: 'am höchsten',
    yes: 'Ja',
    no: 'Nein',
    notGiven: 'Keine Angabe',
    optional: (name) => `${name} (freiwillig)`,
    usePosition: 'Meine Position verwenden',
    noPosition: 'Die Position dieses Geräts ist nicht verfügbar.',
    asJson: 'Inhalt als JSON',
    asJsonHint: 'Eine Zahl, ein Text in Anführungszeichen, true, false, eine Liste oder ein Objekt. Lassen Sie es leer für einen Eintrag ohne Inhalt.',
    keepsContent: 'Der Inhalt dieses Typs kann hier nicht geändert werden.',
    when: 'Wann',
    timeHint: (zone) => `Zeiten gelten in der Zeitzone ${zone}.`,
    time: 'Zeit',
    timeNow: 'Lassen Sie es leer für jetzt.',
    hasPeriod: 'Der Eintrag dauert eine Zeit lang',
    until: 'Bis',
    running: 'Er läuft noch',
    streams: 'Streams',
    description: 'Beschreibung',
    tags: 'Schlagwörter',
    tagsHint: 'Trennen Sie Schlagwörter durch Kommas.',
    problems: {
      number: 'Geben Sie eine Zahl ein.',
      required: 'Dieses Feld ist nötig.',
      json: 'Das ist kein gültiges JSON.',
      time: 'Geben Sie Datum und Uhrzeit ein.',
      until: 'Geben Sie das Ende ein, oder wählen Sie, dass er noch läuft.',
      order: 'Das Ende muss nach dem Anfang liegen.',
      streams: 'Wählen Sie mindestens einen Stream.',
      type: 'Das ist kein Name eines Ereignistyps. Ein Beispiel ist mass/kg.',
      period: 'Geben Sie eine Dauer von mindestens 0 ein.',
    },
    wrong: 'Einige Felder müssen korrigiert werden. Es wurde noch nichts gespeichert.',
    meanwhile: 'Der Eintrag wurde inzwischen von jemand anderem geändert. Prüfen Sie Ihre Änderungen, und speichern Sie erneut, um die anderen zu ersetzen.',
    latitude: 'Breitengrad',
    longitude: 'Längengrad',
    noStreams: 'Sie haben noch keinen Stream. Erstellen Sie zuerst einen.',
    newStream: 'Stream erstellen',
    attached: 'Einträge dieses Typs bestehen aus einer Datei.',
    removed: 'Diesen Typ erzeugen Apps. Er kann hier nicht hinzugefügt werden.',
  },
}
