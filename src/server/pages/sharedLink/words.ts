/** Texts of the page of an account address, and of a link to an account. */
import type { InLanguages } from '../../base/words.js'
import type { TabName } from './tabs.js'

interface SharedLinkWords {
  accountTitle(username: string): string
  account: string
  hasLink: string
  hasLinkText: string
  show: string
  isOwner: string
  signIn: string
  reference: string
  linkTitle(username: string): string
  forWhom: string
  until: string
  noEnd: string
  opens: string
  nothing: string
  /** Rights of a personal token. */
  everything: string
  useText: string
  secret: string
  loopback: string
  withoutKey: string
  goneTitle: string
  gone(username: string): string
  /** Text of a link that has ended, where its account is not named. */
  ended: string
  notOpenTitle: string
  notOpen: string
  note(username: string): string
  about: string
  tabs: Readonly<Record<TabName, string>>
  views: string
  streams: string
  allStreams: string
  findStreams: string
  find: string
  moreStreams(count: number): string
  noStreams: string
  none: string
  running: string
  since(time: string): string
  older: string
  newest: string
  pages: string
  noCharts: string
  moreCharts: string
  chartsLater: string
  filesLater: string
  noFiles: string
  lastValue(value: string): string
  values(count: number): string
  spans: Readonly<Record<'all' | '365' | '30' | '7', string>>
  span: string
  addOnly: string
  add: string
  addText: string
  stream: string
  noteText: string
  save: string
  added: string
  emptyText: string
  longText: string
  unknownStream: string
}

