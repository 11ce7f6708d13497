/** Texts of the pages of devices. */
import type { InLanguages } from '../../../base/words.js'

interface DeviceWords {
  intro: string
  none: string
  pairNew: string
  thisDevice(name: string): string
  inactive: string
  delegate: string
  pending: string
  pendingOffer: string
  pendingWords(name: string): string
  toDevices: string
  toConflicts(count: string): string
  toNoConflicts: string
  states: {
    inSync: string
    paused: string
    syncing: string
    behind: string
    offline: string
    never: string
    refused: string
  }
  compared(when: string): string
  notSince(when: string): string
  receive(count: string): string
  send(count: string): string
  filesToReceive(count: string, size: string): string
  filesToSend(count: string): string
  filesMissing(count: string): string
  aside(count: string): string
  refusedItems(count: string): string
  copied: Readonly<Record<'ours' | 'theirs', string>>
  lastContact: string
  lastCompared: string
  noContact: string
  scope: string
  wholeAccount: string
  directions: Readonly<Record<'send' | 'receive' | 'both', string>>
  connects: string
  connectsHere: string
  always: string
  every(minutes: string): string
  address: string
  paired: string
  missing: string
  rename: string
  name: string
  nameHint: string
  pause: string
  resume: string
  pauseText: string
  resumeText: string
  remove: string
  history: string
  when: string
  result: string
  sent: string
  received: string
  attempts(count: string): string
  done: Readonly<Record<'renamed' | 'paused' | 'resumed' | 'removed' | 'removedLater' | 'cancelled' | 'taken', string>>
  removeTitle(name: string): string
  removeHere: string
  removeThere(name: string): string
  removePending(count: string): string
  removeBehind(count: string): string
  removeNotify: string
  removeButton: string
}

