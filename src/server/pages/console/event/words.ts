/** Texts of the pages of events. */
import type { InLanguages } from '../../../base/words.js'

interface EventPageWords {
  missingTitle: string
  missing: string
  toData: string
  done: Readonly<Record<'created' | 'changed' | 'stopped' | 'trashed' | 'restored' | 'version' | 'filesAdded' | 'fileRemoved', string>>
  inTrash: string
  noValue: string
  series: string
  chart: string
  time: string
  from: string
  until: string
  running: string
  lasted: string
  streams: string
  tags: string
  description: string
  type: string
  files: string
  clientData: string
  created: string
  modified: string
  by(name: string): string
  unknownAccess: string
  thisNode: string
  pages: string
  history: string
  historyText: string
  firstVersion: string
  changes: Readonly<Record<'value' | 'type' | 'time' | 'duration' | 'streams' | 'description' | 'tags' | 'clientData' | 'trashed' | 'restored' | 'files' | 'other', string>>
  restoreVersion: string
  shorter(count: number): string
  json: string
  edit: string
  duplicate: string
  share: string
  stop: string
  trash: string
  restore: string
  remove: string
  download: string
  removeTitle: string
  removeText: string
  removeFiles(count: number): string
  removeNow: string
  addFiles: string
  removeFile: string
  removeFileTitle: string
  removeFileText: string
  neighbours: string
  older: string
  newer: string
  none: string
}

