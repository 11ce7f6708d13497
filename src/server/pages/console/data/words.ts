/** Texts of the section of data. */
import type { InLanguages } from '../../../base/words.js'
import type { State } from './filters.js'

interface DataWords {
  streams: string
  allStreams: string
  below(name: string): string
  /** Number of streams that the tree leaves out. */
  left(count: string): string
  findStream: string
  find: string
  found: string
  foundNone: string
  foundShortened(count: number): string
  showTree: string
  counting: string
  countOf(count: string): string
  isTrashed: string
  newStream: string
  newBelow: string
  actions: string
  edit: string
  addEvent: string
  addSeveral: string
  upload: string
  charts: string
  share: string
  dropHint: string
  dropTop: string

  filter: string
  filters: string
  type: string
  anyType: string
  text: string
  from: string
  to: string
  state: string
  states: Readonly<Record<State, string>>
  apply: string
  clear: string
  live: string
  today: string
  inProgress: string
  noEvents: string
  noEventsHint: string
  importing: string
  noEventsHere: string
  nothingFound: string
  searchedTo(day: string): string
  searchOlder: string
  searchNewer: string
  newest: string
  textHint: string
  unknownStream: string
  unknownStreamText: string
  backToData: string

  name: string
  rename: string
  move: string
  moveText: string
  parent: string
  top: string
  topOption: string
  moveHere: string
  create: string
  nameMissing: string
  nameTooLong(max: number): string
  nameTaken: string
  parentMissing: string
  parentTrashed: string
  parentBelow: string
  parentRefused: string
  trash: string
  trashText(events: string): string
  trashTextUncounted: string
  restore: string
  restoreText: string
  restoreAbove: string
  deleteStream: string
  deleteTitle(name: string): string
  deleteText(streams: string): string
  deleteEmpty: string
  deleteEvents(events: string, trashed: string): string
  deleteUncounted: string
  eventsChoice: string
  merge(parent: string): string
  remove: string
  removeText: string
  eventsMissing: string
  notTrashed: string
  done: Readonly<Record<'created' | 'renamed' | 'moved' | 'trashed' | 'restored' | 'deleted', string>>
}

