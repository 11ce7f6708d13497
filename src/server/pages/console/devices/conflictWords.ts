/** Texts of the page of conflicting changes. */
import type { InLanguages } from '../../../base/words.js'

interface ConflictWords {
  conflictsTitle: string
  conflictsText: string
  conflictsNone: string
  inEffect: string
  other: string
  take: string
  takeNot: string
  keepText: string
  changedAt(when: string, by: string | undefined): string
  open: string
  kinds: Readonly<Record<'event' | 'stream' | 'access' | 'profile' | 'other', string>>
  fields: Readonly<Record<'content' | 'type' | 'time' | 'duration' | 'description' | 'name' | 'parentId' | 'trashed' | 'permissions' | 'expires' | 'token', string>>
  fieldKinds: Readonly<Record<'s' | 't' | 'a' | 'c' | 'p', string>>
  nothing: string
  present: string
  yes: string
  no: string
  inProgress: string
  outdated: string
  shortened(count: string): string
  renamedTitle: string
  renamedText(name: string, written: string): string
  refusedTitle: string
  refusedFrom(name: string): string
  asideTitle: string
  asideFor(name: string): string
}

export const conflictWords: InLanguages<ConflictWords> = {
  en: {
    conflictsTitle: 'Conflicting changes',
    conflictsText: 'Two devices changed the same thing before they exchanged changes. All devices show the same one of both; the other one is here.',
    conflictsNone: 'No conflicting changes.',
    inEffect: 'In effect',
    other: 'Other version',
    take: 'Take this one',
    takeNot: 'Open the item to change this.',
    keepText: 'To keep what is in effect, do nothing. An entry leaves this list when the value is changed next.',
    changedAt: (when, by) => (by === undefined ? `Changed ${when}` : `Changed ${when} by ${by}`),
    open: 'Open',
    kinds: { event: 'Entry', stream: 'Stream', access: 'Access', profile: 'Profile', other: 'Item' },
    fields: {
      content: 'Value',
      type: 'Type',
      time: 'Time',
      duration: 'Duration',
      description: 'Description',
      name: 'Name',
      parentId: 'Stream above',
      trashed: 'In the trash',
      permissions: 'Permissions',
      expires: 'End',
      token: 'Token',
    },
    fieldKinds: { s: 'Stream', t: 'Tag', a: 'File', c: 'App data', p: 'Member' },
    nothing: 'Nothing',
    present: 'Present',
    yes: 'Yes',
    no: 'No',
    inProgress: 'In progress',
    outdated: 'This has changed meanwhile. Choose again.',
    shortened: (count) => `The first ${count} are shown.`,
    renamedTitle: 'Streams with another name or place',
    renamedText: (name, written) => `Shown as “${name}”, written as “${written}”: two streams had the same name, or were moved into each other.`,
    refusedTitle: 'Items of other devices that were refused',
    refusedFrom: (name) => `from ${name}`,
    asideTitle: 'Items too large to exchange',
    asideFor: (name) => `not on ${name}`,
  },
  fr: {
    conflictsTitle: 'Modifications en conflit',
    conflictsText: 'Deux appareils ont modifié la même chose avant d’échanger. Tous les appareils affichent la même des deux versions ; l’autre se trouve ici.',
    conflictsNone: 'Aucune modification en conflit.',
    inEffect: 'En vigueur',
    other: 'Autre version',
    take: 'Prendre celle-ci',
    takeNot: 'Ouvrez l’élément pour modifier cela.',
    keepText: 'Pour garder ce qui est en vigueur, ne faites rien. Une entrée quitte cette liste à la prochaine modification de la valeur.',
    changedAt: (when, by) => (by === undefined ? `Modifié ${when}` : `Modifié ${when} par ${by}`),
    open: 'Ouvrir',
    kinds: { event: 'Entrée', stream: 'Flux', access: 'Accès', profile: 'Profil', other: 'Élément' },
    fields: {
      content: 'Valeur',
      type: 'Type',
      time: 'Heure',
      duration: 'Durée',
      description: 'Description',
      name: 'Nom',
      parentId: 'Flux supérieur',
      trashed: 'Dans la corbeille',
      permissions: 'Autorisations',
      expires: 'Fin',
      token: 'Jeton',
    },
    fieldKinds: { s: 'Flux', t: 'Étiquette', a: 'Fichier', c: 'Données d’app', p: 'Membre' },
    nothing: 'Rien',
    present: 'Présent',
    yes: 'Oui',
    no: 'Non',
    inProgress: 'En cours',
    outdated: 'Cela a changé entre-temps. Choisissez de nouveau.',
    shortened: (count) => `Les ${count} premiers sont affichés.`,
    renamedTitle: 'Flux avec un autre nom ou une autre place',
    renamedText: (name, written) => `Affiché comme « ${name} », écrit comme « ${written} » : deux flux avaient le même nom, ou ont été déplacés l’un dans l’autre.`,
    refusedTitle: 'Éléments d’autres appareils refusés',
    refusedFrom: (name) => `de ${name}`,
    asideTitle: 'Éléments trop grands pour l’échange',
    asideFor: (name) => `pas sur ${name}`,
  },
  de: {
    conflictsTitle: 'Widersprüchliche Änderungen',
    conflictsText: 'Zwei Geräte haben dasselbe geändert, bevor sie Änderungen austauschten. Alle Geräte zeigen dieselbe der beiden Fassungen; die andere ist hier.',
    conflictsNone: 'Keine widersprüchlichen Änderungen.',
    inEffect: 'Gilt',
    other: 'Andere Fassung',
    take: 'Diese nehmen',
    takeNot: 'Öffnen Sie den Eintrag, um dies zu ändern.',
    keepText: 'Um zu behalten, was gilt, tun Sie nichts. Ein Eintrag verschwindet aus dieser Liste, wenn der Wert das nächste Mal geändert wird.',
    changedAt: (when, by) => (by === undefined ? `Geändert ${when}` : `Geändert ${when} von ${by}`),
    open: 'Öffnen',
    kinds: { event: 'Eintrag', stream: 'Stream', access: 'Zugang', profile: 'Profil', other: 'Element' },
    fields: {
      content: 'Wert',
      type: 'Typ',
      time: 'Zeit',
      duration: 'Dauer',
      description: 'Beschreibung',
      name: 'Name',
      parentId: 'Übergeordneter Stream',
      trashed: 'Im Papierkorb',
      permissions: 'Berechtigungen',
      expires: 'Ende',
      token: 'Token',
    },
    fieldKinds: { s: 'Stream', t: 'Tag', a: 'Datei', c: 'App-Daten', p: 'Feld' },
    nothing: 'Nichts',
    present: 'Vorhanden',
    yes: 'Ja',
    no: 'Nein',
    inProgress: 'Läuft',
    outdated: 'Dies hat sich inzwischen geändert. Wählen Sie nochmals.',
    shortened: (count) => `Die ersten ${count} werden angezeigt.`,
    renamedTitle: 'Streams mit anderem Namen oder Ort',
    renamedText: (name, written) => `Angezeigt als «${name}», geschrieben als «${written}»: Zwei Streams hatten denselben Namen, oder wurden ineinander verschoben.`,
    refusedTitle: 'Abgelehnte Einträge anderer Geräte',
    refusedFrom: (name) => `von ${name}`,
    asideTitle: 'Für den Austausch zu grosse Einträge',
    asideFor: (name) => `nicht auf ${name}`,
  },
}