export const eventPageWords: InLanguages<EventPageWords> = {
  en: {
    missingTitle: 'Entry not found',
    missing: 'This entry does not exist, or it was deleted.',
    toData: 'Show all data',
    done: {
      created: 'The entry was saved.',
      changed: 'The changes were saved.',
      stopped: 'The entry has ended.',
      trashed: 'The entry is in the trash.',
      restored: 'The entry is out of the trash.',
      version: 'The earlier version was restored.',
      filesAdded: 'The files were saved.',
      fileRemoved: 'The file was removed.',
    },
    inTrash: 'This entry is in the trash.',
    noValue: 'No value',
    series: 'A series of points.',
    chart: 'Show the chart',
    time: 'Time',
    from: 'From',
    until: 'Until',
    running: 'in progress',
    lasted: 'Duration',
    streams: 'Streams',
    tags: 'Tags',
    description: 'Description',
    type: 'Type',
    files: 'Files',
    clientData: 'Data of apps',
    created: 'Added',
    modified: 'Last changed',
    by: (name) => `by ${name}`,
    unknownAccess: 'an access that no longer exists',
    thisNode: 'this node',
    pages: 'you, on these pages',
    history: 'History',
    historyText: 'Earlier versions of this entry, the latest first.',
    firstVersion: 'As it was added',
    changes: {
      value: 'Value',
      type: 'Type',
      time: 'Time',
      duration: 'Duration',
      streams: 'Streams',
      description: 'Description',
      tags: 'Tags',
      clientData: 'Data of apps',
      trashed: 'Moved to the trash',
      restored: 'Taken out of the trash',
      files: 'Files',
      other: 'Changed without a visible difference',
    },
    restoreVersion: 'Restore this version',
    shorter: (count) => `The latest ${count} versions are shown.`,
    json: 'Show as JSON',
    edit: 'Edit',
    duplicate: 'Duplicate',
    share: 'Share the stream',
    stop: 'End it now',
    trash: 'Move to the trash',
    restore: 'Take out of the trash',
    remove: 'Delete for good',
    download: 'Download',
    removeTitle: 'Delete this entry?',
    removeText: 'The entry and its earlier versions are deleted for good, on this node and on those that copy it. This cannot be undone.',
    removeFiles: (count) => (count === 1 ? 'Its file is deleted too.' : `Its ${count} files are deleted too.`),
    removeNow: 'Delete for good',
    addFiles: 'Add files',
    removeFile: 'Remove the file',
    removeFileTitle: 'Remove this file?',
    removeFileText: 'The file is deleted for good, on this node and on those that copy the entry. The entry stays.',
    neighbours: 'Entries of the stream',
    older: 'Older entry',
    newer: 'Newer entry',
    none: 'none',
  },
  fr: {
    missingTitle: 'Entrée introuvable',
    missing: 'Cette entrée n’existe pas, ou elle a été supprimée.',
    toData: 'Afficher toutes les données',
    done: {
      created: 'L’entrée a été enregistrée.',
      changed: 'Les modifications ont été enregistrées.',
      stopped: 'L’entrée est terminée.',
      trashed: 'L’entrée est dans la corbeille.',
      restored: 'L’entrée n’est plus dans la corbeille.',
      version: 'La version antérieure a été rétablie.',
      filesAdded: 'Les fichiers ont été enregistrés.',
      fileRemoved: 'Le fichier a été retiré.',
    },
    inTrash: 'Cette entrée est dans la corbeille.',
    noValue: 'Aucune valeur',
    series: 'Une série de points.',
    chart: 'Afficher le graphique',
    time: 'Heure',
    from: 'De',
    until: 'À',
    running: 'en cours',
    lasted: 'Durée',
    streams: 'Flux',
    tags: 'Étiquettes',
    description: 'Description',
    type: 'Type',
    files: 'Fichiers',
    clientData: 'Données des apps',
    created: 'Ajoutée',
    modified: 'Dernière modification',
    by: (name) => `par ${name}`,
    unknownAccess: 'un accès qui n’existe plus',
    thisNode: 'ce nœud',
    pages: 'vous, sur ces pages',
    history: 'Historique',
    historyText: 'Versions antérieures de cette entrée, les plus récentes d’abord.',
    firstVersion: 'Telle qu’elle a été ajoutée',
    changes: {
      value: 'Valeur',
      type: 'Type',
      time: 'Heure',
      duration: 'Durée',
      streams: 'Flux',
      description: 'Description',
      tags: 'Étiquettes',
      clientData: 'Données des apps',
      trashed: 'Mise à la corbeille',
      restored: 'Sortie de la corbeille',
      files: 'Fichiers',
      other: 'Modifiée sans différence visible',
    },
    restoreVersion: 'Rétablir cette version',
    shorter: (count) => `Les ${count} dernières versions sont affichées.`,
    json: 'Afficher en JSON',
    edit: 'Modifier',
    duplicate: 'Dupliquer',
    share: 'Partager le flux',
    stop: 'Terminer maintenant',
    trash: 'Mettre à la corbeille',
    restore: 'Sortir de la corbeille',
    remove: 'Supprimer définitivement',
    download: 'Télécharger',
    removeTitle: 'Supprimer cette entrée ?',
    removeText: 'L’entrée et ses versions antérieures sont supprimées définitivement, sur ce nœud et sur ceux qui la copient. C’est irréversible.',
    removeFiles: (count) => (count === 1 ? 'Son fichier est aussi supprimé.' : `Ses ${count} fichiers sont aussi supprimés.`),
    removeNow: 'Supprimer définitivement',
    addFiles: 'Ajouter des fichiers',
    removeFile: 'Retirer le fichier',
    removeFileTitle: 'Retirer ce fichier ?',
    removeFileText: 'Le fichier est supprimé définitivement, sur ce nœud et sur ceux qui copient l’entrée. L’entrée reste.',
    neighbours: 'Entrées du flux',
    older: 'Entrée antérieure',
    newer: 'Entrée suivante',
    none: 'aucun',
  },
  de: {
    missingTitle: 'Eintrag nicht gefunden',
    missing: 'Diesen Eintrag gibt es nicht, oder er wurde gelöscht.',
    toData: 'Alle Daten anzeigen',
    done: {
      created: 'Der Eintrag wurde gespeichert.',
      changed: 'Die Änderungen wurden gespeichert.',
      stopped: 'Der Eintrag ist beendet.',
      trashed: 'Der Eintrag ist im Papierkorb.',
      restored: 'Der Eintrag ist nicht mehr im Papierkorb.',
      version: 'Die frühere Fassung wurde wiederhergestellt.',
      filesAdded: 'Die Dateien wurden gespeichert.',
      fileRemoved: 'Die Datei wurde entfernt.',
    },
    inTrash: 'Dieser Eintrag ist im Papierkorb.',
    noValue: 'Kein Wert',
    series: 'Eine Reihe von Punkten.',
    chart: 'Diagramm anzeigen',
    time: 'Zeit',
    from: 'Von',
    until: 'Bis',
    running: 'läuft',
    lasted: 'Dauer',
    streams: 'Streams',
    tags: 'Schlagwörter',
    description: 'Beschreibung',
    type: 'Typ',
    files: 'Dateien',
    clientData: 'Daten von Apps',
    created: 'Hinzugefügt',
    modified: 'Zuletzt geändert',
    by: (name) => `durch ${name}`,
    unknownAccess: 'einen Zugang, den es nicht mehr gibt',
    thisNode: 'diesen Knoten',
    pages: 'Sie, auf diesen Seiten',
    history: 'Verlauf',
    historyText: 'Frühere Fassungen dieses Eintrags, die neueste zuerst.',
    firstVersion: 'So, wie er hinzugefügt wurde',
    changes: {
      value: 'Wert',
      type: 'Typ',
      time: 'Zeit',
      duration: 'Dauer',
      streams: 'Streams',
      description: 'Beschreibung',
      tags: 'Schlagwörter',
      clientData: 'Daten von Apps',
      trashed: 'In den Papierkorb gelegt',
      restored: 'Aus dem Papierkorb geholt',
      files: 'Dateien',
      other: 'Ohne sichtbaren Unterschied geändert',
    },
    restoreVersion: 'Diese Fassung wiederherstellen',
    shorter: (count) => `Die letzten ${count} Fassungen sind aufgeführt.`,
    json: 'Als JSON anzeigen',
    edit: 'Bearbeiten',
    duplicate: 'Duplizieren',
    share: 'Stream teilen',
    stop: 'Jetzt beenden',
    trash: 'In den Papierkorb',
    restore: 'Aus dem Papierkorb holen',
    remove: 'Endgültig löschen',
    download: 'Herunterladen',
    removeTitle: 'Diesen Eintrag löschen?',
    removeText: 'Der Eintrag und seine früheren Fassungen werden endgültig gelöscht, auf diesem Knoten und auf jenen, die ihn kopieren. Das lässt sich nicht rückgängig machen.',
    removeFiles: (count) => (count === 1 ? 'Auch seine Datei wird gelöscht.' : `Auch seine ${count} Dateien werden gelöscht.`),
    removeNow: 'Endgültig löschen',
    addFiles: 'Dateien hinzufügen',
    removeFile: 'Datei entfernen',
    removeFileTitle: 'Diese Datei entfernen?',
    removeFileText: 'Die Datei wird endgültig gelöscht, auf diesem Knoten und auf jenen, die den Eintrag kopieren. Der Eintrag bleibt.',
    neighbours: 'Einträge des Streams',
    older: 'Älterer Eintrag',
    newer: 'Neuerer Eintrag',
    none: 'keine',
  },
}
