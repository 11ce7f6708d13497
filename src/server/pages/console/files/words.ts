/** Texts of the pages of files. */
import type { InLanguages } from '../../../base/words.js'

interface FilesWords {
  files: string
  pictures: string
  others: string
  none: string
  noneText: string
  noneOlder: string
  searching: string
  add: string
  all: string
  filter: string
  show: string
  older: string
  newest: string
  upload: string
  choose: string
  chooseHint(maxFiles: number, maxMb: number): string
  camera: string
  cameraHint: string
  drop: string
  stream: string
  streamMissing: string
  fileMissing: string
  send: string
  sending: string
  description: string
  done(count: number): string
  partly(saved: number, all: number, why: string): string
  failed: string
}

export const filesWords: InLanguages<FilesWords> = {
  en: {
    files: 'Files',
    pictures: 'Pictures',
    others: 'Other files',
    none: 'No files yet.',
    noneText: 'Pictures, documents and recordings that you add are shown here.',
    noneOlder: 'No further files.',
    searching: 'Looking for files …',
    add: 'Add files',
    all: 'All streams',
    filter: 'Stream',
    show: 'Show',
    older: 'Older files',
    newest: 'Newest files',
    upload: 'Add files',
    choose: 'Files',
    chooseHint: (maxFiles, maxMb) => `At most ${maxFiles} files at once, each of at most ${maxMb} MB.`,
    camera: 'Take a picture',
    cameraHint: 'On a phone, this opens the camera.',
    drop: 'You can also drop files here.',
    stream: 'Stream in which the files are saved',
    streamMissing: 'Choose a stream.',
    fileMissing: 'Choose at least one file.',
    send: 'Save the files',
    sending: 'Sending',
    description: 'Description (optional)',
    done: (count) => (count === 1 ? '1 file was saved.' : `${count} files were saved.`),
    partly: (saved, all, why) => `${saved} of ${all} files were saved. The others were refused: ${why}`,
    failed: 'The files could not be sent. Check your connection and try again.',
  },
  fr: {
    files: 'Fichiers',
    pictures: 'Images',
    others: 'Autres fichiers',
    none: 'Pas encore de fichiers.',
    noneText: 'Les images, documents et enregistrements que vous ajoutez s’affichent ici.',
    noneOlder: 'Il n’y a pas d’autres fichiers.',
    searching: 'Recherche des fichiers …',
    add: 'Ajouter des fichiers',
    all: 'Tous les flux',
    filter: 'Flux',
    show: 'Afficher',
    older: 'Fichiers plus anciens',
    newest: 'Fichiers les plus récents',
    upload: 'Ajouter des fichiers',
    choose: 'Fichiers',
    chooseHint: (maxFiles, maxMb) => `Au plus ${maxFiles} fichiers à la fois, de ${maxMb} Mo chacun au plus.`,
    camera: 'Prendre une photo',
    cameraHint: 'Sur un téléphone, ceci ouvre l’appareil photo.',
    drop: 'Vous pouvez aussi déposer des fichiers ici.',
    stream: 'Flux dans lequel les fichiers sont enregistrés',
    streamMissing: 'Choisissez un flux.',
    fileMissing: 'Choisissez au moins un fichier.',
    send: 'Enregistrer les fichiers',
    sending: 'Envoi',
    description: 'Description (facultative)',
    done: (count) => (count === 1 ? '1 fichier a été enregistré.' : `${count} fichiers ont été enregistrés.`),
    partly: (saved, all, why) => `${saved} fichiers sur ${all} ont été enregistrés. Les autres ont été refusés : ${why}`,
    failed: 'Les fichiers n’ont pas pu être envoyés. Vérifiez votre connexion et réessayez.',
  },
  de: {
    files: 'Dateien',
    pictures: 'Bilder',
    others: 'Andere Dateien',
    none: 'Noch keine Dateien.',
    noneText: 'Bilder, Dokumente und Aufnahmen, die Sie hinzufügen, erscheinen hier.',
    noneOlder: 'Keine weiteren Dateien.',
    searching: 'Dateien werden gesucht …',
    add: 'Dateien hinzufügen',
    all: 'Alle Streams',
    filter: 'Stream',
    show: 'Anzeigen',
    older: 'Ältere Dateien',
    newest: 'Neueste Dateien',
    upload: 'Dateien hinzufügen',
    choose: 'Dateien',
    chooseHint: (maxFiles, maxMb) => `Höchstens ${maxFiles} Dateien auf einmal, je höchstens ${maxMb} MB.`,
    camera: 'Foto aufnehmen',
    cameraHint: 'Auf einem Telefon öffnet sich die Kamera.',
    drop: 'Sie können Dateien auch hier ablegen.',
    stream: 'Stream, in dem die Dateien gespeichert werden',
    streamMissing: 'Wählen Sie einen Stream.',
    fileMissing: 'Wählen Sie mindestens eine Datei.',
    send: 'Dateien speichern',
    sending: 'Wird gesendet',
    description: 'Beschreibung (freiwillig)',
    done: (count) => (count === 1 ? '1 Datei wurde gespeichert.' : `${count} Dateien wurden gespeichert.`),
    partly: (saved, all, why) => `${saved} von ${all} Dateien wurden gespeichert. Die anderen wurden abgelehnt: ${why}`,
    failed: 'Die Dateien konnten nicht gesendet werden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  },
}
