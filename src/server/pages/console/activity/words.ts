/** Texts of Activity. Phrases describe actions without naming who acts; `by` adds that. */
import type { InLanguages } from '../../../base/words.js'
import type { Kind, PhraseId } from './actions.js'

/** Details of an action, or of several similar ones together. */
export interface ActionDetails {
  /** Quoted names of the streams, as a list; empty if unknown. */
  streams: string
  /** True when `streams` names several. */
  isPlural: boolean
  /** True for a query of the whole account. */
  isAll: boolean
  /** Quoted name of the access that was given or withdrawn; empty if unknown. */
  name: string
  /** Number of actions. */
  count: number
}

interface ActivityWords {
  title: string
  intro: string
  off: string
  filters: string
  access: string
  anyAccess: string
  /** Suffix of the name of an access that no longer exists. */
  ended: string
  kind: string
  anyKind: string
  kinds: Readonly<Record<Kind, string>>
  from: string
  to: string
  own: string
  show: string
  clear: string
  wrongDate: string
  none: string
  noneFound: string
  /** Shown when a search stopped before the end of the records. */
  partial: string
  older: string
  newest: string
  times(count: number): string
  refused: string
  address(ip: string): string
  /** Link to the access that acted. */
  manage: string
  phrases: Readonly<Record<PhraseId, (details: ActionDetails) => string>>
  by: {
    you: string
    session(name: string): string
    app(name: string): string
    link(name: string): string
    delegate(username: string): string
    unknown: string
    gone: string
    terminal: string
    operator: string
    public: string
  }
  /** Label of an access in the filter. */
  labels: { you: string; app(name: string): string; link(name: string): string; signIns: string; unknown: string; terminal: string }
  quote(name: string): string
  /** Joins names; `more` is the number of further ones. */
  names(names: readonly string[], more: number): string
}