export const dataWords: InLanguages<DataWords> = {
  en: {
    streams: 'Streams',
    allStreams: 'All entries',
    below: (name) => `Streams in ${name}`,
    left: (count) => `${count} more: search for a stream by its name.`,
    findStream: 'Find a stream',
    find: 'Find',
    found: 'Streams found',
    foundNone: 'No stream has this name.',
    foundShortened: (count) => `The first ${count} are shown. Type more of the name.`,
    showTree: 'Show all streams',
    counting: 'Entries are being counted.',
    countOf: (count) => `${count} entries`,
    isTrashed: 'in the trash',
    newStream: 'New stream',
    newBelow: 'New stream in it',
    actions: 'Actions',
    edit: 'Rename, move or remove',
    addEvent: 'Add an entry',
    addSeveral: 'Add several',
    upload: 'Upload files',
    charts: 'Charts',
    share: 'Share by a link',
    dropHint: 'Drag a stream onto another one to move it.',
    dropTop: 'Move to the top',
    filter: 'Filter',
    filters: 'Filters',
    type: 'Kind',
    anyType: 'All kinds',
    text: 'Text',
    from: 'From',
    to: 'To',
    state: 'Trash',
    states: { default: 'Without the trash', trashed: 'Only the trash', all: 'Both' },
    apply: 'Apply',
    clear: 'Clear the filters',
    live: 'Timeline',
    today: 'today',
    inProgress: 'in progress',
    noEvents: 'There are no entries yet.',
    noEventsHint: 'Add a value or a note, upload files, or import data that you have elsewhere.',
    importing: 'Import from a table',
    noEventsHere: 'There are no entries in this stream.',
    nothingFound: 'No entry matches these filters.',
    searchedTo: (day) => `Searched as far as ${day}.`,
    searchOlder: 'Search older entries',
    searchNewer: 'Search newer entries',
    newest: 'Newest',
    textHint: 'Words in values, notes, file names and kinds. Each page searches at most 20,000 entries, the newest first; continue at its end. Encrypted entries are not searched.',
    unknownStream: 'Stream not found',
    unknownStreamText: 'This stream does not exist, or no longer.',
    backToData: 'All entries',
    name: 'Name',
    rename: 'Rename',
    move: 'Move',
    moveText: 'The stream moves with its entries and all streams in it. Links and apps that see the new place then see it too.',
    parent: 'Move into',
    top: 'At the top',
    topOption: 'At the top, in no other stream',
    moveHere: 'Move here',
    create: 'Create',
    nameMissing: 'Enter a name.',
    nameTooLong: (max) => `A name has at most ${max} characters.`,
    nameTaken: 'There is already a stream with this name at this place, possibly in the trash.',
    parentMissing: 'Choose where to move the stream.',
    parentTrashed: 'This stream is in the trash. Choose another one, or restore it first.',
    parentBelow: 'A stream cannot be moved into itself or a stream in it.',
    parentRefused: 'Streams cannot be moved there.',
    trash: 'Move to the trash',
    trashText: (events) => `The stream and all streams in it disappear, with ${events} entries. You can restore them.`,
    trashTextUncounted: 'The stream and all streams in it disappear, with their entries. You can restore them.',
    restore: 'Restore',
    restoreText: 'The stream is in the trash. Restored, it appears again with its entries.',
    restoreAbove: 'A stream above it is in the trash. Restore that one to see this one again:',
    deleteStream: 'Delete permanently',
    deleteTitle: (name) => `Delete ${name}?`,
    deleteText: (streams) => `The stream is deleted with all streams in it (${streams}). This cannot be undone.`,
    deleteEmpty: 'The stream is deleted. It has no streams in it. This cannot be undone.',
    deleteEvents: (events, trashed) => `Entries in it: ${events}. In the trash: ${trashed}.`,
    deleteUncounted: 'The entries in it are being counted.',
    eventsChoice: 'What happens to the entries?',
    merge: (parent) => `Move them to ${parent}`,
    remove: 'Delete them',
    removeText: 'Entries that are in another stream too stay there.',
    eventsMissing: 'Choose what happens to the entries.',
    notTrashed: 'Move the stream to the trash first. Then it can be deleted.',
    done: {
      created: 'The stream was created.',
      renamed: 'The stream was renamed.',
      moved: 'The stream was moved.',
      trashed: 'The stream is in the trash now.',
      restored: 'The stream was restored.',
      deleted: 'The stream was deleted.',
    },
  },
  fr: {
    streams: 'Flux',
    allStreams: 'Toutes les entrées',
    below: (name) => `Flux dans ${name}`,
    left: (count) => `Encore ${count} : cherchez un flux par son nom.`,
    findStream: 'Chercher un flux',
    find: 'Chercher',
    found: 'Flux trouvés',
    foundNone: 'Aucun flux n’a ce nom.',
    foundShortened: (count) => `Les ${count} premiers sont affichés. Tapez une plus grande partie du nom.`,
    showTree: 'Afficher tous les flux',
    counting: 'Les entrées sont en train d’être comptées.',
    countOf: (count) => `${count} entrées`,
    isTrashed: 'dans la corbeille',
    newStream: 'Nouveau flux',
    newBelow: 'Nouveau flux dans celui-ci',
    actions: 'Actions',
    edit: 'Renommer, déplacer ou supprimer',
    addEvent: 'Ajouter une entrée',
    addSeveral: 'En ajouter plusieurs',
    upload: 'Ajouter des fichiers',
    charts: 'Graphiques',
    share: 'Partager par un lien',
    dropHint: 'Glissez un flux sur un autre pour le déplacer.',
    dropTop: 'Déplacer tout en haut',
    filter: 'Filtrer',
    filters: 'Filtres',
    type: 'Genre',
    anyType: 'Tous les genres',
    text: 'Texte',
    from: 'Du',
    to: 'Au',
    state: 'Corbeille',
    states: { default: 'Sans la corbeille', trashed: 'La corbeille seulement', all: 'Les deux' },
    apply: 'Appliquer',
    clear: 'Effacer les filtres',
    live: 'Chronologie',
    today: 'aujourd’hui',
    inProgress: 'en cours',
    noEvents: 'Il n’y a pas encore d’entrées.',
    noEventsHint: 'Ajoutez une valeur ou une note, des fichiers, ou importez des données que vous avez ailleurs.',
    importing: 'Importer un tableau',
    noEventsHere: 'Il n’y a pas d’entrées dans ce flux.',
    nothingFound: 'Aucune entrée ne correspond à ces filtres.',
    searchedTo: (day) => `Recherche faite jusqu’au ${day}.`,
    searchOlder: 'Chercher dans les entrées plus anciennes',
    searchNewer: 'Chercher dans les entrées plus récentes',
    newest: 'Les plus récentes',
    textHint: 'Mots des valeurs, des notes, des noms de fichiers et des genres. Chaque page cherche dans 20 000 entrées au plus, les plus récentes d’abord ; continuez à la fin. Les entrées chiffrées ne sont pas examinées.',
    unknownStream: 'Flux introuvable',
    unknownStreamText: 'Ce flux n’existe pas, ou n’existe plus.',
    backToData: 'Toutes les entrées',
    name: 'Nom',
    rename: 'Renommer',
    move: 'Déplacer',
    moveText: 'Le flux est déplacé avec ses entrées et tous les flux qu’il contient. Les liens et les apps qui voient le nouvel endroit le voient alors aussi.',
    parent: 'Déplacer dans',
    top: 'Tout en haut',
    topOption: 'Tout en haut, dans aucun autre flux',
    moveHere: 'Déplacer ici',
    create: 'Créer',
    nameMissing: 'Saisissez un nom.',
    nameTooLong: (max) => `Un nom a au plus ${max} caractères.`,
    nameTaken: 'Il y a déjà un flux de ce nom à cet endroit, peut-être dans la corbeille.',
    parentMissing: 'Choisissez où déplacer le flux.',
    parentTrashed: 'Ce flux est dans la corbeille. Choisissez-en un autre, ou restaurez-le d’abord.',
    parentBelow: 'Un flux ne peut pas être déplacé dans lui-même ni dans un flux qu’il contient.',
    parentRefused: 'Un flux ne peut pas être déplacé à cet endroit.',
    trash: 'Mettre à la corbeille',
    trashText: (events) => `Le flux et tous les flux qu’il contient disparaissent, avec ${events} entrées. Vous pourrez les restaurer.`,
    trashTextUncounted: 'Le flux et tous les flux qu’il contient disparaissent, avec leurs entrées. Vous pourrez les restaurer.',
    restore: 'Restaurer',
    restoreText: 'Le flux est dans la corbeille. Restauré, il réapparaît avec ses entrées.',
    restoreAbove: 'Un flux au-dessus de lui est dans la corbeille. Restaurez-le pour revoir celui-ci :',
    deleteStream: 'Supprimer définitivement',
    deleteTitle: (name) => `Supprimer ${name} ?`,
    deleteText: (streams) => `Le flux est supprimé avec tous les flux qu’il contient (${streams}). C’est définitif.`,
    deleteEmpty: 'Le flux est supprimé. Il ne contient pas d’autre flux. C’est définitif.',
    deleteEvents: (events, trashed) => `Entrées qu’il contient : ${events}. Dans la corbeille : ${trashed}.`,
    deleteUncounted: 'Les entrées qu’il contient sont en train d’être comptées.',
    eventsChoice: 'Que deviennent les entrées ?',
    merge: (parent) => `Les déplacer dans ${parent}`,
    remove: 'Les supprimer',
    removeText: 'Les entrées qui sont aussi dans un autre flux y restent.',
    eventsMissing: 'Choisissez ce que deviennent les entrées.',
    notTrashed: 'Mettez d’abord le flux à la corbeille. Il pourra ensuite être supprimé.',
    done: {
      created: 'Le flux a été créé.',
      renamed: 'Le flux a été renommé.',
      moved: 'Le flux a été déplacé.',
      trashed: 'Le flux est maintenant dans la corbeille.',
      restored: 'Le flux a été restauré.',
      deleted: 'Le flux a été supprimé.',
    },
  },
  de: {
    streams: 'Streams',
    allStreams: 'Alle Einträge',
    below: (name) => `Streams in ${name}`,
    left: (count) => `${count} weitere: Suchen Sie einen Stream nach seinem Namen.`,
    findStream: 'Stream suchen',
    find: 'Suchen',
    found: 'Gefundene Streams',
    foundNone: 'Kein Stream hat diesen Namen.',
    foundShortened: (count) => `Die ersten ${count} werden gezeigt. Geben Sie mehr vom Namen ein.`,
    showTree: 'Alle Streams zeigen',
    counting: 'Die Einträge werden gezählt.',
    countOf: (count) => `${count} Einträge`,
    isTrashed: 'im Papierkorb',
    newStream: 'Neuer Stream',
    newBelow: 'Neuer Stream darin',
    actions: 'Aktionen',
    edit: 'Umbenennen, verschieben oder entfernen',
    addEvent: 'Eintrag erfassen',
    addSeveral: 'Mehrere erfassen',
    upload: 'Dateien hochladen',
    charts: 'Diagramme',
    share: 'Mit einem Link teilen',
    dropHint: 'Ziehen Sie einen Stream auf einen anderen, um ihn zu verschieben.',
    dropTop: 'Nach oben verschieben',
    filter: 'Filtern',
    filters: 'Filter',
    type: 'Art',
    anyType: 'Alle Arten',
    text: 'Text',
    from: 'Von',
    to: 'Bis',
    state: 'Papierkorb',
    states: { default: 'Ohne Papierkorb', trashed: 'Nur Papierkorb', all: 'Beides' },
    apply: 'Anwenden',
    clear: 'Filter entfernen',
    live: 'Zeitleiste',
    today: 'heute',
    inProgress: 'läuft',
    noEvents: 'Es gibt noch keine Einträge.',
    noEventsHint: 'Erfassen Sie einen Wert oder eine Notiz, laden Sie Dateien hoch, oder importieren Sie Daten, die Sie anderswo haben.',
    importing: 'Tabelle importieren',
    noEventsHere: 'In diesem Stream gibt es keine Einträge.',
    nothingFound: 'Kein Eintrag entspricht diesen Filtern.',
    searchedTo: (day) => `Durchsucht bis ${day}.`,
    searchOlder: 'Ältere Einträge durchsuchen',
    searchNewer: 'Neuere Einträge durchsuchen',
    newest: 'Neueste',
    textHint: 'Wörter in Werten, Notizen, Dateinamen und Arten. Jede Seite durchsucht höchstens 20 000 Einträge, die neuesten zuerst; am Ende geht es weiter. Verschlüsselte Einträge werden nicht durchsucht.',
    unknownStream: 'Stream nicht gefunden',
    unknownStreamText: 'Diesen Stream gibt es nicht oder nicht mehr.',
    backToData: 'Alle Einträge',
    name: 'Name',
    rename: 'Umbenennen',
    move: 'Verschieben',
    moveText: 'Der Stream wird mit seinen Einträgen und allen Streams darin verschoben. Links und Apps, die den neuen Ort sehen, sehen dann auch ihn.',
    parent: 'Verschieben nach',
    top: 'Zuoberst',
    topOption: 'Zuoberst, in keinem anderen Stream',
    moveHere: 'Hierhin verschieben',
    create: 'Erstellen',
    nameMissing: 'Geben Sie einen Namen ein.',
    nameTooLong: (max) => `Ein Name hat höchstens ${max} Zeichen.`,
    nameTaken: 'An diesem Ort gibt es schon einen Stream mit diesem Namen, vielleicht im Papierkorb.',
    parentMissing: 'Wählen Sie, wohin der Stream verschoben wird.',
    parentTrashed: 'Dieser Stream ist im Papierkorb. Wählen Sie einen anderen, oder stellen Sie ihn zuerst wieder her.',
    parentBelow: 'Ein Stream kann nicht in sich selbst oder einen Stream darin verschoben werden.',
    parentRefused: 'Dorthin können keine Streams verschoben werden.',
    trash: 'In den Papierkorb',
    trashText: (events) => `Der Stream und alle Streams darin verschwinden, mit ${events} Einträgen. Sie können sie wiederherstellen.`,
    trashTextUncounted: 'Der Stream und alle Streams darin verschwinden, mit ihren Einträgen. Sie können sie wiederherstellen.',
    restore: 'Wiederherstellen',
    restoreText: 'Der Stream ist im Papierkorb. Wiederhergestellt erscheint er wieder mit seinen Einträgen.',
    restoreAbove: 'Ein Stream über ihm ist im Papierkorb. Stellen Sie jenen wieder her, um diesen wieder zu sehen:',
    deleteStream: 'Endgültig löschen',
    deleteTitle: (name) => `${name} löschen?`,
    deleteText: (streams) => `Der Stream wird mit allen Streams darin gelöscht (${streams}). Das lässt sich nicht rückgängig machen.`,
    deleteEmpty: 'Der Stream wird gelöscht. Er enthält keine anderen Streams. Das lässt sich nicht rückgängig machen.',
    deleteEvents: (events, trashed) => `Einträge darin: ${events}. Im Papierkorb: ${trashed}.`,
    deleteUncounted: 'Die Einträge darin werden gezählt.',
    eventsChoice: 'Was geschieht mit den Einträgen?',
    merge: (parent) => `Nach ${parent} verschieben`,
    remove: 'Löschen',
    removeText: 'Einträge, die auch in einem anderen Stream sind, bleiben dort.',
    eventsMissing: 'Wählen Sie, was mit den Einträgen geschieht.',
    notTrashed: 'Verschieben Sie den Stream zuerst in den Papierkorb. Danach kann er gelöscht werden.',
    done: {
      created: 'Der Stream wurde erstellt.',
      renamed: 'Der Stream wurde umbenannt.',
      moved: 'Der Stream wurde verschoben.',
      trashed: 'Der Stream ist jetzt im Papierkorb.',
      restored: 'Der Stream wurde wiederhergestellt.',
      deleted: 'Der Stream wurde gelöscht.',
    },
  },
}
