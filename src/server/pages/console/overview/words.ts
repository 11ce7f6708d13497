/** Texts of the overview. */
import type { InLanguages } from '../../../base/words.js'
import type { GrantedAccess } from '../../access/grantedAccesses.js'

interface OverviewWords {
  needs: string
  nothingNeeded: string
  linkEnds(name: string): string
  linkEnded(name: string): string
  invitation(username: string): string
  stoppedWebhook(host: string, access: string): string
  deviceRefused(name: string): string
  deviceBehind(name: string): string
  deviceAway(name: string): string
  noBackup: string
  oldBackup: string
  latest: string
  allEvents: string
  noEvents: string
  noEventsHint: string
  addEvent: string
  addFiles: string
  share: string
  isRunning: string
  size: string
  entries: string
  files: string
  growth: string
  growthAlternative: string
  growthPartial: string
  charts: string
  lastUse: string
  neverUsed: string
  allAccesses: string
  /** Name of each kind of access; of its user for a session. */
  kinds: Readonly<Record<Exclude<GrantedAccess['kind'], 'offer'>, string>>
}

export const overviewWords: InLanguages<OverviewWords> = {
  en: {
    needs: 'Needs your attention',
    nothingNeeded: 'Nothing needs your attention.',
    linkEnds: (name) => `The access of ${name} ends soon.`,
    linkEnded: (name) => `The access of ${name} has ended.`,
    invitation: (username) => `${username} invites you to manage their account.`,
    stoppedWebhook: (host, access) => `Notifications of ${access} to ${host} have stopped after failures.`,
    deviceRefused: (name) => `${name} refuses to exchange changes with this device.`,
    deviceBehind: (name) => `${name} and this device do not have the same data yet.`,
    deviceAway: (name) => `${name} was not reached for a long time.`,
    noBackup: 'There is no backup of this node yet.',
    oldBackup: 'The latest backup of this node is old.',
    latest: 'Latest entries',
    allEvents: 'All entries',
    noEvents: 'There is nothing here yet.',
    noEventsHint: 'Add a first value, such as your weight, or upload a picture. You can then see it in a chart and share it by a link.',
    addEvent: 'Add an entry',
    addFiles: 'Upload files',
    share: 'Share by a link',
    isRunning: 'in progress',
    size: 'Size of the account',
    entries: 'Entries',
    files: 'Files',
    growth: 'Entries per week',
    growthAlternative: 'Bars: number of entries in each of the last 12 weeks',
    growthPartial: 'Streams with few entries are left out',
    charts: 'Charts',
    lastUse: 'Last used by',
    neverUsed: 'Only you have used this account.',
    allAccesses: 'Who has access',
    kinds: { link: 'Link', app: 'App', client: 'App', session: 'You', consent: 'Consent', delegate: 'Delegate' },
  },
  fr: {
    needs: 'À régler',
    nothingNeeded: 'Rien à régler.',
    linkEnds: (name) => `L’accès de ${name} prend bientôt fin.`,
    linkEnded: (name) => `L’accès de ${name} a pris fin.`,
    invitation: (username) => `${username} vous invite à gérer son compte.`,
    stoppedWebhook: (host, access) => `Les notifications de ${access} à ${host} se sont arrêtées après des échecs.`,
    deviceRefused: (name) => `${name} refuse l’échange avec cet appareil.`,
    deviceBehind: (name) => `${name} et cet appareil n’ont pas encore les mêmes données.`,
    deviceAway: (name) => `${name} n’a pas été joint depuis longtemps.`,
    noBackup: 'Il n’y a pas encore de sauvegarde de ce nœud.',
    oldBackup: 'La dernière sauvegarde de ce nœud est ancienne.',
    latest: 'Dernières entrées',
    allEvents: 'Toutes les entrées',
    noEvents: 'Il n’y a encore rien ici.',
    noEventsHint: 'Ajoutez une première valeur, comme votre poids, ou une image. Vous pourrez la voir dans un graphique et la partager par un lien.',
    addEvent: 'Ajouter une entrée',
    addFiles: 'Ajouter des fichiers',
    share: 'Partager par un lien',
    isRunning: 'en cours',
    size: 'Taille du compte',
    entries: 'Entrées',
    files: 'Fichiers',
    growth: 'Entrées par semaine',
    growthAlternative: 'Barres : nombre d’entrées pour chacune des 12 dernières semaines',
    growthPartial: 'Sans les flux de peu d’entrées',
    charts: 'Graphiques',
    lastUse: 'Dernières utilisations',
    neverUsed: 'Personne d’autre que vous n’a utilisé ce compte.',
    allAccesses: 'Qui a accès',
    kinds: { link: 'Lien', app: 'App', client: 'App', session: 'Vous', consent: 'Consentement', delegate: 'Délégué' },
  },
  de: {
    needs: 'Braucht Ihre Aufmerksamkeit',
    nothingNeeded: 'Nichts braucht Ihre Aufmerksamkeit.',
    linkEnds: (name) => `Der Zugriff von ${name} endet bald.`,
    linkEnded: (name) => `Der Zugriff von ${name} ist beendet.`,
    invitation: (username) => `${username} lädt Sie ein, sein Konto zu verwalten.`,
    stoppedWebhook: (host, access) => `Die Benachrichtigungen von ${access} an ${host} wurden nach Fehlern eingestellt.`,
    deviceRefused: (name) => `${name} lehnt den Austausch mit diesem Gerät ab.`,
    deviceBehind: (name) => `${name} und dieses Gerät haben noch nicht dieselben Daten.`,
    deviceAway: (name) => `${name} wurde lange nicht erreicht.`,
    noBackup: 'Von diesem Knoten gibt es noch keine Sicherung.',
    oldBackup: 'Die letzte Sicherung dieses Knotens ist alt.',
    latest: 'Neueste Einträge',
    allEvents: 'Alle Einträge',
    noEvents: 'Hier ist noch nichts.',
    noEventsHint: 'Erfassen Sie einen ersten Wert, etwa Ihr Gewicht, oder laden Sie ein Bild hoch. Danach sehen Sie ihn in einem Diagramm und können ihn mit einem Link teilen.',
    addEvent: 'Eintrag erfassen',
    addFiles: 'Dateien hochladen',
    share: 'Mit einem Link teilen',
    isRunning: 'läuft',
    size: 'Grösse des Kontos',
    entries: 'Einträge',
    files: 'Dateien',
    growth: 'Einträge pro Woche',
    growthAlternative: 'Balken: Anzahl Einträge in jeder der letzten 12 Wochen',
    growthPartial: 'Ohne Streams mit wenigen Einträgen',
    charts: 'Diagramme',
    lastUse: 'Zuletzt benutzt von',
    neverUsed: 'Niemand ausser Ihnen hat dieses Konto benutzt.',
    allAccesses: 'Wer Zugriff hat',
    kinds: { link: 'Link', app: 'App', client: 'App', session: 'Sie', consent: 'Einwilligung', delegate: 'Stellvertretung' },
  },
}
