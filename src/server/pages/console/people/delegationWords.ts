/** Texts of the page about delegations. */
import type { InLanguages } from '../../../base/words.js'

interface DelegationWords {
  off: string
  delegates: string
  delegatesText: string
  noDelegates: string
  managed: string
  managedText: string
  noManaged: string
  status: { invite: string; active: string; stale: string }
  invitesYou(name: string): string
  asked: string
  since: string
  until: string
  lastToken: string
  open: string
  accept: string
  refuse: string
  cancel: string
  detach: string
  dismiss: string
  invite: string
  inviteText: string
  username: string
  send: string
  invited(name: string): string
  accepted(name: string): string
  ended: string
  endTitles: { refuse: string; cancel: string; detach: string; dismiss: string }
  endTexts: Readonly<Record<'refuse' | 'cancel' | 'detach' | 'dismiss', (name: string) => string>>
  endsToo(count: number): string
  keep: string
  keepText: string
  gone: string
  unknown: string
  self: string
  already: string
  notDelivered: string
  ownerOnly: string
  expired: string
  create: string
  createText: string
  email: string
  createButton: string
  created(name: string): string
}

export const delegationWords: InLanguages<DelegationWords> = {
  en: {
    off: 'Delegations are switched off on this node.',
    delegates: 'Who acts for you',
    delegatesText: 'A delegate can do everything in this account except end the delegation.',
    noDelegates: 'You have no delegates.',
    managed: 'For whom you act',
    managedText: 'You can open these accounts and do everything in them, in the name of their owner.',
    noManaged: 'You manage no other account.',
    status: { invite: 'invited', active: 'active', stale: 'ended there' },
    invitesYou: (name) => `${name} invites you to manage their account.`,
    asked: 'Invited',
    since: 'Since',
    until: 'Invitation valid until',
    lastToken: 'Last opened',
    open: 'Open the account',
    accept: 'Accept',
    refuse: 'Refuse',
    cancel: 'Cancel the invitation',
    detach: 'End the delegation',
    dismiss: 'Remove from the list',
    invite: 'Invite a person to act for you',
    inviteText: 'The person needs an account here. The invitation is valid for 30 days.',
    username: 'User name',
    send: 'Invite',
    invited: (name) => `${name} is invited.`,
    accepted: (name) => `You now act for ${name}.`,
    ended: 'Done.',
    endTitles: {
      refuse: 'Refuse this invitation?',
      cancel: 'Cancel this invitation?',
      detach: 'End this delegation?',
      dismiss: 'Remove this account from the list?',
    },
    endTexts: {
      refuse: (name) => `You will not manage the account of ${name}. They can invite you again.`,
      cancel: (name) => `${name} can no longer accept it.`,
      detach: (name) => `${name} can no longer open this account. This takes effect immediately. Data that was already read cannot be taken back.`,
      dismiss: (name) => `${name} has ended the delegation. Only your list changes.`,
    },
    endsToo: (count) => (count === 1 ? 'One access that the delegate gave to others ends too:' : `${count} accesses that the delegate gave to others end too:`),
    keep: 'Keep as it is',
    keepText: 'Consents that you tick stay, as consents of your own.',
    gone: 'This delegation no longer exists.',
    unknown: 'There is no account with this user name.',
    self: 'This is your own account.',
    already: 'This account acts for you already, or is invited.',
    notDelivered: 'The other account could not be reached. Try again later.',
    ownerOnly: 'Only the owner of the account can do this, signed in with their own password.',
    expired: 'The invitation is no longer valid. Ask for a new one.',
    create: 'Create an account for another person',
    createText: 'For a child or a relative without an account. You act for it; it has no password.',
    email: 'E-mail address (optional)',
    createButton: 'Create the account',
    created: (name) => `The account ${name} was created. You act for it.`,
  },
  fr: {
    off: 'Les délégations sont désactivées sur ce nœud.',
    delegates: 'Qui agit pour vous',
    delegatesText: 'Un délégué peut tout faire dans ce compte, sauf mettre fin à la délégation.',
    noDelegates: 'Personne n’agit pour vous.',
    managed: 'Pour qui vous agissez',
    managedText: 'Vous pouvez ouvrir ces comptes et tout y faire, au nom de leur propriétaire.',
    noManaged: 'Vous n’agissez pour personne.',
    status: { invite: 'invité', active: 'actif', stale: 'terminé là-bas' },
    invitesYou: (name) => `${name} vous invite à gérer son compte.`,
    asked: 'Invité',
    since: 'Depuis',
    until: 'Invitation valable jusqu’au',
    lastToken: 'Dernière ouverture',
    open: 'Ouvrir le compte',
    accept: 'Accepter',
    refuse: 'Refuser',
    cancel: 'Annuler l’invitation',
    detach: 'Mettre fin à la délégation',
    dismiss: 'Retirer de la liste',
    invite: 'Inviter quelqu’un à agir pour vous',
    inviteText: 'La personne doit avoir un compte ici. L’invitation est valable 30 jours.',
    username: 'Nom d’utilisateur',
    send: 'Inviter',
    invited: (name) => `${name} est invité.`,
    accepted: (name) => `Vous agissez maintenant pour ${name}.`,
    ended: 'C’est fait.',
    endTitles: {
      refuse: 'Refuser cette invitation ?',
      cancel: 'Annuler cette invitation ?',
      detach: 'Mettre fin à cette délégation ?',
      dismiss: 'Retirer ce compte de la liste ?',
    },
    endTexts: {
      refuse: (name) => `Vous ne gérerez pas le compte de ${name}, qui peut vous inviter à nouveau.`,
      cancel: (name) => `${name} ne pourra plus l’accepter.`,
      detach: (name) => `${name} ne pourra plus ouvrir ce compte, avec effet immédiat. Les données déjà lues ne peuvent pas être reprises.`,
      dismiss: (name) => `${name} a mis fin à la délégation. Seule votre liste change.`,
    },
    endsToo: (count) => (count === 1 ? 'Un accès que le délégué a donné prend fin aussi :' : `${count} accès que le délégué a donnés prennent fin aussi :`),
    keep: 'Ne rien changer',
    keepText: 'Les consentements que vous cochez restent, comme les vôtres.',
    gone: 'Cette délégation n’existe plus.',
    unknown: 'Aucun compte ne porte ce nom d’utilisateur.',
    self: 'C’est votre propre compte.',
    already: 'Ce compte agit déjà pour vous, ou est invité.',
    notDelivered: 'L’autre compte n’a pas pu être joint. Réessayez plus tard.',
    ownerOnly: 'Seul le propriétaire du compte peut le faire, connecté avec son propre mot de passe.',
    expired: 'L’invitation n’est plus valable. Demandez-en une nouvelle.',
    create: 'Créer un compte pour quelqu’un d’autre',
    createText: 'Pour un enfant ou un proche sans compte. Vous agissez pour lui ; personne ne s’y connecte avec un mot de passe.',
    email: 'Adresse e-mail (facultative)',
    createButton: 'Créer le compte',
    created: (name) => `Le compte ${name} a été créé. Vous agissez pour lui.`,
  },
  de: {
    off: 'Vertretungen sind auf diesem Knoten ausgeschaltet.',
    delegates: 'Wer Sie vertritt',
    delegatesText: 'Eine Vertretung darf alles in diesem Konto, ausser die Vertretung beenden.',
    noDelegates: 'Niemand vertritt Sie.',
    managed: 'Wen Sie vertreten',
    managedText: 'Sie können diese Konten öffnen und alles darin tun, im Namen des Besitzers.',
    noManaged: 'Sie vertreten niemanden.',
    status: { invite: 'eingeladen', active: 'aktiv', stale: 'dort beendet' },
    invitesYou: (name) => `${name} lädt Sie ein, sein Konto zu verwalten.`,
    asked: 'Eingeladen',
    since: 'Seit',
    until: 'Einladung gültig bis',
    lastToken: 'Zuletzt geöffnet',
    open: 'Konto öffnen',
    accept: 'Annehmen',
    refuse: 'Ablehnen',
    cancel: 'Einladung zurückziehen',
    detach: 'Vertretung beenden',
    dismiss: 'Aus der Liste entfernen',
    invite: 'Jemanden einladen, Sie zu vertreten',
    inviteText: 'Die Person braucht hier ein Konto. Die Einladung gilt 30 Tage.',
    username: 'Benutzername',
    send: 'Einladen',
    invited: (name) => `${name} ist eingeladen.`,
    accepted: (name) => `Sie vertreten jetzt ${name}.`,
    ended: 'Erledigt.',
    endTitles: {
      refuse: 'Diese Einladung ablehnen?',
      cancel: 'Diese Einladung zurückziehen?',
      detach: 'Diese Vertretung beenden?',
      dismiss: 'Dieses Konto aus der Liste entfernen?',
    },
    endTexts: {
      refuse: (name) => `Sie verwalten das Konto von ${name} nicht. Sie können wieder eingeladen werden.`,
      cancel: (name) => `${name} kann sie nicht mehr annehmen.`,
      detach: (name) => `${name} kann dieses Konto sofort nicht mehr öffnen. Bereits gelesene Daten lassen sich nicht zurückholen.`,
      dismiss: (name) => `${name} hat die Vertretung beendet. Nur Ihre Liste ändert sich.`,
    },
    endsToo: (count) => (count === 1 ? 'Ein Zugriff, den die Vertretung gegeben hat, endet auch:' : `${count} Zugriffe, die die Vertretung gegeben hat, enden auch:`),
    keep: 'Nichts ändern',
    keepText: 'Einwilligungen, die Sie ankreuzen, bleiben als Ihre eigenen.',
    gone: 'Diese Vertretung gibt es nicht mehr.',
    unknown: 'Es gibt kein Konto mit diesem Benutzernamen.',
    self: 'Das ist Ihr eigenes Konto.',
    already: 'Dieses Konto vertritt Sie schon oder ist eingeladen.',
    notDelivered: 'Das andere Konto war nicht erreichbar. Versuchen Sie es später wieder.',
    ownerOnly: 'Das kann nur der Besitzer des Kontos tun, angemeldet mit seinem eigenen Passwort.',
    expired: 'Die Einladung gilt nicht mehr. Bitten Sie um eine neue.',
    create: 'Ein Konto für jemand anderen erstellen',
    createText: 'Für ein Kind oder eine Angehörige ohne Konto. Sie vertreten es; niemand meldet sich dort mit einem Passwort an.',
    email: 'E-Mail-Adresse (freiwillig)',
    createButton: 'Konto erstellen',
    created: (name) => `Das Konto ${name} wurde erstellt. Sie vertreten es.`,
  },
}
