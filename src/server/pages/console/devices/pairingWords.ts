/** Texts of the pages that pair devices. */
import type { InLanguages } from '../../../base/words.js'

interface PairingWords {
  pairTitle: string
  pairText: string
  createTitle: string
  createText: string
  createButton: string
  acceptTitle: string
  acceptText: string
  link: string
  acceptButton: string
  linkMissing: string
  pairingTitle: string
  offeredText: string
  offeredStep: string
  commandStep: string
  qr: string
  qrText: string
  secret: string
  isLocal(address: string): string
  validUntil(when: string): string
  cancel: string
  checkAgain: string
  metTitle(name: string): string
  metText: string
  words: string
  same: string
  different: string
  confirmedText: string
  pairedText(name: string): string
  toDevice: string
  failedText: string
  pairAgain: string
  pairingGone: string
}

export const pairingWords: InLanguages<PairingWords> = {
  en: {
    pairTitle: 'Pair a device',
    pairText: 'Both devices need this software. One creates a link, the other uses it. Then both show the same three words.',
    createTitle: 'Create a link here',
    createText: 'The other device gets a copy of the whole account. Passwords, sessions and second factors stay on each device.',
    createButton: 'Create a link',
    acceptTitle: 'Use a link of the other device',
    acceptText: 'Paste the link that the other device shows. What it shares is merged into this account.',
    link: 'Link',
    acceptButton: 'Connect',
    linkMissing: 'Paste a link that starts with coffer:pair/',
    pairingTitle: 'Pair a device',
    offeredText: 'On the other device, open Devices, Pair a device, and paste this link. Keep the link secret: it gives access to the account.',
    offeredStep: 'Link for the other device',
    commandStep: 'Or run this command there; it creates the account if needed:',
    qr: 'QR code of the pairing link',
    qrText: 'A camera app shows the content of the code as text, to be copied to the other device.',
    secret: 'The link works for one device.',
    isLocal: (address) => `The link contains ${address}, which only this machine reaches. For other machines, the operator sets the address of this node (dnsLess.publicUrl).`,
    validUntil: (when) => `Valid until ${when}.`,
    cancel: 'Cancel pairing',
    checkAgain: 'Check again',
    metTitle: (name) => `Compare with ${name}`,
    metText: 'Both screens must show the same three words. If they differ, another person used the link: do not confirm.',
    words: 'Words',
    same: 'The words are the same',
    different: 'They differ',
    confirmedText: 'You confirmed. Confirm on the other device, too.',
    pairedText: (name) => `Paired with ${name}. The first exchange has begun.`,
    toDevice: 'Show the device',
    failedText: 'The devices are not paired.',
    pairAgain: 'Start again',
    pairingGone: 'This pairing is over.',
  },
  fr: {
    pairTitle: 'Associer un appareil',
    pairText: 'Les deux appareils ont besoin de ce logiciel. L’un crée un lien, l’autre l’utilise. Ensuite, les deux affichent les mêmes trois mots.',
    createTitle: 'Créer un lien ici',
    createText: 'L’autre appareil reçoit une copie du compte entier. Mots de passe, sessions et seconds facteurs restent sur chaque appareil.',
    createButton: 'Créer un lien',
    acceptTitle: 'Utiliser un lien de l’autre appareil',
    acceptText: 'Collez le lien que l’autre appareil affiche. Ce qu’il partage est fusionné dans ce compte.',
    link: 'Lien',
    acceptButton: 'Connecter',
    linkMissing: 'Collez un lien qui commence par coffer:pair/',
    pairingTitle: 'Associer un appareil',
    offeredText: 'Sur l’autre appareil, ouvrez Appareils, Associer un appareil, et collez ce lien. Gardez-le secret : il donne accès au compte.',
    offeredStep: 'Lien pour l’autre appareil',
    commandStep: 'Ou exécutez-y cette commande ; elle crée le compte si nécessaire :',
    qr: 'Code QR du lien d’association',
    qrText: 'Une app d’appareil photo affiche le contenu du code comme texte, à copier sur l’autre appareil.',
    secret: 'Le lien vaut pour un appareil.',
    isLocal: (address) => `Le lien contient ${address}, que seule cette machine atteint. Pour d’autres machines, l’exploitant règle l’adresse de ce nœud (dnsLess.publicUrl).`,
    validUntil: (when) => `Valable jusqu’à ${when}.`,
    cancel: 'Annuler l’association',
    checkAgain: 'Vérifier de nouveau',
    metTitle: (name) => `Comparer avec ${name}`,
    metText: 'Les deux écrans doivent afficher les mêmes trois mots. S’ils diffèrent, quelqu’un d’autre a utilisé le lien : ne confirmez pas.',
    words: 'Mots',
    same: 'Les mots sont les mêmes',
    different: 'Ils diffèrent',
    confirmedText: 'Vous avez confirmé. Confirmez aussi sur l’autre appareil.',
    pairedText: (name) => `Associé à ${name}. Le premier échange a commencé.`,
    toDevice: 'Afficher l’appareil',
    failedText: 'Les appareils ne sont pas associés.',
    pairAgain: 'Recommencer',
    pairingGone: 'Cette association est terminée.',
  },
  de: {
    pairTitle: 'Gerät koppeln',
    pairText: 'Beide Geräte brauchen diese Software. Eines erstellt einen Link, das andere verwendet ihn. Danach zeigen beide dieselben drei Wörter.',
    createTitle: 'Hier einen Link erstellen',
    createText: 'Das andere Gerät erhält eine Kopie des ganzen Kontos. Passwörter, Sitzungen und zweite Faktoren bleiben auf jedem Gerät.',
    createButton: 'Link erstellen',
    acceptTitle: 'Einen Link des anderen Geräts verwenden',
    acceptText: 'Fügen Sie den Link ein, den das andere Gerät zeigt. Was es teilt, wird mit diesem Konto zusammengeführt.',
    link: 'Link',
    acceptButton: 'Verbinden',
    linkMissing: 'Fügen Sie einen Link ein, der mit coffer:pair/ beginnt',
    pairingTitle: 'Gerät koppeln',
    offeredText: 'Öffnen Sie auf dem anderen Gerät Geräte, Gerät koppeln, und fügen Sie diesen Link ein. Halten Sie ihn geheim: Er gibt Zugang zum Konto.',
    offeredStep: 'Link für das andere Gerät',
    commandStep: 'Oder führen Sie dort diesen Befehl aus; er erstellt das Konto, wenn nötig:',
    qr: 'QR-Code des Links',
    qrText: 'Eine Kamera-App zeigt den Inhalt des Codes als Text, zum Kopieren auf das andere Gerät.',
    secret: 'Der Link gilt für ein Gerät.',
    isLocal: (address) => `Der Link enthält ${address}, was nur dieser Rechner erreicht. Für andere Rechner legt der Betreiber die Adresse dieses Knotens fest (dnsLess.publicUrl).`,
    validUntil: (when) => `Gültig bis ${when}.`,
    cancel: 'Kopplung abbrechen',
    checkAgain: 'Nochmals prüfen',
    metTitle: (name) => `Mit ${name} vergleichen`,
    metText: 'Beide Bildschirme müssen dieselben drei Wörter zeigen. Sind sie verschieden, hat jemand anders den Link verwendet: Bestätigen Sie nicht.',
    words: 'Wörter',
    same: 'Die Wörter sind gleich',
    different: 'Sie sind verschieden',
    confirmedText: 'Sie haben bestätigt. Bestätigen Sie auch auf dem anderen Gerät.',
    pairedText: (name) => `Mit ${name} gekoppelt. Der erste Austausch hat begonnen.`,
    toDevice: 'Gerät anzeigen',
    failedText: 'Die Geräte sind nicht gekoppelt.',
    pairAgain: 'Neu beginnen',
    pairingGone: 'Diese Kopplung ist vorbei.',
  },
}
