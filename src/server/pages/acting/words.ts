/** Texts about acting for a managed account. */
import type { InLanguages } from '../../base/words.js'

interface ActForWords {
  title: string
  /** Legend of the choices. */
  legend: string
  me: string
  managed: string
  go: string
  choose: string
  /** Heading of the accounts that cannot be chosen. */
  cannot: string
  invited: string
  stale: string
  create: string
  missing(username: string): string
  none: string
  mayCreate: string
  refuse: string
  lost: string
  notManaged(username: string): string
  ended(username: string): string
  unreachable(username: string): string
  elsewhere(username: string): string
  /** Part of the consent page that names the account. */
  acting(username: string): string
  endsWithActing: string
  another: string
  forOther: string
  withdrawn(username: string): string
  newTitle: string
  newWhat: string
  newReach: string
  email: string
  emailWhy: string
  newButton: string
  creationFailed: string
}

export const actForWords: InLanguages<ActForWords> = {
  en: {
    title: 'Who is this for?',
    legend: 'The app gets access to the account of:',
    me: 'me',
    managed: 'an account that you manage',
    go: 'Continue',
    choose: 'Choose an account.',
    cannot: 'Not available',
    invited: 'invited you to manage this account; accept the invitation first',
    stale: 'you no longer manage this account',
    create: 'Create an account for someone else',
    missing: (username) => `The app wants access to the account ${username}, which you do not manage. You can only refuse.`,
    none: 'The app wants access to an account that you manage for someone else, but you manage none.',
    mayCreate: 'You can create one now, or refuse.',
    refuse: 'Refuse',
    lost: 'You can no longer act for the account that you chose. Choose again.',
    notManaged: (username) => `You do not manage the account ${username}.`,
    ended: (username) => `You no longer manage the account ${username}: its owner ended the delegation.`,
    unreachable: (username) => `The account ${username} cannot be reached at the moment. Try again later.`,
    elsewhere: (username) => `The account ${username} is on another node. Open the app with an address of that node.`,
    acting: (username) => `You are answering for the account ${username}, which you manage.`,
    endsWithActing: 'The access ends at the latest when you no longer manage this account.',
    another: 'Choose another account',
    forOther: 'This is for someone else',
    withdrawn: (username) => `You can revoke it at any time in the account ${username}. It ends when you no longer manage that account.`,
    newTitle: 'Create an account for someone else',
    newWhat: 'You will manage this account and answer the requests of apps for it.',
    newReach: 'It has no password, so only you can use it.',
    email: 'E-mail address of the person',
    emailWhy: 'Optional. Anyone who receives mail at this address can set a password later and sign in without you.',
    newButton: 'Create the account',
    creationFailed: 'The account could not be created. Check your input, or try again later.',
  },
  fr: {
    title: 'Pour qui est-ce ?',
    legend: 'L’application reçoit l’accès au compte de :',
    me: 'moi',
    managed: 'un compte que vous gérez',
    go: 'Continuer',
    choose: 'Choisissez un compte.',
    cannot: 'Non disponible',
    invited: 'vous invite à gérer ce compte ; acceptez d’abord l’invitation',
    stale: 'vous ne gérez plus ce compte',
    create: 'Créer un compte pour quelqu’un d’autre',
    missing: (username) => `L’application demande l’accès au compte ${username}, que vous ne gérez pas. Vous ne pouvez que refuser.`,
    none: 'L’application demande l’accès à un compte que vous gérez pour quelqu’un d’autre, mais vous n’en gérez aucun.',
    mayCreate: 'Vous pouvez en créer un maintenant, ou refuser.',
    refuse: 'Refuser',
    lost: 'Vous ne pouvez plus agir pour le compte que vous avez choisi. Choisissez à nouveau.',
    notManaged: (username) => `Vous ne gérez pas le compte ${username}.`,
    ended: (username) => `Vous ne gérez plus le compte ${username} : son propriétaire a mis fin à la délégation.`,
    unreachable: (username) => `Le compte ${username} n’est pas accessible pour le moment. Réessayez plus tard.`,
    elsewhere: (username) => `Le compte ${username} se trouve sur un autre nœud. Ouvrez l’application avec une adresse de ce nœud.`,
    acting: (username) => `Vous répondez pour le compte ${username}, que vous gérez.`,
    endsWithActing: 'L’accès prend fin au plus tard quand vous ne gérez plus ce compte.',
    another: 'Choisir un autre compte',
    forOther: 'C’est pour quelqu’un d’autre',
    withdrawn: (username) =>
      `Vous pouvez le retirer à tout moment dans le compte ${username}. Il prend fin quand vous ne gérez plus ce compte.`,
    newTitle: 'Créer un compte pour quelqu’un d’autre',
    newWhat: 'Vous gérerez ce compte et répondrez pour lui aux demandes des applications.',
    newReach: 'Il n’a pas de mot de passe : vous seul pouvez l’utiliser.',
    email: 'Adresse e-mail de la personne',
    emailWhy: 'Facultative. Toute personne qui reçoit les e-mails à cette adresse peut choisir plus tard un mot de passe et se connecter sans vous.',
    newButton: 'Créer le compte',
    creationFailed: 'Le compte n’a pas pu être créé. Vérifiez ce que vous avez saisi, ou réessayez plus tard.',
  },
  de: {
    title: 'Für wen ist das?',
    legend: 'Die App bekommt Zugriff auf das Konto von:',
    me: 'mir',
    managed: 'ein Konto, das Sie verwalten',
    go: 'Weiter',
    choose: 'Wählen Sie ein Konto.',
    cannot: 'Nicht verfügbar',
    invited: 'lädt Sie ein, dieses Konto zu verwalten; nehmen Sie zuerst die Einladung an',
    stale: 'Sie verwalten dieses Konto nicht mehr',
    create: 'Ein Konto für jemand anderen erstellen',
    missing: (username) => `Die App möchte Zugriff auf das Konto ${username}, das Sie nicht verwalten. Sie können nur ablehnen.`,
    none: 'Die App möchte Zugriff auf ein Konto, das Sie für jemand anderen verwalten, aber Sie verwalten keines.',
    mayCreate: 'Sie können jetzt eines erstellen, oder ablehnen.',
    refuse: 'Ablehnen',
    lost: 'Sie können nicht mehr für das gewählte Konto handeln. Wählen Sie noch einmal.',
    notManaged: (username) => `Sie verwalten das Konto ${username} nicht.`,
    ended: (username) => `Sie verwalten das Konto ${username} nicht mehr: Die Vertretung wurde beendet.`,
    unreachable: (username) => `Das Konto ${username} ist zurzeit nicht erreichbar. Versuchen Sie es später erneut.`,
    elsewhere: (username) => `Das Konto ${username} liegt auf einem anderen Knoten. Öffnen Sie die App mit einer Adresse jenes Knotens.`,
    acting: (username) => `Sie antworten für das Konto ${username}, das Sie verwalten.`,
    endsWithActing: 'Der Zugriff endet spätestens, wenn Sie dieses Konto nicht mehr verwalten.',
    another: 'Ein anderes Konto wählen',
    forOther: 'Das ist für jemand anderen',
    withdrawn: (username) => `Sie können ihn jederzeit im Konto ${username} entziehen. Er endet, wenn Sie jenes Konto nicht mehr verwalten.`,
    newTitle: 'Ein Konto für jemand anderen erstellen',
    newWhat: 'Sie verwalten dieses Konto und beantworten die Anfragen von Apps dafür.',
    newReach: 'Es hat kein Passwort: Nur Sie können es benutzen.',
    email: 'E-Mail-Adresse der Person',
    emailWhy: 'Freiwillig. Wer E-Mails an diese Adresse erhält, kann später ein Passwort setzen und sich ohne Sie anmelden.',
    newButton: 'Konto erstellen',
    creationFailed: 'Das Konto konnte nicht erstellt werden. Prüfen Sie Ihre Angaben, oder versuchen Sie es später erneut.',
  },
}
