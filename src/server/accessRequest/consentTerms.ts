/** The terms of consent in every language. Fragments complete "The app will be able to:", so they begin in lower case. */
import type { Level } from '../../store/model/access.js'
import type { GrantReason } from '../../store/model/consent.js'
import type { InLanguages } from '../base/words.js'
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
  /** What the other account of a relationship may write to; `peer` is that account, as its stream is called. */
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
    unlistedApp: (id) => `The operator of this service does not know this app: it calls itself ${id}, and nobody has verified that.`,
    message: 'The app says',
    will: 'The app will be able to:',
    willOnly: 'The app asks for all of this or nothing. It will be able to:',
    choose: 'Choose what the app will be able to do:',
    nothing: 'The app asks for nothing but to know which account this is.',
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
      selfRevoke: { forbidden: 'but not give this access up by itself', allowed: 'give this access up by itself' },
      selfAudit: { forbidden: 'but not see what is recorded of its calls', allowed: 'see what is recorded of its calls' },
      secretSharing: { forbidden: 'but not hand over secrets', allowed: 'hand over secrets' },
      webhooks: { forbidden: 'but not have web addresses told about changes', allowed: 'have web addresses told about changes' },
    },
    forcedStreams: (streams) => `see only what is also in ${streams}`,
    otherFeature: (feature, setting) => `${feature}: ${setting}`,
    required: 'required',
    newStream: 'not there yet: it will be made',
    trashedStream: 'in the trash: it will be brought back',
    lasts: (span) => `How long: ${span}.`,
    lastsOn: 'How long: until you withdraw it.',
    granted: 'The app has this access already. Nothing changes for it when you accept.',
    grantedUntil: (date) => `The access that it has ends on ${date}.`,
    replaces: 'The app has another access already. It ends when you accept, and this one takes its place.',
    sharesEnd: (count) => (count === 1 ? 'What the app has shared with one other ends too.' : `What the app has shared with ${count} others ends too.`),
    nameConflict: (name) => `Another stream is called “${name}” already, so the new one gets a number.`,
    device: (name) => `For the device: ${name}.`,
    obstacles: {
      'managed-account': 'The app asks for an account that is managed for somebody, and nobody acts for one here. So this can only be refused.',
      'mandatory-invite': 'The app insists on a consent to another account, which cannot be given. So this can only be refused.',
      impossible: 'What the app asks for cannot be given. So this can only be refused.',
    },
    problems: {
      'token-invalid': 'The access could not be verified.',
      'not-app-access': 'This is not the access of an app.',
      'empty-grant': 'Nothing is ticked. Tick something, or refuse.',
      'not-subset': 'Without what you left out, the app could do more than it asks for. Tick it, or leave out more.',
      'choice-not-allowed': 'The app asks for all of this or nothing.',
      'mandatory-refused': 'Something that the app requires is not ticked.',
    },
    accept: 'Accept',
    refuse: 'Refuse',
  },
  fr: {
    title: (app, username) => `${app} demande l’accès au compte ${username}`,
    listedApp: (id) => `L’exploitant de ce service connaît cette application, sous l’identifiant ${id}.`,
    unlistedApp: (id) =>
      `L’exploitant de ce service ne connaît pas cette application : elle se nomme ${id}, et personne ne l’a vérifié.`,
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
      selfRevoke: { forbidden: 'mais pas renoncer d’elle-même à cet accès', allowed: 'renoncer d’elle-même à cet accès' },
      selfAudit: { forbidden: 'mais pas voir ce qui est consigné de ses appels', allowed: 'voir ce qui est consigné de ses appels' },
      secretSharing: { forbidden: 'mais pas transmettre de secrets', allowed: 'transmettre des secrets' },
      webhooks: {
        forbidden: 'mais pas faire avertir des adresses web des changements',
        allowed: 'faire avertir des adresses web des changements',
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
        'L’application demande un compte géré pour quelqu’un, et personne n’agit ici pour un tel compte : vous ne pouvez que refuser.',
      'mandatory-invite':
        'L’application exige un consentement envers un autre compte, qui ne peut pas être donné : vous ne pouvez que refuser.',
      impossible: 'Ce que l’application demande ne peut pas être donné : vous ne pouvez que refuser.',
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
    unlistedApp: (id) => `Der Betreiber dieses Dienstes kennt diese App nicht: Sie nennt sich ${id}, und niemand hat das geprüft.`,
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
      selfRevoke: { forbidden: 'aber diesen Zugriff nicht selbst aufgeben', allowed: 'diesen Zugriff selbst aufgeben' },
      selfAudit: { forbidden: 'aber die Aufzeichnung ihrer Aufrufe nicht sehen', allowed: 'die Aufzeichnung ihrer Aufrufe sehen' },
      secretSharing: { forbidden: 'aber keine Geheimnisse übergeben', allowed: 'Geheimnisse übergeben' },
      webhooks: {
        forbidden: 'aber keine Webadressen von Änderungen benachrichtigen lassen',
        allowed: 'Webadressen von Änderungen benachrichtigen lassen',
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
      'managed-account': 'Die App verlangt ein Konto, das für jemanden verwaltet wird, und niemand handelt hier für ein solches; Sie können nur ablehnen.',
      'mandatory-invite': 'Die App besteht auf einer Einwilligung gegenüber einem anderen Konto, die nicht gegeben werden kann; Sie können nur ablehnen.',
      impossible: 'Was die App verlangt, kann nicht gegeben werden; Sie können nur ablehnen.',
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
