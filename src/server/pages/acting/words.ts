/** What the pages say about acting for somebody else's account. */
import type { InLanguages } from '../../base/words.js'

interface ActForWords {
  title: string
  /** Before the choices. */
  legend: string
  me: string
  managed: string
  go: string
  choose: string
  /** Accounts that cannot be chosen. */
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
  /** On the consent page: whose account it is about. */
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
  notMade: string
}

export const actForWords: InLanguages<ActForWords> = {
  en: {
    title: 'Who is this for?',
    legend: 'The app gets access to the account of:',
    me: 'me',
    managed: 'an account that you manage',
    go: 'Continue',
    choose: 'Choose an account.',
    cannot: 'Not to be chosen',
    invited: 'has asked you to manage this account; accept the invitation first',
    stale: 'you no longer manage this account',
    create: 'Create an account for somebody',
    missing: (username) => `The app asks for the account ${username}, and you do not manage it. So you can only refuse here.`,
    none: 'The app asks for an account that you manage for somebody, and you manage none.',
    mayCreate: 'You can create one for them now, or refuse.',
    refuse: 'Refuse',
    lost: 'The account that you chose cannot be reached any more in your name. Choose again.',
    notManaged: (username) => `You do not manage the account ${username}.`,
    ended: (username) => `You no longer manage the account ${username}: its owner has ended that.`,
    unreachable: (username) => `The account ${username} cannot be reached at the moment. Try again in a while.`,
    elsewhere: (username) => `The account ${username} is on another node. Open the app with an address of that node.`,
    acting: (username) => `You answer for the account ${username}, which you manage.`,
    endsWithActing: 'What you give ends at the latest when you no longer manage this account.',
    another: 'Choose another account',
    forOther: 'This is for somebody else',
    withdrawn: (username) => `It can be taken back at any time in the account ${username}, and it ends when you no longer manage that account.`,
    newTitle: 'Create an account for somebody',
    newWhat: 'You will manage this account: what apps ask of it, you answer.',
    newReach: 'It gets no password, so that it is reached through you alone.',
    email: 'E-mail address of the person',
    emailWhy: 'Optional. Whoever reads mail at this address can set a password later, and sign in without you.',
    newButton: 'Create the account',
    notMade: 'The account could not be created. Check what you have put in, or try again later.',
  },
  fr: {
    title: 'Pour qui est-ce ?',
    legend: 'L’application reçoit l’accès au compte de :',
    me: 'moi',
    managed: 'un compte que vous gérez',
    go: 'Continuer',
    choose: 'Choisissez un compte.',
    cannot: 'Impossible à choisir',
    invited: 'vous demande de gérer ce compte ; acceptez d’abord l’invitation',
    stale: 'vous ne gérez plus ce compte',
    create: 'Créer un compte pour quelqu’un',
    missing: (username) => `L’application demande le compte ${username}, que vous ne gérez pas. Vous ne pouvez que refuser ici.`,
    none: 'L’application demande un compte que vous gérez pour quelqu’un, et vous n’en gérez aucun.',
    mayCreate: 'Vous pouvez en créer un maintenant, ou refuser.',
    refuse: 'Refuser',
    lost: 'Le compte que vous avez choisi n’est plus accessible en votre nom. Choisissez à nouveau.',
    notManaged: (username) => `Vous ne gérez pas le compte ${username}.`,
    ended: (username) => `Vous ne gérez plus le compte ${username} : son propriétaire y a mis fin.`,
    unreachable: (username) => `Le compte ${username} n’est pas accessible pour le moment. Réessayez plus tard.`,
    elsewhere: (username) => `Le compte ${username} se trouve sur un autre nœud. Ouvrez l’application avec une adresse de ce nœud.`,
    acting: (username) => `Vous répondez pour le compte ${username}, que vous gérez.`,
    endsWithActing: 'Ce que vous donnez prend fin au plus tard quand vous ne gérez plus ce compte.',
    another: 'Choisir un autre compte',
    forOther: 'C’est pour quelqu’un d’autre',
    withdrawn: (username) =>
      `Il peut être retiré à tout moment dans le compte ${username}, et prend fin quand vous ne gérez plus ce compte.`,
    newTitle: 'Créer un compte pour quelqu’un',
    newWhat: 'Vous gérerez ce compte : vous répondez à ce que les applications lui demandent.',
    newReach: 'Il ne reçoit pas de mot de passe : on n’y accède qu’à travers vous.',
    email: 'Adresse e-mail de la personne',
    emailWhy: 'Facultative. Qui reçoit les mails à cette adresse peut choisir plus tard un mot de passe, et se connecter sans vous.',
    newButton: 'Créer le compte',
    notMade: 'Le compte n’a pas pu être créé. Vérifiez ce que vous avez saisi, ou réessayez plus tard.',
  },
  de: {
    title: 'Für wen ist das?',
    legend: 'Die App bekommt Zugriff auf das Konto von:',
    me: 'mir',
    managed: 'ein Konto, das Sie verwalten',
    go: 'Weiter',
    choose: 'Wählen Sie ein Konto.',
    cannot: 'Nicht wählbar',
    invited: 'bittet Sie, dieses Konto zu verwalten; nehmen Sie zuerst die Einladung an',
    stale: 'Sie verwalten dieses Konto nicht mehr',
    create: 'Ein Konto für jemanden erstellen',
    missing: (username) => `Die App verlangt das Konto ${username}, das Sie nicht verwalten. Sie können hier nur ablehnen.`,
    none: 'Die App verlangt ein Konto, das Sie für jemanden verwalten, und Sie verwalten keines.',
    mayCreate: 'Sie können jetzt eines erstellen, oder ablehnen.',
    refuse: 'Ablehnen',
    lost: 'Das Konto, das Sie gewählt haben, ist in Ihrem Namen nicht mehr erreichbar. Wählen Sie noch einmal.',
    notManaged: (username) => `Sie verwalten das Konto ${username} nicht.`,
    ended: (username) => `Sie verwalten das Konto ${username} nicht mehr: Wem es gehört, hat das beendet.`,
    unreachable: (username) => `Das Konto ${username} ist zurzeit nicht erreichbar. Versuchen Sie es etwas später.`,
    elsewhere: (username) => `Das Konto ${username} liegt auf einem anderen Knoten. Öffnen Sie die App mit einer Adresse jenes Knotens.`,
    acting: (username) => `Sie antworten für das Konto ${username}, das Sie verwalten.`,
    endsWithActing: 'Was Sie geben, endet spätestens, wenn Sie dieses Konto nicht mehr verwalten.',
    another: 'Ein anderes Konto wählen',
    forOther: 'Das ist für jemand anderen',
    withdrawn: (username) => `Er lässt sich jederzeit im Konto ${username} zurücknehmen, und endet, wenn Sie jenes Konto nicht mehr verwalten.`,
    newTitle: 'Ein Konto für jemanden erstellen',
    newWhat: 'Sie werden dieses Konto verwalten: Was Apps von ihm verlangen, beantworten Sie.',
    newReach: 'Es bekommt kein Passwort und ist nur durch Sie erreichbar.',
    email: 'E-Mail-Adresse der Person',
    emailWhy: 'Freiwillig. Wer unter dieser Adresse Post liest, kann später ein Passwort setzen und sich ohne Sie anmelden.',
    newButton: 'Konto erstellen',
    notMade: 'Das Konto konnte nicht erstellt werden. Prüfen Sie Ihre Angaben, oder versuchen Sie es später.',
  },
}
