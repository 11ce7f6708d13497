/** Texts of the page of an account address, and of a link to an account. */
import type { InLanguages } from '../../base/words.js'

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
  use: string
  useText: string
  secret: string
  loopback: string
  withoutKey: string
  goneTitle: string
  gone(username: string): string
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
    use: 'Use it',
    useText: 'Paste the link into an app, where it asks for an API endpoint or a link.',
    secret: 'Anyone who has the link can use it. Do not pass it on; ask the owner to revoke it if it is lost.',
    loopback: 'This link leads to the computer on which it is opened. It does not work on other computers or phones.',
    withoutKey: 'This address contains no key. Open the complete link, as you received it.',
    goneTitle: 'This link is no longer valid',
    gone: (username) => `It was revoked, has expired or is incomplete. Ask ${username} for a new one.`,
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
    use: 'L’utiliser',
    useText: 'Collez le lien dans une application, là où elle demande un point d’accès de l’API ou un lien.',
    secret: 'Toute personne qui a le lien peut l’utiliser. Ne le transmettez pas ; s’il est perdu, demandez au propriétaire de le retirer.',
    loopback: 'Ce lien mène à l’ordinateur sur lequel il est ouvert. Il ne fonctionne pas sur d’autres ordinateurs ou téléphones.',
    withoutKey: 'Cette adresse ne contient pas de clé. Ouvrez le lien complet, tel que vous l’avez reçu.',
    goneTitle: 'Ce lien n’est plus valable',
    gone: (username) => `Il a été retiré, a expiré ou est incomplet. Demandez-en un nouveau à ${username}.`,
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
    use: 'So verwenden Sie ihn',
    useText: 'Fügen Sie den Link in einer App ein, wo sie nach einem API-Endpunkt oder einem Link fragt.',
    secret: 'Wer den Link hat, kann ihn verwenden. Geben Sie ihn nicht weiter; wenn er verloren geht, bitten Sie den Besitzer, ihn zu widerrufen.',
    loopback: 'Dieser Link führt zu dem Computer, auf dem er geöffnet wird. Auf anderen Computern und Telefonen funktioniert er nicht.',
    withoutKey: 'Diese Adresse enthält keinen Schlüssel. Öffnen Sie den vollständigen Link, so wie Sie ihn erhalten haben.',
    goneTitle: 'Dieser Link ist nicht mehr gültig',
    gone: (username) => `Er wurde widerrufen, ist abgelaufen oder unvollständig. Bitten Sie ${username} um einen neuen.`,
  },
}
