/** Texts of the consent page in every language. Fragments complete "The app will be able to:", so they start in lower case. */
import type { Level } from '../../../store/model/access.js'
import type { GrantReason } from '../../../store/model/consent.js'
import type { InLanguages } from '../../base/words.js'
import type { Obstacle } from './offer.js'

export interface ConsentTerms {
  title(app: string, username: string): string
  listedApp(id: string): string
  unlistedApp(id: string): string
  message: string
  will: string
  willOnly: string
  choose: string
  nothing: string
  quoted(name: string): string
  everything: string
  tagged(tag: string): string
  /** Channels of a relationship that the other account may write to; `peer` is that account, by its stream name. */
  inbox: string
  chats(peer: string): string
  collectors(peer: string): string
  levels: Readonly<Record<Level, (what: string) => string>>
  features: Readonly<Record<string, Readonly<Record<'forbidden' | 'allowed', string>>>>
  forcedStreams(streams: string): string
  otherFeature(feature: string, setting: string): string
  required: string
  newStream: string
  trashedStream: string
  lasts(span: string): string
  lastsOn: string
  granted: string
  grantedUntil(date: string): string
  replaces: string
  sharesEnd(count: number): string
  nameConflict(name: string): string
  device(name: string): string
  obstacles: Readonly<Record<Obstacle['kind'], string>>
  problems: Readonly<Record<GrantReason, string>>
  accept: string
  refuse: string
}

