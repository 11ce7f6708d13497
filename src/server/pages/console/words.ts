/** Texts of the console that several of its pages share. */
import type { InLanguages } from '../../base/words.js'
import type { SectionId } from './sections.js'

interface ConsoleWords {
  sections: Readonly<Record<SectionId, string>>
  skip: string
  navigation: string
  menu: string
  account: string
  switchAccount: string
  accountsText: string
  accountsNone: string
  ownAccount: string
  viewing(person: string): string
  notManaged(username: string): string
  newer: string
  older: string
  page(page: number, pages: number): string
  pages: string
  cancel: string
  save: string
  live: string
  streamPicker: { find: string; search: string; none: string; newStream: string; firstStream: string; shortened(shown: number, all: number): string }
}

export const consoleWords: InLanguages<ConsoleWords> = {
  en: {
    sections: {
      overview: 'Overview',
      data: 'Data',
      charts: 'Charts',
      files: 'Files',
      people: 'People & apps',
      devices: 'Devices',
      activity: 'Activity',
      settings: 'Settings',
      operator: 'Operator',
    },
    skip: 'Skip to the content',
    navigation: 'Sections',
    menu: 'Menu',
    account: 'Account',
    switchAccount: 'Switch account',
    accountsText: 'Your own account, and the accounts that you manage for others.',
    accountsNone: 'You manage no other account.',
    ownAccount: 'Your own account',
    viewing: (person) => `You manage this account as ${person}.`,
    notManaged: (username) => `You do not manage the account ${username}.`,
    newer: 'Newer',
    older: 'Older',
    page: (page, pages) => `Page ${page} of ${pages}`,
    pages: 'Pages',
    cancel: 'Cancel',
    save: 'Save',
    live: 'Updates live',
    streamPicker: {
      find: 'Find a stream',
      search: 'Search',
      none: 'No stream has this name.',
      newStream: 'Or a new stream, named',
      firstStream: 'Name of a new stream',
      shortened: (shown, all) => `${shown} of ${all} streams are listed. Search for the others.`,
    },
  },
  fr: {
    sections: {
      overview: 'Aperçu',
      data: 'Données',
      charts: 'Graphiques',
      files: 'Fichiers',
      people: 'Personnes et apps',
      devices: 'Appareils',
      activity: 'Activité',
      settings: 'Réglages',
      operator: 'Exploitation',
    },
    skip: 'Aller au contenu',
    navigation: 'Rubriques',
    menu: 'Menu',
    account: 'Compte',
    switchAccount: 'Changer de compte',
    accountsText: 'Votre propre compte, et les comptes que vous gérez pour d’autres.',
    accountsNone: 'Vous ne gérez aucun autre compte.',
    ownAccount: 'Votre propre compte',
    viewing: (person) => `Vous gérez ce compte en tant que ${person}.`,
    notManaged: (username) => `Vous ne gérez pas le compte ${username}.`,
    newer: 'Plus récents',
    older: 'Plus anciens',
    page: (page, pages) => `Page ${page} sur ${pages}`,
    pages: 'Pages',
    cancel: 'Annuler',
    save: 'Enregistrer',
    live: 'Mise à jour en direct',
    streamPicker: {
      find: 'Chercher un flux',
      search: 'Chercher',
      none: 'Aucun flux ne porte ce nom.',
      newStream: 'Ou un nouveau flux, nommé',
      firstStream: 'Nom d’un nouveau flux',
      shortened: (shown, all) => `${shown} flux sur ${all} sont affichés. Cherchez les autres.`,
    },
  },
  de: {
    sections: {
      overview: 'Übersicht',
      data: 'Daten',
      charts: 'Diagramme',
      files: 'Dateien',
      people: 'Personen & Apps',
      devices: 'Geräte',
      activity: 'Aktivität',
      settings: 'Einstellungen',
      operator: 'Betrieb',
    },
    skip: 'Zum Inhalt',
    navigation: 'Bereiche',
    menu: 'Menü',
    account: 'Konto',
    switchAccount: 'Konto wechseln',
    accountsText: 'Ihr eigenes Konto und die Konten, die Sie für andere verwalten.',
    accountsNone: 'Sie verwalten kein anderes Konto.',
    ownAccount: 'Ihr eigenes Konto',
    viewing: (person) => `Sie verwalten dieses Konto als ${person}.`,
    notManaged: (username) => `Sie verwalten das Konto ${username} nicht.`,
    newer: 'Neuere',
    older: 'Ältere',
    page: (page, pages) => `Seite ${page} von ${pages}`,
    pages: 'Seiten',
    cancel: 'Abbrechen',
    save: 'Speichern',
    live: 'Aktualisiert sich laufend',
    streamPicker: {
      find: 'Stream suchen',
      search: 'Suchen',
      none: 'Kein Stream heisst so.',
      newStream: 'Oder ein neuer Stream mit Namen',
      firstStream: 'Name eines neuen Streams',
      shortened: (shown, all) => `${shown} von ${all} Streams sind aufgeführt. Suchen Sie nach den anderen.`,
    },
  },
}
