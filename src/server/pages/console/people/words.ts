/** Texts of the pages about people and apps: lists, details, changes and withdrawals of accesses. */
import type { InLanguages } from '../../../base/words.js'

interface PeopleWords {
  tabs: { links: string; apps: string; requests: string; consents: string; delegations: string }
  /** Name of a tab with the number of things that wait. */
  waiting(name: string, count: number): string
  linksText: string
  noLinks: string
  noLinksHint: string
  newLink: string
  appsText: string
  noApps: string
  noAppsHint: string
  newKey: string
  /** Tags of accesses of consents and of OAuth clients. */
  consent: string
  client: string
  offer: string
  details: string
  showLink: string
  change: string
  withdraw: string
  back: string
  activity: string
  note: string
  changed: string
  noEnd: string
  /** State of an access that works. */
  works: string
  offerText: string
  consentText: string
  allWithdraw(name: string): string
  changeTitle(name: string): string
  changeText: string
  name: string
  noteHint: string
  streams: string
  levelOf(stream: string): string
  away: string
  moreEntries(count: number): string
  others: string
  addStreams: string
  addLevel: string
  levels: { read: string; 'create-only': string; contribute: string; manage: string; none: string }
  end: string
  keepEnd: string
  ends: { day: string; week: string; month: string; never: string; date: string }
  until: string
  untilHint: string
  badDate: string
  pastDate: string
  nothingLeft: string
  nameTaken: string
  nameMissing: string
  tooLong: string
  wouldExceed: string
  unknownStream: string
  everything: string
  saved: string
}

