import type { InLanguages } from '../../base/words.js'

interface VerifyEmailWords {
  title: string
  of: string
  address: string
  button: string
  paste: string
  name: string
  username: string
  token: string
  wrong: string
  another: string
  doneTitle: string
  done: string
  onward: string
}

export const verifyEmailWords: InLanguages<VerifyEmailWords> = {
  en: {
    title: 'Confirm your e-mail address',
    of: 'Account',
    address: 'E-mail address',
    button: 'Confirm address',
    paste: 'Open the link in the mail that we sent you, or put in here what it holds.',
    name: 'Whose address is it? The link does not say.',
    username: 'User name',
    token: 'Link or code of the mail',
    wrong: 'This link or code is not good: it has expired, has been used, or is not complete. If you have confirmed the address with it, there is nothing left to do.',
    another: 'Otherwise have another mail sent from your account settings, or add the address again.',
    doneTitle: 'Your e-mail address is confirmed',
    done: 'This address is confirmed:',
    onward: 'Go to your account',
  },
  fr: {
    title: 'Confirmer votre adresse e-mail',
    of: 'Compte',
    address: 'Adresse e-mail',
    button: 'Confirmer l’adresse',
    paste: 'Ouvrez le lien de l’e-mail que nous vous avons envoyé, ou saisissez ici ce qu’il contient.',
    name: 'À qui est l’adresse ? Le lien ne le dit pas.',
    username: 'Nom d’utilisateur',
    token: 'Lien ou code de l’e-mail',
    wrong: 'Ce lien ou ce code n’est pas valable : il a expiré, a été utilisé ou n’est pas complet. Si vous avez confirmé l’adresse grâce à lui, il n’y a plus rien à faire.',
    another: 'Sinon, faites envoyer un autre e-mail depuis les réglages de votre compte, ou ajoutez de nouveau l’adresse.',
    doneTitle: 'Votre adresse e-mail est confirmée',
    done: 'Cette adresse est confirmée :',
    onward: 'Aller à votre compte',
  },
  de: {
    title: 'E-Mail-Adresse bestätigen',
    of: 'Konto',
    address: 'E-Mail-Adresse',
    button: 'Adresse bestätigen',
    paste: 'Öffnen Sie den Link in der E-Mail, die wir Ihnen gesandt haben, oder geben Sie hier ein, was sie enthält.',
    name: 'Wem gehört die Adresse? Der Link sagt es nicht.',
    username: 'Benutzername',
    token: 'Link oder Code aus der E-Mail',
    wrong: 'Dieser Link oder Code gilt nicht: Er ist abgelaufen, wurde verwendet oder ist nicht vollständig. Falls Sie die Adresse damit bestätigt haben, bleibt nichts zu tun.',
    another: 'Sonst lassen Sie sich aus den Einstellungen Ihres Kontos eine neue E-Mail senden, oder fügen Sie die Adresse erneut hinzu.',
    doneTitle: 'Ihre E-Mail-Adresse ist bestätigt',
    done: 'Diese Adresse ist bestätigt:',
    onward: 'Zu Ihrem Konto',
  },
}