const english = (names: readonly string[]): string => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`)
const french = (names: readonly string[]): string => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} et ${names.at(-1) ?? ''}`)
const german = (names: readonly string[]): string => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} und ${names.at(-1) ?? ''}`)

export const activityWords: InLanguages<ActivityWords> = {
  en: {
    title: 'Activity',
    intro: 'Who read, changed or shared what in this account.',
    off: 'This node does not record activity.',
    filters: 'Filter',
    access: 'Link or app',
    anyAccess: 'All',
    ended: '(ended)',
    kind: 'What happened',
    anyKind: 'Everything',
    kinds: { reading: 'Reading', writing: 'Changes', sharing: 'Sharing', signIn: 'Signing in', refused: 'Refused' },
    from: 'From',
    to: 'Until',
    own: 'Include what you read in these pages',
    show: 'Show',
    clear: 'Show everything',
    wrongDate: 'Enter dates as year-month-day, for example 2026-11-30.',
    none: 'Nothing has happened yet.',
    noneFound: 'Nothing matches this filter.',
    partial: 'Not everything was searched yet.',
    older: 'Older',
    newest: 'Newest',
    times: (count) => `${count} times`,
    refused: 'Refused',
    address: (ip) => `from ${ip}`,
    manage: 'Manage access',
    phrases: {
      dataRead: ({ streams, isPlural, isAll }) => (isAll ? 'All data was read' : streams === '' ? 'Data was read' : `${streams} ${isPlural ? 'were' : 'was'} read`),
      eventRead: ({ count }) => (count === 1 ? 'An entry was read' : `${count} entries were read`),
      fileRead: ({ count }) => (count === 1 ? 'A file was read' : `${count} files were read`),
      seriesRead: () => 'A series of measurements was read',
      streamsRead: () => 'The list of streams was read',
      eventAdded: ({ streams, count }) => `${count === 1 ? 'An entry was' : `${count} entries were`} added${streams === '' ? '' : ` to ${streams}`}`,
      eventChanged: ({ streams, count }) => `${count === 1 ? 'An entry was' : `${count} entries were`} changed${streams === '' ? '' : ` in ${streams}`}`,
      eventDeleted: ({ count }) => `${count === 1 ? 'An entry was' : `${count} entries were`} moved to the trash or deleted`,
      fileAdded: ({ count }) => (count === 1 ? 'A file was added' : `${count} files were added`),
      fileDeleted: ({ count }) => (count === 1 ? 'A file was deleted' : `${count} files were deleted`),
      pointsAdded: () => 'Measurements were added to a series',
      streamAdded: ({ count }) => (count === 1 ? 'A stream was created' : `${count} streams were created`),
      streamChanged: ({ count }) => (count === 1 ? 'A stream was changed' : `${count} streams were changed`),
      streamDeleted: ({ count }) => `${count === 1 ? 'A stream was' : `${count} streams were`} moved to the trash or deleted`,
      batch: () => 'Several actions were done together',
      accessesRead: () => 'The list of links and apps was read',
      accessInfoRead: () => 'A link or app was checked',
      accessGiven: ({ name, count }) => (name !== '' ? `Access was given to ${name}` : count === 1 ? 'Access was given' : `Access was given ${count} times`),
      accessChanged: ({ name }) => (name === '' ? 'An access was changed' : `The access of ${name} was changed`),
      accessWithdrawn: ({ name }) => (name === '' ? 'An access was withdrawn' : `The access of ${name} was withdrawn`),
      accessAsked: () => 'An app asked for access',
      requestAnswered: () => 'A request for access was answered',
      requestRead: () => 'A request for access was read',
      signedIn: () => 'You signed in',
      signedOut: () => 'You signed out',
      loginLinked: () => 'Signing in through another service was changed',
      secondFactorUsed: () => 'You confirmed a sign-in with your second factor',
      codeSent: () => 'A code was sent to you',
      secondFactorOn: () => 'A second factor was set up',
      secondFactorOff: () => 'The second factor was removed',
      passwordChanged: () => 'The password was changed',
      resetRequested: () => 'A new password was requested by e-mail',
      emailVerified: () => 'The e-mail address was confirmed',
      accountCreated: () => 'The account was created',
      accountDeleted: () => 'The account was deleted',
      accountRead: () => 'The account details were read',
      accountChanged: () => 'The account details were changed',
      profileRead: () => 'The profile was read',
      profileChanged: () => 'The profile was changed',
      followedRead: () => 'The list of saved shares was read',
      followedChanged: () => 'The list of saved shares was changed',
      webhooksRead: () => 'The list of notifications was read',
      webhooksChanged: () => 'Notifications to another service were changed',
      secretShared: () => 'A secret was shared',
      secretRead: () => 'A shared secret was read',
      delegationRead: () => 'The list of people who act for each other was read',
      delegationChanged: () => 'Who may act for whom was changed',
      devicesRead: () => 'The list of devices was read',
      deviceAdded: () => 'A device was added',
      deviceChanged: () => 'A device was changed',
      deviceRemoved: () => 'A device was removed',
      sessionsRead: () => 'The list of signed-in apps was read',
      sessionsEnded: () => 'Sessions were ended',
      oauth: () => 'An app was connected, renewed or disconnected',
      operator: () => 'The account was looked after by the operator of this node',
      register: () => 'The entry of the account in the register was used',
      other: () => 'Another action was done',
    },
    by: {
      you: 'by you',
      session: (name) => `by you, in ${name}`,
      app: (name) => `by the app ${name}`,
      link: (name) => `through the link ${name}`,
      delegate: (username) => `by ${username}, who acts for you`,
      unknown: 'with an unknown or ended key',
      gone: 'through an access that no longer exists',
      terminal: 'from the command line',
      operator: 'by the operator',
      public: 'without signing in',
    },
    labels: { you: 'You', app: (name) => `App ${name}`, link: (name) => `Link ${name}`, signIns: 'Sign-ins', unknown: 'Unknown keys', terminal: 'Command line' },
    quote: (name) => `“${name}”`,
    names: (names, more) => (more === 0 ? english(names) : english([...names, `${more} more`])),
  },
  fr: {
    title: 'Activité',
    intro: 'Qui a lu, modifié ou partagé quoi dans ce compte.',
    off: 'Ce nœud n’enregistre pas l’activité.',
    filters: 'Filtrer',
    access: 'Lien ou app',
    anyAccess: 'Tous',
    ended: '(terminé)',
    kind: 'Ce qui s’est passé',
    anyKind: 'Tout',
    kinds: { reading: 'Lectures', writing: 'Modifications', sharing: 'Partages', signIn: 'Connexions', refused: 'Refus' },
    from: 'Du',
    to: 'Au',
    own: 'Inclure ce que vous lisez dans ces pages',
    show: 'Afficher',
    clear: 'Tout afficher',
    wrongDate: 'Saisissez les dates sous la forme année-mois-jour, par exemple 2026-11-30.',
    none: 'Rien ne s’est encore passé.',
    noneFound: 'Rien ne correspond à ce filtre.',
    partial: 'La recherche n’est pas encore complète.',
    older: 'Plus anciens',
    newest: 'Les plus récents',
    times: (count) => `${count} fois`,
    refused: 'Refusé',
    address: (ip) => `depuis ${ip}`,
    manage: 'Gérer l’accès',
    phrases: {
      dataRead: ({ streams, isAll }) => (isAll ? 'Lecture de toutes les données' : streams === '' ? 'Lecture de données' : `Lecture de ${streams}`),
      eventRead: ({ count }) => (count === 1 ? 'Lecture d’une entrée' : `Lecture de ${count} entrées`),
      fileRead: ({ count }) => (count === 1 ? 'Lecture d’un fichier' : `Lecture de ${count} fichiers`),
      seriesRead: () => 'Lecture d’une série de mesures',
      streamsRead: () => 'Lecture de la liste des flux',
      eventAdded: ({ streams, count }) => `Ajout ${count === 1 ? 'd’une entrée' : `de ${count} entrées`}${streams === '' ? '' : ` dans ${streams}`}`,
      eventChanged: ({ streams, count }) => `Modification ${count === 1 ? 'd’une entrée' : `de ${count} entrées`}${streams === '' ? '' : ` dans ${streams}`}`,
      eventDeleted: ({ count }) => `Mise à la corbeille ou suppression ${count === 1 ? 'd’une entrée' : `de ${count} entrées`}`,
      fileAdded: ({ count }) => (count === 1 ? 'Ajout d’un fichier' : `Ajout de ${count} fichiers`),
      fileDeleted: ({ count }) => (count === 1 ? 'Suppression d’un fichier' : `Suppression de ${count} fichiers`),
      pointsAdded: () => 'Ajout de mesures à une série',
      streamAdded: ({ count }) => (count === 1 ? 'Création d’un flux' : `Création de ${count} flux`),
      streamChanged: ({ count }) => (count === 1 ? 'Modification d’un flux' : `Modification de ${count} flux`),
      streamDeleted: ({ count }) => `Mise à la corbeille ou suppression ${count === 1 ? 'd’un flux' : `de ${count} flux`}`,
      batch: () => 'Plusieurs actions ensemble',
      accessesRead: () => 'Lecture de la liste des liens et des apps',
      accessInfoRead: () => 'Vérification d’un lien ou d’une app',
      accessGiven: ({ name, count }) => (name !== '' ? `Accès donné à ${name}` : count === 1 ? 'Accès donné' : `Accès donné ${count} fois`),
      accessChanged: ({ name }) => (name === '' ? 'Modification d’un accès' : `Modification de l’accès de ${name}`),
      accessWithdrawn: ({ name }) => (name === '' ? 'Retrait d’un accès' : `Retrait de l’accès de ${name}`),
      accessAsked: () => 'Demande d’accès d’une app',
      requestAnswered: () => 'Réponse à une demande d’accès',
      requestRead: () => 'Lecture d’une demande d’accès',
      signedIn: () => 'Vous vous êtes connecté',
      signedOut: () => 'Vous vous êtes déconnecté',
      loginLinked: () => 'Modification de la connexion par un autre service',
      secondFactorUsed: () => 'Vous avez confirmé une connexion par votre second facteur',
      codeSent: () => 'Envoi d’un code à votre attention',
      secondFactorOn: () => 'Mise en place d’un second facteur',
      secondFactorOff: () => 'Retrait du second facteur',
      passwordChanged: () => 'Changement du mot de passe',
      resetRequested: () => 'Demande d’un nouveau mot de passe par e-mail',
      emailVerified: () => 'Confirmation de l’adresse e-mail',
      accountCreated: () => 'Création du compte',
      accountDeleted: () => 'Suppression du compte',
      accountRead: () => 'Lecture des données du compte',
      accountChanged: () => 'Modification des données du compte',
      profileRead: () => 'Lecture du profil',
      profileChanged: () => 'Modification du profil',
      followedRead: () => 'Lecture de la liste des partages enregistrés',
      followedChanged: () => 'Modification de la liste des partages enregistrés',
      webhooksRead: () => 'Lecture de la liste des notifications',
      webhooksChanged: () => 'Modification des notifications à un autre service',
      secretShared: () => 'Partage d’un secret',
      secretRead: () => 'Lecture d’un secret partagé',
      delegationRead: () => 'Lecture de la liste des délégations',
      delegationChanged: () => 'Modification d’une délégation',
      devicesRead: () => 'Lecture de la liste des appareils',
      deviceAdded: () => 'Ajout d’un appareil',
      deviceChanged: () => 'Modification d’un appareil',
      deviceRemoved: () => 'Retrait d’un appareil',
      sessionsRead: () => 'Lecture de la liste des connexions',
      sessionsEnded: () => 'Fin de connexions',
      oauth: () => 'Connexion, renouvellement ou déconnexion d’une app',
      operator: () => 'Intervention de l’exploitant de ce nœud sur le compte',
      register: () => 'Utilisation de l’entrée du compte dans le registre',
      other: () => 'Autre action',
    },
    by: {
      you: 'par vous',
      session: (name) => `par vous, dans ${name}`,
      app: (name) => `par l’app ${name}`,
      link: (name) => `par le lien ${name}`,
      delegate: (username) => `par ${username}, qui agit pour vous`,
      unknown: 'avec une clé inconnue ou terminée',
      gone: 'par un accès qui n’existe plus',
      terminal: 'depuis la ligne de commande',
      operator: 'par l’exploitant',
      public: 'sans connexion',
    },
    labels: { you: 'Vous', app: (name) => `App ${name}`, link: (name) => `Lien ${name}`, signIns: 'Connexions', unknown: 'Clés inconnues', terminal: 'Ligne de commande' },
    quote: (name) => `« ${name} »`,
    names: (names, more) => (more === 0 ? french(names) : french([...names, `${more} ${more === 1 ? 'autre' : 'autres'}`])),
  },
  de: {
    title: 'Aktivität',
    intro: 'Wer in diesem Konto was gelesen, geändert oder geteilt hat.',
    off: 'Dieser Knoten zeichnet keine Aktivität auf.',
    filters: 'Filtern',
    access: 'Link oder App',
    anyAccess: 'Alle',
    ended: '(beendet)',
    kind: 'Was geschah',
    anyKind: 'Alles',
    kinds: { reading: 'Lesen', writing: 'Änderungen', sharing: 'Teilen', signIn: 'Anmeldungen', refused: 'Abgelehnt' },
    from: 'Von',
    to: 'Bis',
    own: 'Auch zeigen, was Sie auf diesen Seiten lesen',
    show: 'Zeigen',
    clear: 'Alles zeigen',
    wrongDate: 'Geben Sie Daten als Jahr-Monat-Tag ein, zum Beispiel 2026-11-30.',
    none: 'Es ist noch nichts geschehen.',
    noneFound: 'Nichts entspricht diesem Filter.',
    partial: 'Es wurde noch nicht alles durchsucht.',
    older: 'Ältere',
    newest: 'Neueste',
    times: (count) => `${count}-mal`,
    refused: 'Abgelehnt',
    address: (ip) => `von ${ip}`,
    manage: 'Zugriff verwalten',
    phrases: {
      dataRead: ({ streams, isPlural, isAll }) =>
        isAll ? 'Alle Daten wurden gelesen' : streams === '' ? 'Daten wurden gelesen' : `${streams} ${isPlural ? 'wurden' : 'wurde'} gelesen`,
      eventRead: ({ count }) => (count === 1 ? 'Ein Eintrag wurde gelesen' : `${count} Einträge wurden gelesen`),
      fileRead: ({ count }) => (count === 1 ? 'Eine Datei wurde gelesen' : `${count} Dateien wurden gelesen`),
      seriesRead: () => 'Eine Messreihe wurde gelesen',
      streamsRead: () => 'Die Liste der Streams wurde gelesen',
      eventAdded: ({ streams, count }) => `${count === 1 ? 'Ein Eintrag wurde' : `${count} Einträge wurden`}${streams === '' ? '' : ` in ${streams}`} hinzugefügt`,
      eventChanged: ({ streams, count }) => `${count === 1 ? 'Ein Eintrag wurde' : `${count} Einträge wurden`}${streams === '' ? '' : ` in ${streams}`} geändert`,
      eventDeleted: ({ count }) => `${count === 1 ? 'Ein Eintrag wurde' : `${count} Einträge wurden`} in den Papierkorb gelegt oder gelöscht`,
      fileAdded: ({ count }) => (count === 1 ? 'Eine Datei wurde hinzugefügt' : `${count} Dateien wurden hinzugefügt`),
      fileDeleted: ({ count }) => (count === 1 ? 'Eine Datei wurde gelöscht' : `${count} Dateien wurden gelöscht`),
      pointsAdded: () => 'Messungen wurden einer Reihe hinzugefügt',
      streamAdded: ({ count }) => (count === 1 ? 'Ein Stream wurde erstellt' : `${count} Streams wurden erstellt`),
      streamChanged: ({ count }) => (count === 1 ? 'Ein Stream wurde geändert' : `${count} Streams wurden geändert`),
      streamDeleted: ({ count }) => `${count === 1 ? 'Ein Stream wurde' : `${count} Streams wurden`} in den Papierkorb gelegt oder gelöscht`,
      batch: () => 'Mehrere Aktionen wurden zusammen ausgeführt',
      accessesRead: () => 'Die Liste der Links und Apps wurde gelesen',
      accessInfoRead: () => 'Ein Link oder eine App wurde geprüft',
      accessGiven: ({ name, count }) => (name !== '' ? `Zugriff wurde ${name} gegeben` : count === 1 ? 'Zugriff wurde gegeben' : `Zugriff wurde ${count}-mal gegeben`),
      accessChanged: ({ name }) => (name === '' ? 'Ein Zugriff wurde geändert' : `Der Zugriff von ${name} wurde geändert`),
      accessWithdrawn: ({ name }) => (name === '' ? 'Ein Zugriff wurde entzogen' : `Der Zugriff von ${name} wurde entzogen`),
      accessAsked: () => 'Eine App bat um Zugriff',
      requestAnswered: () => 'Eine Anfrage um Zugriff wurde beantwortet',
      requestRead: () => 'Eine Anfrage um Zugriff wurde gelesen',
      signedIn: () => 'Sie haben sich angemeldet',
      signedOut: () => 'Sie haben sich abgemeldet',
      loginLinked: () => 'Die Anmeldung über einen anderen Dienst wurde geändert',
      secondFactorUsed: () => 'Sie haben eine Anmeldung mit dem zweiten Faktor bestätigt',
      codeSent: () => 'Ein Code wurde Ihnen geschickt',
      secondFactorOn: () => 'Ein zweiter Faktor wurde eingerichtet',
      secondFactorOff: () => 'Der zweite Faktor wurde entfernt',
      passwordChanged: () => 'Das Passwort wurde geändert',
      resetRequested: () => 'Ein neues Passwort wurde per E-Mail angefordert',
      emailVerified: () => 'Die E-Mail-Adresse wurde bestätigt',
      accountCreated: () => 'Das Konto wurde erstellt',
      accountDeleted: () => 'Das Konto wurde gelöscht',
      accountRead: () => 'Die Angaben des Kontos wurden gelesen',
      accountChanged: () => 'Die Angaben des Kontos wurden geändert',
      profileRead: () => 'Das Profil wurde gelesen',
      profileChanged: () => 'Das Profil wurde geändert',
      followedRead: () => 'Die Liste gespeicherter Freigaben wurde gelesen',
      followedChanged: () => 'Die Liste gespeicherter Freigaben wurde geändert',
      webhooksRead: () => 'Die Liste der Benachrichtigungen wurde gelesen',
      webhooksChanged: () => 'Benachrichtigungen an einen anderen Dienst wurden geändert',
      secretShared: () => 'Ein Geheimnis wurde geteilt',
      secretRead: () => 'Ein geteiltes Geheimnis wurde gelesen',
      delegationRead: () => 'Die Liste der Vertretungen wurde gelesen',
      delegationChanged: () => 'Eine Vertretung wurde geändert',
      devicesRead: () => 'Die Liste der Geräte wurde gelesen',
      deviceAdded: () => 'Ein Gerät wurde hinzugefügt',
      deviceChanged: () => 'Ein Gerät wurde geändert',
      deviceRemoved: () => 'Ein Gerät wurde entfernt',
      sessionsRead: () => 'Die Liste der Anmeldungen wurde gelesen',
      sessionsEnded: () => 'Anmeldungen wurden beendet',
      oauth: () => 'Eine App wurde verbunden, erneuert oder getrennt',
      operator: () => 'Der Betreiber dieses Knotens hat das Konto bearbeitet',
      register: () => 'Der Eintrag des Kontos im Verzeichnis wurde benutzt',
      other: () => 'Eine andere Aktion wurde ausgeführt',
    },
    by: {
      you: 'durch Sie',
      session: (name) => `durch Sie, in ${name}`,
      app: (name) => `durch die App ${name}`,
      link: (name) => `über den Link ${name}`,
      delegate: (username) => `durch ${username}, in Ihrer Vertretung`,
      unknown: 'mit einem unbekannten oder beendeten Schlüssel',
      gone: 'über einen Zugriff, den es nicht mehr gibt',
      terminal: 'von der Kommandozeile',
      operator: 'durch den Betreiber',
      public: 'ohne Anmeldung',
    },
    labels: { you: 'Sie', app: (name) => `App ${name}`, link: (name) => `Link ${name}`, signIns: 'Anmeldungen', unknown: 'Unbekannte Schlüssel', terminal: 'Kommandozeile' },
    quote: (name) => `„${name}“`,
    names: (names, more) => (more === 0 ? german(names) : german([...names, `${more} ${more === 1 ? 'weiterer' : 'weitere'}`])),
  },
}