export const deviceWords: InLanguages<DeviceWords> = {
  en: {
    intro: 'Your other computers and phones that have a copy of this account. Each works without the others, and they exchange changes when they reach each other.',
    none: 'This account is on this device only.',
    pairNew: 'Pair a device',
    thisDevice: (name) => `This device: ${name}`,
    inactive: 'Sync is switched off on this device, so it exchanges nothing. The operator can switch it on (sync.active).',
    delegate: 'You manage this account for another person. You can see its devices and settle conflicts. Only its owner pairs, pauses or removes devices.',
    pending: 'Pairing in progress',
    pendingOffer: 'Waiting for the other device to use the link',
    pendingWords: (name) => `Compare the words with ${name}`,
    toDevices: 'All devices',
    toConflicts: (count) => `Conflicting changes: ${count}`,
    toNoConflicts: 'Conflicting changes',
    states: {
      inSync: 'In sync',
      paused: 'Paused',
      syncing: 'Exchanging changes',
      behind: 'Behind',
      offline: 'Not reachable',
      never: 'Never reached yet',
      refused: 'Stopped',
    },
    compared: (when) => `Both devices compared their copies and found them equal ${when}.`,
    notSince: (when) => `Last reached ${when}.`,
    receive: (count) => `Changes to receive: ${count}`,
    send: (count) => `Changes to send: ${count}`,
    filesToReceive: (count, size) => `Files to receive: ${count} (${size})`,
    filesToSend: (count) => `Files to send: ${count}`,
    filesMissing: (count) => `Files missing on both devices: ${count}`,
    aside: (count) => `Items too large to exchange: ${count}`,
    refusedItems: (count) => `Items refused: ${count}`,
    copied: {
      ours: 'Two copies of this device are running. Stop one of them.',
      theirs: 'Two copies of the other device are running. Stop one of them.',
    },
    lastContact: 'Last contact',
    lastCompared: 'Last compared equal',
    noContact: 'None yet',
    scope: 'Content',
    wholeAccount: 'The whole account',
    directions: { send: 'sent to it', receive: 'received from it', both: 'both ways' },
    connects: 'Connection',
    connectsHere: 'The other device connects to this one',
    always: 'Stays connected',
    every: (minutes) => `Every ${minutes} minutes`,
    address: 'Address',
    paired: 'Paired',
    missing: 'There is no such device. It may have been removed.',
    rename: 'Rename',
    name: 'Name on this device',
    nameHint: 'Up to 60 characters.',
    pause: 'Pause',
    resume: 'Resume',
    pauseText: 'Paused devices exchange nothing until you resume them. Nothing is lost meanwhile.',
    resumeText: 'The exchange is paused. Resume it to send and receive what changed meanwhile.',
    remove: 'Remove device',
    history: 'Latest contacts',
    when: 'When',
    result: 'Result',
    sent: 'Sent',
    received: 'Received',
    attempts: (count) => `${count} attempts`,
    done: {
      renamed: 'The device has a new name.',
      paused: 'The exchange is paused.',
      resumed: 'The exchange continues.',
      removed: 'The device is removed. It was notified.',
      removedLater: 'The device is removed. It could not be reached; it is notified when it connects next.',
      cancelled: 'The pairing is cancelled. Its link no longer works.',
      taken: 'The chosen version is in effect. Your other devices receive it as a change.',
    },
    removeTitle: (name) => `Remove ${name}?`,
    removeHere: 'This device keeps everything, and stops exchanging changes with the other one.',
    removeThere: (name) => `${name} keeps its copy, as it is now. A copy once given cannot be recalled: to have data deleted there, delete it before you remove the device.`,
    removePending: (count) => `Not sent yet: ${count} changes. The other device will not get them.`,
    removeBehind: (count) => `Not received yet: ${count} changes. This device will not get them.`,
    removeNotify: 'The other device is notified now if it is reachable, otherwise when it connects next. To exchange again, pair both again.',
    removeButton: 'Remove device',
  },
  fr: {
    intro: 'Vos autres ordinateurs et téléphones qui ont une copie de ce compte. Chacun fonctionne sans les autres, et ils échangent les modifications dès qu’ils se joignent.',
    none: 'Ce compte se trouve seulement sur cet appareil.',
    pairNew: 'Associer un appareil',
    thisDevice: (name) => `Cet appareil : ${name}`,
    inactive: 'La synchronisation est désactivée sur cet appareil : il n’échange rien. L’exploitant peut l’activer (sync.active).',
    delegate: 'Vous gérez ce compte pour une autre personne. Vous pouvez voir ses appareils et régler des conflits. Seul son propriétaire associe, suspend ou retire des appareils.',
    pending: 'Association en cours',
    pendingOffer: 'L’autre appareil n’a pas encore utilisé le lien',
    pendingWords: (name) => `Comparez les mots avec ${name}`,
    toDevices: 'Tous les appareils',
    toConflicts: (count) => `Modifications en conflit : ${count}`,
    toNoConflicts: 'Modifications en conflit',
    states: {
      inSync: 'Synchronisé',
      paused: 'Suspendu',
      syncing: 'Échange en cours',
      behind: 'En retard',
      offline: 'Injoignable',
      never: 'Encore jamais joint',
      refused: 'Arrêté',
    },
    compared: (when) => `Les deux appareils ont comparé leurs copies et les ont trouvées identiques ${when}.`,
    notSince: (when) => `Dernier contact ${when}.`,
    receive: (count) => `Modifications à recevoir : ${count}`,
    send: (count) => `Modifications à envoyer : ${count}`,
    filesToReceive: (count, size) => `Fichiers à recevoir : ${count} (${size})`,
    filesToSend: (count) => `Fichiers à envoyer : ${count}`,
    filesMissing: (count) => `Fichiers manquants sur les deux appareils : ${count}`,
    aside: (count) => `Éléments trop grands pour l’échange : ${count}`,
    refusedItems: (count) => `Éléments refusés : ${count}`,
    copied: {
      ours: 'Deux copies de cet appareil fonctionnent. Arrêtez-en une.',
      theirs: 'Deux copies de l’autre appareil fonctionnent. Arrêtez-en une.',
    },
    lastContact: 'Dernier contact',
    lastCompared: 'Dernière comparaison égale',
    noContact: 'Encore aucun',
    scope: 'Contenu',
    wholeAccount: 'Le compte entier',
    directions: { send: 'envoyés', receive: 'reçus', both: 'dans les deux sens' },
    connects: 'Connexion',
    connectsHere: 'L’autre appareil se connecte à celui-ci',
    always: 'Reste connecté',
    every: (minutes) => `Toutes les ${minutes} minutes`,
    address: 'Adresse',
    paired: 'Associé',
    missing: 'Cet appareil n’existe pas. Il a peut-être été retiré.',
    rename: 'Renommer',
    name: 'Nom sur cet appareil',
    nameHint: 'Au plus 60 caractères.',
    pause: 'Suspendre',
    resume: 'Reprendre',
    pauseText: 'Un appareil suspendu n’échange rien jusqu’à la reprise. Rien n’est perdu entre-temps.',
    resumeText: 'L’échange est suspendu. Reprenez-le pour envoyer et recevoir ce qui a changé entre-temps.',
    remove: 'Retirer l’appareil',
    history: 'Derniers contacts',
    when: 'Quand',
    result: 'Résultat',
    sent: 'Envoyé',
    received: 'Reçu',
    attempts: (count) => `${count} tentatives`,
    done: {
      renamed: 'L’appareil a un nouveau nom.',
      paused: 'L’échange est suspendu.',
      resumed: 'L’échange continue.',
      removed: 'L’appareil est retiré. Il a été averti.',
      removedLater: 'L’appareil est retiré. Il n’a pas pu être joint ; il sera averti à sa prochaine connexion.',
      cancelled: 'L’association est annulée. Son lien ne fonctionne plus.',
      taken: 'La version choisie est en vigueur. Vos autres appareils la reçoivent comme modification.',
    },
    removeTitle: (name) => `Retirer ${name} ?`,
    removeHere: 'Cet appareil garde tout, et cesse d’échanger avec l’autre.',
    removeThere: (name) => `${name} garde sa copie dans son état actuel. Une copie donnée ne peut pas être reprise : pour y faire supprimer des données, supprimez-les avant de retirer l’appareil.`,
    removePending: (count) => `Pas encore envoyées : ${count} modifications. L’autre appareil ne les recevra pas.`,
    removeBehind: (count) => `Pas encore reçues : ${count} modifications. Cet appareil ne les recevra pas.`,
    removeNotify: 'L’autre appareil est averti maintenant s’il est joignable, sinon à sa prochaine connexion. Pour échanger de nouveau, associez les deux encore une fois.',
    removeButton: 'Retirer l’appareil',
  },
  de: {
    intro: 'Ihre anderen Computer und Telefone, die eine Kopie dieses Kontos haben. Jedes funktioniert ohne die anderen, und sie tauschen Änderungen aus, sobald sie einander erreichen.',
    none: 'Dieses Konto ist nur auf diesem Gerät.',
    pairNew: 'Gerät koppeln',
    thisDevice: (name) => `Dieses Gerät: ${name}`,
    inactive: 'Die Synchronisation ist auf diesem Gerät ausgeschaltet, darum tauscht es nichts aus. Der Betreiber kann sie einschalten (sync.active).',
    delegate: 'Sie verwalten dieses Konto für jemand anderen. Sie können seine Geräte sehen und Konflikte lösen. Nur der Eigentümer koppelt, pausiert oder entfernt Geräte.',
    pending: 'Laufende Kopplung',
    pendingOffer: 'Das andere Gerät hat den Link noch nicht verwendet',
    pendingWords: (name) => `Vergleichen Sie die Wörter mit ${name}`,
    toDevices: 'Alle Geräte',
    toConflicts: (count) => `Widersprüchliche Änderungen: ${count}`,
    toNoConflicts: 'Widersprüchliche Änderungen',
    states: {
      inSync: 'Auf gleichem Stand',
      paused: 'Pausiert',
      syncing: 'Tauscht Änderungen aus',
      behind: 'Im Rückstand',
      offline: 'Nicht erreichbar',
      never: 'Noch nie erreicht',
      refused: 'Angehalten',
    },
    compared: (when) => `Beide Geräte haben ihre Kopien verglichen und gleich gefunden, ${when}.`,
    notSince: (when) => `Zuletzt erreicht ${when}.`,
    receive: (count) => `Zu empfangende Änderungen: ${count}`,
    send: (count) => `Zu sendende Änderungen: ${count}`,
    filesToReceive: (count, size) => `Zu empfangende Dateien: ${count} (${size})`,
    filesToSend: (count) => `Zu sendende Dateien: ${count}`,
    filesMissing: (count) => `Dateien, die auf beiden Geräten fehlen: ${count}`,
    aside: (count) => `Für den Austausch zu grosse Einträge: ${count}`,
    refusedItems: (count) => `Abgelehnte Einträge: ${count}`,
    copied: {
      ours: 'Zwei Kopien dieses Geräts laufen. Halten Sie eine an.',
      theirs: 'Zwei Kopien des anderen Geräts laufen. Halten Sie eine an.',
    },
    lastContact: 'Letzter Kontakt',
    lastCompared: 'Zuletzt gleich befunden',
    noContact: 'Noch keiner',
    scope: 'Inhalt',
    wholeAccount: 'Das ganze Konto',
    directions: { send: 'werden gesendet', receive: 'werden empfangen', both: 'in beide Richtungen' },
    connects: 'Verbindung',
    connectsHere: 'Das andere Gerät verbindet sich mit diesem',
    always: 'Bleibt verbunden',
    every: (minutes) => `Alle ${minutes} Minuten`,
    address: 'Adresse',
    paired: 'Gekoppelt',
    missing: 'Dieses Gerät gibt es nicht. Vielleicht wurde es entfernt.',
    rename: 'Umbenennen',
    name: 'Name auf diesem Gerät',
    nameHint: 'Höchstens 60 Zeichen.',
    pause: 'Pausieren',
    resume: 'Fortsetzen',
    pauseText: 'Pausierte Geräte tauschen nichts aus, bis Sie fortsetzen. Es geht dabei nichts verloren.',
    resumeText: 'Der Austausch ist pausiert. Setzen Sie ihn fort, um zu senden und zu empfangen, was sich inzwischen geändert hat.',
    remove: 'Gerät entfernen',
    history: 'Letzte Kontakte',
    when: 'Wann',
    result: 'Ergebnis',
    sent: 'Gesendet',
    received: 'Empfangen',
    attempts: (count) => `${count} Versuche`,
    done: {
      renamed: 'Das Gerät hat einen neuen Namen.',
      paused: 'Der Austausch ist pausiert.',
      resumed: 'Der Austausch geht weiter.',
      removed: 'Das Gerät ist entfernt. Es wurde benachrichtigt.',
      removedLater: 'Das Gerät ist entfernt. Es war nicht erreichbar; es wird benachrichtigt, wenn es sich das nächste Mal verbindet.',
      cancelled: 'Die Kopplung ist abgebrochen. Ihr Link gilt nicht mehr.',
      taken: 'Die gewählte Fassung gilt. Ihre anderen Geräte erhalten sie als Änderung.',
    },
    removeTitle: (name) => `${name} entfernen?`,
    removeHere: 'Dieses Gerät behält alles und tauscht mit dem anderen keine Änderungen mehr aus.',
    removeThere: (name) => `${name} behält seine Kopie, wie sie jetzt ist. Eine gegebene Kopie lässt sich nicht zurückholen: Sollen dort Daten gelöscht werden, löschen Sie sie, bevor Sie das Gerät entfernen.`,
    removePending: (count) => `Noch nicht gesendet: ${count} Änderungen. Das andere Gerät erhält sie nicht.`,
    removeBehind: (count) => `Noch nicht empfangen: ${count} Änderungen. Dieses Gerät erhält sie nicht.`,
    removeNotify: 'Das andere Gerät wird jetzt benachrichtigt, wenn es erreichbar ist, sonst bei seiner nächsten Verbindung. Um wieder auszutauschen, koppeln Sie beide neu.',
    removeButton: 'Gerät entfernen',
  },
}