export const sharedLinkWords: InLanguages<SharedLinkWords> = {
  en: {
    accountTitle: (username) => `Account of ${username}`,
    account: 'This is the address of an account on this node. Apps read and write its data here, with a key that the owner gave them.',
    hasLink: 'Someone sent you a link?',
    hasLinkText: 'See what it opens, and until when.',
    show: 'Show what the link opens',
    isOwner: 'This is your account?',
    signIn: 'Sign in',
    reference: 'API reference for apps',
    linkTitle: (username) => `${username} shares data with you`,
    forWhom: 'For',
    until: 'Until',
    noEnd: 'no end date',
    opens: 'This link allows you to',
    nothing: 'It opens nothing.',
    everything: 'read and change everything in this account',
    useText: 'Paste the link into an app, where it asks for an API endpoint or a link.',
    secret: 'Anyone who has the link can use it. Do not pass it on; ask the owner to revoke it if it is lost.',
    loopback: 'This link leads to the computer on which it is opened. It does not work on other computers or phones.',
    withoutKey: 'This address contains no key. Open the complete link, as you received it.',
    goneTitle: 'This link is no longer valid',
    gone: (username) => `It was revoked, has expired or is incomplete. Ask ${username} for a new one.`,
    ended: 'It was revoked or has expired. Ask the person who sent it to you for a new one.',
    notOpenTitle: 'Open the link again',
    notOpen: 'This page shows what a link opens. Open the complete link, as you received it. Your browser must allow cookies of this site.',
    note: (username) => `Note of ${username}`,
    about: 'About this link',
    tabs: { entries: 'Entries', charts: 'Charts', files: 'Files' },
    views: 'Views',
    streams: 'Streams',
    allStreams: 'All streams',
    findStreams: 'Find a stream',
    find: 'Find',
    moreStreams: (count) => `and ${count} more`,
    noStreams: 'No stream matches.',
    none: 'There is nothing here yet.',
    running: 'In progress',
    since: (time) => `since ${time}`,
    older: 'Older',
    newest: 'Newest',
    pages: 'Pages',
    noCharts: 'There are no numbers to draw in this period.',
    chartsLater: 'The charts are being prepared. They appear in a moment.',
    filesLater: 'The files are being searched. They appear in a moment.',
    noFiles: 'No files.',
    moreCharts: 'There are more charts. Choose a stream to see its charts.',
    lastValue: (value) => `latest: ${value}`,
    values: (count) => (count === 1 ? '1 value' : `${count} values`),
    spans: { all: 'All time', '365': '1 year', '30': '30 days', '7': '7 days' },
    span: 'Period',
    addOnly: 'You can add data with this link, but not see any.',
    add: 'Add a note',
    addText: 'To add other data, use the link in an app.',
    stream: 'Stream',
    noteText: 'Note',
    save: 'Add',
    added: 'Your note was added.',
    emptyText: 'Write a note first.',
    longText: 'The note is too long. It can have at most 10,000 characters.',
    unknownStream: 'Choose a stream to which this link can add.',
  },
  fr: {
    accountTitle: (username) => `Compte de ${username}`,
    account: 'Ceci est l’adresse d’un compte de ce nœud. Les applications y lisent et écrivent ses données, avec une clé que le propriétaire leur a donnée.',
    hasLink: 'Quelqu’un vous a envoyé un lien ?',
    hasLinkText: 'Voyez ce qu’il ouvre, et jusqu’à quand.',
    show: 'Voir ce que le lien ouvre',
    isOwner: 'C’est votre compte ?',
    signIn: 'Se connecter',
    reference: 'Référence de l’API pour les applications',
    linkTitle: (username) => `${username} partage des données avec vous`,
    forWhom: 'Pour',
    until: 'Jusqu’au',
    noEnd: 'sans date de fin',
    opens: 'Ce lien vous permet de',
    nothing: 'Il n’ouvre rien.',
    everything: 'lire et modifier tout ce compte',
    useText: 'Collez le lien dans une application, là où elle demande un point d’accès de l’API ou un lien.',
    secret: 'Toute personne qui a le lien peut l’utiliser. Ne le transmettez pas ; s’il est perdu, demandez au propriétaire de le retirer.',
    loopback: 'Ce lien mène à l’ordinateur sur lequel il est ouvert. Il ne fonctionne pas sur d’autres ordinateurs ou téléphones.',
    withoutKey: 'Cette adresse ne contient pas de clé. Ouvrez le lien complet, tel que vous l’avez reçu.',
    goneTitle: 'Ce lien n’est plus valable',
    gone: (username) => `Il a été retiré, a expiré ou est incomplet. Demandez-en un nouveau à ${username}.`,
    ended: 'Il a été retiré ou a expiré. Demandez-en un nouveau à la personne qui vous l’a envoyé.',
    notOpenTitle: 'Ouvrez à nouveau le lien',
    notOpen: 'Cette page montre ce qu’un lien ouvre. Ouvrez le lien complet, tel que vous l’avez reçu. Votre navigateur doit accepter les cookies de ce site.',
    note: (username) => `Note de ${username}`,
    about: 'À propos de ce lien',
    tabs: { entries: 'Entrées', charts: 'Graphiques', files: 'Fichiers' },
    views: 'Vues',
    streams: 'Flux',
    allStreams: 'Tous les flux',
    findStreams: 'Chercher un flux',
    find: 'Chercher',
    moreStreams: (count) => (count === 1 ? 'et un autre' : `et ${count} autres`),
    noStreams: 'Aucun flux ne correspond.',
    none: 'Il n’y a encore rien ici.',
    running: 'En cours',
    since: (time) => `depuis ${time}`,
    older: 'Plus anciennes',
    newest: 'Les plus récentes',
    pages: 'Pages',
    noCharts: 'Il n’y a pas de nombres à dessiner pour cette période.',
    chartsLater: 'Les graphiques sont en préparation. Ils apparaîtront dans un instant.',
    filesLater: 'Recherche des fichiers en cours. Ils apparaîtront dans un instant.',
    noFiles: 'Aucun fichier.',
    moreCharts: 'Il y a d’autres graphiques. Choisissez un flux pour voir les siens.',
    lastValue: (value) => `dernière valeur : ${value}`,
    values: (count) => (count === 1 ? '1 valeur' : `${count} valeurs`),
    spans: { all: 'Tout', '365': '1 an', '30': '30 jours', '7': '7 jours' },
    span: 'Période',
    addOnly: 'Ce lien permet d’ajouter des données, mais pas d’en voir.',
    add: 'Ajouter une note',
    addText: 'Pour ajouter d’autres données, utilisez le lien dans une application.',
    stream: 'Flux',
    noteText: 'Note',
    save: 'Ajouter',
    added: 'Votre note a été ajoutée.',
    emptyText: 'Écrivez d’abord une note.',
    longText: 'La note est trop longue. Elle peut avoir au plus 10 000 caractères.',
    unknownStream: 'Choisissez un flux auquel ce lien permet d’ajouter.',
  },
  de: {
    accountTitle: (username) => `Konto von ${username}`,
    account: 'Dies ist die Adresse eines Kontos auf diesem Knoten. Apps lesen und schreiben hier seine Daten, mit einem Schlüssel des Besitzers.',
    hasLink: 'Hat Ihnen jemand einen Link geschickt?',
    hasLinkText: 'Sehen Sie, was er öffnet, und bis wann.',
    show: 'Zeigen, was der Link öffnet',
    isOwner: 'Ist das Ihr Konto?',
    signIn: 'Anmelden',
    reference: 'API-Referenz für Apps',
    linkTitle: (username) => `${username} teilt Daten mit Ihnen`,
    forWhom: 'Für',
    until: 'Bis',
    noEnd: 'ohne Enddatum',
    opens: 'Dieser Link erlaubt Ihnen',
    nothing: 'Er öffnet nichts.',
    everything: 'alles in diesem Konto zu lesen und zu ändern',
    useText: 'Fügen Sie den Link in einer App ein, wo sie nach einem API-Endpunkt oder einem Link fragt.',
    secret: 'Wer den Link hat, kann ihn verwenden. Geben Sie ihn nicht weiter; wenn er verloren geht, bitten Sie den Besitzer, ihn zu widerrufen.',
    loopback: 'Dieser Link führt zu dem Computer, auf dem er geöffnet wird. Auf anderen Computern und Telefonen funktioniert er nicht.',
    withoutKey: 'Diese Adresse enthält keinen Schlüssel. Öffnen Sie den vollständigen Link, so wie Sie ihn erhalten haben.',
    goneTitle: 'Dieser Link ist nicht mehr gültig',
    gone: (username) => `Er wurde widerrufen, ist abgelaufen oder unvollständig. Bitten Sie ${username} um einen neuen.`,
    ended: 'Er wurde widerrufen oder ist abgelaufen. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
    notOpenTitle: 'Öffnen Sie den Link noch einmal',
    notOpen: 'Diese Seite zeigt, was ein Link öffnet. Öffnen Sie den vollständigen Link, so wie Sie ihn erhalten haben. Ihr Browser muss Cookies dieser Website erlauben.',
    note: (username) => `Notiz von ${username}`,
    about: 'Über diesen Link',
    tabs: { entries: 'Einträge', charts: 'Diagramme', files: 'Dateien' },
    views: 'Ansichten',
    streams: 'Streams',
    allStreams: 'Alle Streams',
    findStreams: 'Stream suchen',
    find: 'Suchen',
    moreStreams: (count) => (count === 1 ? 'und 1 weiterer' : `und ${count} weitere`),
    noStreams: 'Kein Stream passt dazu.',
    none: 'Hier ist noch nichts.',
    running: 'Läuft',
    since: (time) => `seit ${time}`,
    older: 'Ältere',
    newest: 'Neueste',
    pages: 'Seiten',
    noCharts: 'Für diese Zeit gibt es keine Zahlen zu zeichnen.',
    chartsLater: 'Die Diagramme werden vorbereitet. Sie erscheinen gleich.',
    filesLater: 'Die Dateien werden gesucht. Sie erscheinen gleich.',
    noFiles: 'Keine Dateien.',
    moreCharts: 'Es gibt weitere Diagramme. Wählen Sie einen Stream, um seine zu sehen.',
    lastValue: (value) => `zuletzt: ${value}`,
    values: (count) => (count === 1 ? '1 Wert' : `${count} Werte`),
    spans: { all: 'Alles', '365': '1 Jahr', '30': '30 Tage', '7': '7 Tage' },
    span: 'Zeitraum',
    addOnly: 'Mit diesem Link können Sie Daten hinzufügen, aber keine sehen.',
    add: 'Notiz hinzufügen',
    addText: 'Um andere Daten hinzuzufügen, verwenden Sie den Link in einer App.',
    stream: 'Stream',
    noteText: 'Notiz',
    save: 'Hinzufügen',
    added: 'Ihre Notiz wurde hinzugefügt.',
    emptyText: 'Schreiben Sie zuerst eine Notiz.',
    longText: 'Die Notiz ist zu lang. Sie kann höchstens 10 000 Zeichen haben.',
    unknownStream: 'Wählen Sie einen Stream, dem dieser Link etwas hinzufügen kann.',
  },
}