export const peopleWords: InLanguages<PeopleWords> = {
  en: {
    tabs: { links: 'Links', apps: 'Apps', requests: 'Requests', consents: 'Consents', delegations: 'Delegations' },
    waiting: (name, count) => `${name} (${count} waiting)`,
    linksText: 'A link opens a part of your data to another person, without an account. You decide what, and until when.',
    noLinks: 'You share nothing by a link.',
    noLinksHint: 'Make a link for your doctor, your coach or your family. You can withdraw it at any time.',
    newLink: 'Make a link',
    appsText: 'Apps that you allowed to read or write some of your data.',
    noApps: 'No app has access.',
    noAppsHint: 'Apps ask for access when you connect them to your account. You can also make a key for an app of your own.',
    newKey: 'Make a key for an app',
    consent: 'Consent',
    client: 'Connected service',
    offer: 'Link to a request',
    details: 'Details',
    showLink: 'Show the link',
    change: 'Change',
    withdraw: 'Withdraw',
    back: 'Back to the list',
    activity: 'What it did',
    note: 'Note',
    changed: 'Changed',
    noEnd: 'no end',
    works: 'active',
    offerText: 'This access opens a request of yours to those who have its link. Withdraw it on the page of the consent.',
    consentText: 'You gave this access to another account by a consent.',
    allWithdraw: (name) => `${name} can no longer see or change anything here.`,
    changeTitle: (name) => `Change the access of ${name}`,
    changeText: 'The link or key stays the same; the change takes effect immediately.',
    name: 'For whom',
    noteHint: 'The reader of the link sees this note.',
    streams: 'What it opens',
    levelOf: (stream) => `Access to ${stream}`,
    away: 'take away',
    moreEntries: (count) => `${count} more entries stay as they are.`,
    others: 'These stay as they are:',
    addStreams: 'Open more streams',
    addLevel: 'Who has access can, in the added streams,',
    levels: { read: 'see', 'create-only': 'add only', contribute: 'see, add and change', manage: 'see, change and organise', none: 'not see' },
    end: 'Ends',
    keepEnd: 'as it is now',
    ends: { day: 'in one day', week: 'in one week', month: 'in one month', never: 'no end', date: 'on the date below' },
    until: 'Last day',
    untilHint: 'Only for “on the date below”. The access ends when this day is over.',
    badDate: 'Enter the date as year, month and day, for example 2027-01-31.',
    pastDate: 'This day is in the past.',
    nothingLeft: 'Nothing would be left. To end the access, withdraw it.',
    nameTaken: 'There is already an access with this name. Choose another one.',
    nameMissing: 'Enter a name.',
    tooLong: 'This text is too long.',
    wouldExceed: 'This access was shared by an app, or has shared access itself: with this change, one of them would open more than the other.',
    unknownStream: 'One of the chosen streams no longer exists.',
    everything: 'Everything',
    saved: 'Access changed.',
  },
  fr: {
    tabs: { links: 'Liens', apps: 'Apps', requests: 'Demandes', consents: 'Consentements', delegations: 'Délégations' },
    waiting: (name, count) => `${name} (${count} en attente)`,
    linksText: 'Un lien ouvre une partie de vos données à quelqu’un, sans compte. Vous décidez de ce qu’il ouvre et jusqu’à quand.',
    noLinks: 'Vous ne partagez rien par un lien.',
    noLinksHint: 'Créez un lien pour votre médecin, votre coach ou votre famille. Vous pouvez le retirer à tout moment.',
    newLink: 'Créer un lien',
    appsText: 'Les apps que vous avez autorisées à lire ou à écrire certaines de vos données.',
    noApps: 'Aucune app n’a accès.',
    noAppsHint: 'Les apps demandent l’accès quand vous les reliez à votre compte. Vous pouvez aussi créer une clé pour votre propre app.',
    newKey: 'Créer une clé pour une app',
    consent: 'Consentement',
    client: 'Service relié',
    offer: 'Lien vers une demande',
    details: 'Détails',
    showLink: 'Afficher le lien',
    change: 'Modifier',
    withdraw: 'Retirer',
    back: 'Retour à la liste',
    activity: 'Ce qu’il a fait',
    note: 'Note',
    changed: 'Modifié',
    noEnd: 'sans fin',
    works: 'actif',
    offerText: 'Cet accès ouvre l’une de vos demandes à ceux qui ont son lien. Retirez-le à la page du consentement.',
    consentText: 'Vous avez donné cet accès à un autre compte par un consentement.',
    allWithdraw: (name) => `${name} ne pourra plus rien voir ni modifier ici.`,
    changeTitle: (name) => `Modifier l’accès de ${name}`,
    changeText: 'Le lien ou la clé reste le même ; la modification prend effet immédiatement.',
    name: 'Pour qui',
    noteHint: 'La personne qui reçoit le lien voit cette note.',
    streams: 'Ce qu’il ouvre',
    levelOf: (stream) => `Accès à ${stream}`,
    away: 'retirer',
    moreEntries: (count) => `${count} autres entrées restent inchangées.`,
    others: 'Ceci reste inchangé :',
    addStreams: 'Ouvrir d’autres flux',
    addLevel: 'Dans les flux ajoutés, il est possible de',
    levels: { read: 'voir', 'create-only': 'ajouter seulement', contribute: 'voir, ajouter et modifier', manage: 'voir, modifier et organiser', none: 'ne pas voir' },
    end: 'Prend fin',
    keepEnd: 'comme maintenant',
    ends: { day: 'dans un jour', week: 'dans une semaine', month: 'dans un mois', never: 'sans fin', date: 'à la date ci-dessous' },
    until: 'Dernier jour',
    untilHint: 'Seulement pour « à la date ci-dessous ». L’accès prend fin une fois ce jour passé.',
    badDate: 'Saisissez la date avec l’année, le mois et le jour, par exemple 2027-01-31.',
    pastDate: 'Ce jour est passé.',
    nothingLeft: 'Il ne resterait rien. Pour mettre fin à l’accès, retirez-le.',
    nameTaken: 'Un accès porte déjà ce nom. Choisissez-en un autre.',
    nameMissing: 'Saisissez un nom.',
    tooLong: 'Ce texte est trop long.',
    wouldExceed: 'Cet accès a été partagé par une app, ou en a partagé un lui-même : avec cette modification, l’un ouvrirait plus que l’autre.',
    unknownStream: 'L’un des flux choisis n’existe plus.',
    everything: 'Tout',
    saved: 'Accès modifié.',
  },
  de: {
    tabs: { links: 'Links', apps: 'Apps', requests: 'Anfragen', consents: 'Einwilligungen', delegations: 'Vertretungen' },
    waiting: (name, count) => `${name} (${count} wartend)`,
    linksText: 'Ein Link öffnet jemandem einen Teil Ihrer Daten, ohne Konto. Sie bestimmen, was und wie lange.',
    noLinks: 'Sie teilen nichts mit einem Link.',
    noLinksHint: 'Erstellen Sie einen Link für Ihre Ärztin, Ihren Coach oder Ihre Familie. Sie können ihn jederzeit entziehen.',
    newLink: 'Link erstellen',
    appsText: 'Apps, denen Sie erlaubt haben, gewisse Daten zu lesen oder zu schreiben.',
    noApps: 'Keine App hat Zugriff.',
    noAppsHint: 'Apps fragen nach Zugriff, wenn Sie sie mit Ihrem Konto verbinden. Sie können auch einen Schlüssel für eine eigene App erstellen.',
    newKey: 'Schlüssel für eine App erstellen',
    consent: 'Einwilligung',
    client: 'Verbundener Dienst',
    offer: 'Link zu einer Anfrage',
    details: 'Einzelheiten',
    showLink: 'Link zeigen',
    change: 'Ändern',
    withdraw: 'Entziehen',
    back: 'Zurück zur Liste',
    activity: 'Was er getan hat',
    note: 'Notiz',
    changed: 'Geändert',
    noEnd: 'kein Ende',
    works: 'aktiv',
    offerText: 'Dieser Zugriff öffnet eine Ihrer Anfragen für alle, die den Link haben. Ziehen Sie sie auf der Seite der Einwilligung zurück.',
    consentText: 'Diesen Zugriff haben Sie einem anderen Konto mit einer Einwilligung gegeben.',
    allWithdraw: (name) => `${name} kann hier nichts mehr sehen oder ändern.`,
    changeTitle: (name) => `Zugriff von ${name} ändern`,
    changeText: 'Der Link oder Schlüssel bleibt gleich; die Änderung gilt sofort.',
    name: 'Für wen',
    noteHint: 'Wer den Link öffnet, sieht diese Notiz.',
    streams: 'Was er öffnet',
    levelOf: (stream) => `Zugriff auf ${stream}`,
    away: 'wegnehmen',
    moreEntries: (count) => `${count} weitere Einträge bleiben, wie sie sind.`,
    others: 'Dies bleibt, wie es ist:',
    addStreams: 'Weitere Streams öffnen',
    addLevel: 'In den weiteren Streams darf man',
    levels: { read: 'sehen', 'create-only': 'nur hinzufügen', contribute: 'sehen, hinzufügen und ändern', manage: 'sehen, ändern und ordnen', none: 'nicht sehen' },
    end: 'Endet',
    keepEnd: 'wie jetzt',
    ends: { day: 'in einem Tag', week: 'in einer Woche', month: 'in einem Monat', never: 'kein Ende', date: 'am Datum unten' },
    until: 'Letzter Tag',
    untilHint: 'Nur für «am Datum unten». Der Zugriff endet, wenn dieser Tag vorbei ist.',
    badDate: 'Geben Sie das Datum mit Jahr, Monat und Tag ein, zum Beispiel 2027-01-31.',
    pastDate: 'Dieser Tag ist vorbei.',
    nothingLeft: 'Es bliebe nichts übrig. Um den Zugriff zu beenden, entziehen Sie ihn.',
    nameTaken: 'Es gibt schon einen Zugriff mit diesem Namen. Wählen Sie einen anderen.',
    nameMissing: 'Geben Sie einen Namen ein.',
    tooLong: 'Dieser Text ist zu lang.',
    wouldExceed: 'Diesen Zugriff hat eine App geteilt, oder er hat selbst welche geteilt: Mit dieser Änderung würde einer davon mehr öffnen als der andere.',
    unknownStream: 'Einen der gewählten Streams gibt es nicht mehr.',
    everything: 'Alles',
    saved: 'Zugriff geändert.',
  },
}
