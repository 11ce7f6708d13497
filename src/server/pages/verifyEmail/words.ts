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
    paste: 'Open the link in the mail that we sent you, or paste the link or code here.',
    name: 'The link does not contain your user name. Please enter it.',
    username: 'User name',
    token: 'Link or code of the mail',
    wrong: 'This link or code is not valid: it has expired, was already used, or is incomplete. If you have already confirmed the address with it, there is nothing left to do.',
    another: 'Otherwise request another mail from your account settings, or add the address again.',
    doneTitle: 'Your e-mail address is confirmed',
    done: 'This address is confirmed:',
    onward: 'Go to your account',
  },
  fr: {
    title: 'Confirmer votre adresse e-mail',
    of: 'Compte',
    address: 'Adresse e-mail',
    button: 'Confirmer l’adresse',
    paste: 'Ouvrez le lien de l’e-mail que nous vous avons envoyé, ou collez ici le lien ou le code.',
    name: 'Le lien ne contient pas votre nom d’utilisateur. Veuillez le saisir.',
    username: 'Nom d’utilisateur',
    token: 'Lien ou code de l’e-mail',
    wrong: 'Ce lien ou ce code n’est pas valable : il a expiré, a déjà été utilisé ou est incomplet. Si vous avez déjà confirmé l’adresse grâce à lui, il n’y a plus rien à faire.',
    another: 'Sinon, demandez un autre e-mail depuis les réglages de votre compte, ou ajoutez de nouveau l’adresse.',
    doneTitle: 'Votre adresse e-mail est confirmée',
    done: 'Cette adresse est confirmée :',
    onward: 'Aller à votre compte',
  },
  de: {
    title: 'E-Mail-Adresse bestätigen',
    of: 'Konto',
    address: 'E-Mail-Adresse',
    button: 'Adresse bestätigen',
    paste: 'Öffnen Sie den Link in der E-Mail, die wir Ihnen gesendet haben, oder fügen Sie den Link oder Code hier ein.',
    name: 'Der Link enthält Ihren Benutzernamen nicht. Bitte geben Sie ihn ein.',
    username: 'Benutzername',
    token: 'Link oder Code aus der E-Mail',
    wrong: 'Dieser Link oder Code ist ungültig: Er ist abgelaufen, wurde schon verwendet oder ist unvollständig. Falls Sie die Adresse damit schon bestätigt haben, bleibt nichts zu tun.',
    another: 'Sonst fordern Sie in den Einstellungen Ihres Kontos eine neue E-Mail an, oder fügen Sie die Adresse erneut hinzu.',
    doneTitle: 'Ihre E-Mail-Adresse ist bestätigt',
    done: 'Diese Adresse ist bestätigt:',
    onward: 'Zu Ihrem Konto',
  },
}