export const consentTerms: InLanguages<ConsentTerms> = {
  en: {
    title: (app, username) => `${app} asks for access to the account ${username}`,
    listedApp: (id) => `The operator of this service lists this app, under the id ${id}.`,
    unlistedApp: (id) => `The operator of this service does not know this app: it calls itself ${id}, which is not verified.`,
    message: 'The app says',
    will: 'The app will be able to:',
    willOnly: 'The app asks for all of this or nothing. It will be able to:',
    choose: 'Choose what the app will be able to do:',
    nothing: 'The app only asks which account this is.',
    quoted: (name) => `“${name}”`,
    everything: 'all your data',
    tagged: (tag) => `what is tagged “${tag}”`,
    inbox: 'write to your inbox of consents, without reading it',
    chats: (peer) => `read and write the messages between you and ${peer}`,
    collectors: (peer) => `send you alerts and requests for more access, in the stream of ${peer}`,
    levels: {
      none: (what) => `not see ${what}`,
      read: (what) => `read ${what}`,
      'create-only': (what) => `write to ${what}, without reading it`,
      contribute: (what) => `read, add to and modify ${what}`,
      manage: (what) => `fully manage ${what}: read, add, modify and delete, with all streams in it`,
    },
    features: {
      selfRevoke: { forbidden: 'but not revoke its own access', allowed: 'revoke its own access' },
      selfAudit: { forbidden: 'but not read the audit log of its calls', allowed: 'read the audit log of its calls' },
      secretSharing: { forbidden: 'but not share secrets', allowed: 'share secrets' },
      webhooks: { forbidden: 'but not set up webhooks that notify URLs of changes', allowed: 'set up webhooks that notify URLs of changes' },
    },
    forcedStreams: (streams) => `see only what is also in ${streams}`,
    otherFeature: (feature, setting) => `${feature}: ${setting}`,
    required: 'required',
    newStream: 'does not exist yet: it will be created',
    trashedStream: 'in the trash: it will be restored',
    lasts: (span) => `How long: ${span}.`,
    lastsOn: 'How long: until you withdraw it.',
    granted: 'The app has this access already. Nothing changes for it when you accept.',
    grantedUntil: (date) => `The access that it has ends on ${date}.`,
    replaces: 'The app has another access already. It ends when you accept, and this one takes its place.',
    sharesEnd: (count) => (count === 1 ? 'The access that the app has shared with one other ends too.' : `The accesses that the app has shared with ${count} others end too.`),
    nameConflict: (name) => `Another stream is called “${name}” already, so the new one gets a number.`,
    device: (name) => `For the device: ${name}.`,
    obstacles: {
      'managed-account': 'The app requires an account managed for someone else, and you are not acting for one. You can only refuse.',
      'mandatory-invite': 'The app requires a consent to another account that cannot be given. You can only refuse.',
      impossible: 'The app requests permissions that cannot be granted. You can only refuse.',
    },
    problems: {
      'token-invalid': 'The access could not be verified.',
      'not-app-access': 'This is not the access of an app.',
      'empty-grant': 'Nothing is selected. Select something, or refuse.',
      'not-subset': 'Without the entries you left out, the app could do more than it requests. Select them, or leave out more.',
      'choice-not-allowed': 'The app asks for all of this or nothing.',
      'mandatory-refused': 'An entry that the app requires is not selected.',
    },
    accept: 'Accept',
    refuse: 'Refuse',
  },
  fr: {
    title: (app, username) => `${app} demande l’accès au compte ${username}`,
    listedApp: (id) => `L’exploitant de ce service connaît cette application, sous l’identifiant ${id}.`,
    unlistedApp: (id) =>
      `L’exploitant de ce service ne connaît pas cette application : elle se nomme ${id}, ce qui n’est pas vérifié.`,
    message: 'L’application dit',
    will: 'L’application pourra :',
    willOnly: 'L’application demande tout cela ou rien. Elle pourra :',
    choose: 'Choisissez ce que l’application pourra faire :',
    nothing: 'L’application demande seulement à savoir de quel compte il s’agit.',
    quoted: (name) => `« ${name} »`,
    everything: 'toutes vos données',
    tagged: (tag) => `ce qui porte l’étiquette « ${tag} »`,
    inbox: 'écrire dans votre boîte de consentements, sans la lire',
    chats: (peer) => `lire et écrire les messages entre vous et ${peer}`,
    collectors: (peer) => `vous envoyer des alertes et des demandes d’accès, dans le flux de ${peer}`,
    levels: {
      none: (what) => `ne pas voir ${what}`,
      read: (what) => `lire ${what}`,
      'create-only': (what) => `ajouter sans pouvoir lire : ${what}`,
      contribute: (what) => `lire, compléter et modifier ${what}`,
      manage: (what) => `gérer entièrement ${what} : lire, ajouter, modifier et supprimer, avec tous ses sous-flux`,
    },
    features: {
      selfRevoke: { forbidden: 'mais pas révoquer son propre accès', allowed: 'révoquer son propre accès' },
      selfAudit: { forbidden: 'mais pas lire le journal d’audit de ses appels', allowed: 'lire le journal d’audit de ses appels' },
      secretSharing: { forbidden: 'mais pas transmettre de secrets', allowed: 'transmettre des secrets' },
      webhooks: {
        forbidden: 'mais pas créer des webhooks qui notifient des changements',
        allowed: 'créer des webhooks qui notifient des changements',
      },
    },
    forcedStreams: (streams) => `voir seulement ce qui se trouve aussi dans ${streams}`,
    otherFeature: (feature, setting) => `${feature} : ${setting}`,
    required: 'obligatoire',
    newStream: 'n’existe pas encore : ce flux sera créé',
    trashedStream: 'dans la corbeille : ce flux sera restauré',
    lasts: (span) => `Durée : ${span}.`,
    lastsOn: 'Durée : jusqu’à ce que vous retiriez cet accès.',
    granted: 'L’application a déjà cet accès. Rien ne change pour elle si vous acceptez.',
    grantedUntil: (date) => `L’accès qu’elle possède prend fin le ${date}.`,
    replaces: 'L’application a déjà un autre accès. Il prend fin si vous acceptez, et celui-ci le remplace.',
    sharesEnd: (count) =>
      count === 1
        ? 'Ce que l’application a partagé avec une autre personne prend fin aussi.'
        : `Ce que l’application a partagé avec ${count} autres personnes prend fin aussi.`,
    nameConflict: (name) => `Un autre flux se nomme déjà « ${name} » : le nouveau reçoit un numéro.`,
    device: (name) => `Pour l’appareil : ${name}.`,
    obstacles: {
      'managed-account':
        'L’application exige un compte géré pour quelqu’un d’autre, et vous n’agissez pas pour un tel compte : vous ne pouvez que refuser.',
      'mandatory-invite':
        'L’application exige un consentement envers un autre compte, qui ne peut pas être donné : vous ne pouvez que refuser.',
      impossible: 'L’application demande des droits qui ne peuvent pas être accordés : vous ne pouvez que refuser.',
    },
    problems: {
      'token-invalid': 'L’accès n’a pas pu être vérifié.',
      'not-app-access': 'Ce n’est pas l’accès d’une application.',
      'empty-grant': 'Rien n’est coché. Cochez quelque chose, ou refusez.',
      'not-subset': 'Sans ce que vous avez omis, l’application pourrait faire plus qu’elle ne demande. Cochez-le, ou omettez davantage.',
      'choice-not-allowed': 'L’application demande tout cela ou rien.',
      'mandatory-refused': 'Quelque chose d’obligatoire n’est pas coché.',
    },
    accept: 'Accepter',
    refuse: 'Refuser',
  },
  de: {
    title: (app, username) => `${app} bittet um Zugriff auf das Konto ${username}`,
    listedApp: (id) => `Der Betreiber dieses Dienstes führt diese App unter der Kennung ${id}.`,
    unlistedApp: (id) => `Der Betreiber dieses Dienstes kennt diese App nicht: Sie nennt sich ${id}, was nicht überprüft ist.`,
    message: 'Die App sagt',
    will: 'Die App wird Folgendes können:',
    willOnly: 'Die App verlangt alles oder nichts. Sie wird Folgendes können:',
    choose: 'Wählen Sie, was die App können wird:',
    nothing: 'Die App möchte nur wissen, welches Konto dies ist.',
    quoted: (name) => `„${name}“`,
    everything: 'alle Ihre Daten',
    tagged: (tag) => `alles mit dem Schlagwort „${tag}“`,
    inbox: 'in Ihren Posteingang für Einwilligungen schreiben, ohne ihn zu lesen',
    chats: (peer) => `die Nachrichten zwischen Ihnen und ${peer} lesen und schreiben`,
    collectors: (peer) => `Ihnen Hinweise und Bitten um mehr Zugriff schicken, im Stream von ${peer}`,
    levels: {
      none: (what) => `${what} nicht sehen`,
      read: (what) => `${what} lesen`,
      'create-only': (what) => `hinzufügen, ohne lesen zu können: ${what}`,
      contribute: (what) => `${what} lesen, ergänzen und ändern`,
      manage: (what) => `${what} vollständig verwalten: lesen, ergänzen, ändern und löschen, mit allem darin`,
    },
    features: {
      selfRevoke: { forbidden: 'aber ihren eigenen Zugriff nicht widerrufen', allowed: 'ihren eigenen Zugriff widerrufen' },
      selfAudit: { forbidden: 'aber das Protokoll ihrer Aufrufe nicht lesen', allowed: 'das Protokoll ihrer Aufrufe lesen' },
      secretSharing: { forbidden: 'aber keine Geheimnisse übergeben', allowed: 'Geheimnisse übergeben' },
      webhooks: {
        forbidden: 'aber keine Webhooks einrichten, die über Änderungen benachrichtigen',
        allowed: 'Webhooks einrichten, die über Änderungen benachrichtigen',
      },
    },
    forcedStreams: (streams) => `nur sehen, was auch in ${streams} liegt`,
    otherFeature: (feature, setting) => `${feature}: ${setting}`,
    required: 'erforderlich',
    newStream: 'noch nicht vorhanden: wird angelegt',
    trashedStream: 'im Papierkorb: wird wiederhergestellt',
    lasts: (span) => `Dauer: ${span}.`,
    lastsOn: 'Dauer: bis Sie den Zugriff zurücknehmen.',
    granted: 'Die App hat diesen Zugriff schon. Für sie ändert sich nichts, wenn Sie annehmen.',
    grantedUntil: (date) => `Der Zugriff, den sie hat, endet am ${date}.`,
    replaces: 'Die App hat schon einen anderen Zugriff. Er endet, wenn Sie annehmen, und dieser tritt an seine Stelle.',
    sharesEnd: (count) =>
      count === 1 ? 'Auch was die App mit jemandem geteilt hat, endet.' : `Auch was die App mit ${count} anderen geteilt hat, endet.`,
    nameConflict: (name) => `Ein anderer Stream heißt schon „${name}“: Der neue bekommt eine Nummer.`,
    device: (name) => `Für das Gerät: ${name}.`,
    obstacles: {
      'managed-account': 'Die App verlangt ein Konto, das für jemand anderen verwaltet wird, und Sie handeln hier für kein solches; Sie können nur ablehnen.',
      'mandatory-invite': 'Die App besteht auf einer Einwilligung gegenüber einem anderen Konto, die nicht gegeben werden kann; Sie können nur ablehnen.',
      impossible: 'Die App verlangt Rechte, die nicht gewährt werden können; Sie können nur ablehnen.',
    },
    problems: {
      'token-invalid': 'Der Zugriff konnte nicht geprüft werden.',
      'not-app-access': 'Dies ist nicht der Zugriff einer App.',
      'empty-grant': 'Nichts ist angekreuzt. Kreuzen Sie etwas an, oder lehnen Sie ab.',
      'not-subset':
        'Ohne das Weggelassene könnte die App mehr, als sie verlangt. Kreuzen Sie es an, oder lassen Sie mehr weg.',
      'choice-not-allowed': 'Die App verlangt alles oder nichts.',
      'mandatory-refused': 'Etwas Erforderliches ist nicht angekreuzt.',
    },
    accept: 'Annehmen',
    refuse: 'Ablehnen',
  },
}
